//! The context of passes: options, remarks, statistics.

use std::collections::BTreeMap;
use std::sync::Arc;

use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::source::Span;
use rustc_hash::FxHashSet;

use crate::cost::{CostTable, Costs};
use crate::limits::Limits;
use crate::lower_custom_ops::Phase;
use crate::rules::CustomRule;

/// The preference where speed and size disagree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Goal {
    /// Less work when it runs (`-O2`).
    #[default]
    Speed,
    /// Less code (`-Os`).
    Size,
}

/// The options of the user.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether float values may change by the laws of real numbers (`--fast-math`); see `docs/numerics.md`.
    pub fast_math: bool,
    /// The preference between speed and size.
    pub goal: Goal,
    /// Whether every call is inlined that can be, whatever it costs.
    pub inline_all: bool,
    /// Whether every select stays one, and none becomes a branch: for targets that have no branches.
    pub keep_selects: bool,
    /// Seed of work lists and heuristics ("chaos mode"): every seed must give the same meaning. 0: the usual order.
    pub seed: u64,
    /// Whether remarks are wanted that take time to find: the nodes that were moved out of loops, and those that were not.
    pub explain: bool,
    /// Costs of ops on the target of the module; `None`: see [`CostTable::of_module`].
    pub costs: Option<Costs>,
    /// Rules of the user's own, asked before the built-in ones, in this order.
    pub rules: Vec<CustomRule>,
    /// Phases that lower ops of the user's own, in the order they run.
    pub phases: Vec<Phase>,
    /// Whether `lower_growable_arrays` runs after the passes, with those that simplify what it leaves: for targets with byte memories.
    pub arrays_in_memory: bool,
    /// Whether `vectorize_loops` runs after the passes: for targets with 128-bit values.
    pub vectorize: bool,
    /// Bounds.
    pub limits: Limits,
    /// Threads that rewrite functions; 0: as many as there are processors if the module is large, else one. Does not affect the
    /// result.
    pub threads: usize,
}

impl Options {
    /// The costs of ops in this module.
    pub fn costs(&self, module: &Module) -> Costs {
        self.costs.clone().unwrap_or_else(|| CostTable::of_module(module).into())
    }

    /// A heuristic's number: as it is, or with a seed something else, which must give the same meaning. `salt` identifies the
    /// decision.
    pub fn vary(&self, salt: u64, value: u32) -> u32 {
        if self.seed == 0 {
            return value;
        }
        let mixed = (self.seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        match (mixed ^ (mixed >> 31)) % 5 {
            0 => 0,
            1 => value / 2,
            2 => value.saturating_mul(2),
            3 => value.saturating_mul(16),
            _ => value,
        }
    }

    /// A choice: as it is, or with a seed one or the other.
    pub fn vary_choice(&self, salt: u64, choice: bool) -> bool {
        self.vary(salt, u32::from(choice) * 2) > 1 || self.seed != 0 && self.vary(!salt, 4) > 4
    }
}

/// Whether something was done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RemarkKind {
    /// It was.
    Passed,
    /// It could not be, or did not pay.
    Missed,
    /// A limit was hit.
    Limit,
}

/// An action of a pass, or an obstacle that it met, at a place of the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Remark {
    /// The pass.
    pub pass: &'static str,
    /// Whether it was done.
    pub kind: RemarkKind,
    /// Stable name of the event, such as `Inlined` or `NotUnrolled`.
    pub name: &'static str,
    /// The function it was done in.
    pub function: Arc<str>,
    /// Its place in the source.
    pub span: Span,
    /// For people.
    pub message: String,
}

/// Counts by pass and name, for `--stats`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    counts: BTreeMap<(&'static str, &'static str), u64>,
}

impl Stats {
    /// All counts: pass, name, count.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
        self.counts.iter().map(|(&(pass, name), &count)| (pass, name, count))
    }

    /// A count; 0 if it was never made.
    pub fn get(&self, pass: &str, name: &str) -> u64 {
        self.counts.iter().find(|((p, n), _)| *p == pass && *n == name).map_or(0, |(_, &c)| c)
    }
}

/// The options, remarks and statistics that every pass gets besides the module.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The options of the user.
    pub options: Options,
    /// The remarks of the passes.
    pub remarks: Vec<Remark>,
    /// Those of them that are not said twice.
    said: FxHashSet<Remark>,
    /// The counts of the passes.
    pub stats: Stats,
    /// Number of changes.
    pub(crate) changes: u64,
    /// Number of nodes and blocks that changes added or removed.
    pub(crate) changed_nodes: u64,
    /// Fingerprints of the copies of functions that did not pay.
    pub(crate) copies_refused: FxHashSet<u64>,
    /// Names and functions of [`Context::forget_remarks`], if the remarks are another context's.
    forgotten: Option<Vec<(&'static str, Arc<str>)>>,
    pass: &'static str,
}

/// Remarks, counts and changes that a pass has left on one function.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    forgotten: Vec<(&'static str, Arc<str>)>,
    remarks: Vec<Remark>,
    stats: Stats,
    changes: u64,
    changed_nodes: u64,
}

impl Context {
    /// With options.
    pub fn new(options: Options) -> Self {
        Context { options, ..Context::default() }
    }

    /// Says which pass the remarks and counts that follow are of; gives the one that it was before.
    pub fn enter(&mut self, pass: &'static str) -> &'static str {
        std::mem::replace(&mut self.pass, pass)
    }

    /// Leaves a remark.
    pub fn remark(
        &mut self,
        kind: RemarkKind,
        name: &'static str,
        module: &Module,
        func: Func,
        span: Span,
        message: String,
    ) {
        let function = module.funcs[func].name.text.clone();
        self.say(Remark { pass: self.pass, kind, name, function, span, message });
        self.count(name, 1);
    }

    fn say(&mut self, remark: Remark) {
        // A pass that runs twice reports an obstacle once.
        if remark.kind == RemarkKind::Passed || self.said.insert(remark.clone()) {
            self.remarks.push(remark);
        }
    }

    /// Removes the remarks of a name that the pass has left on a function: it repeats those that still hold.
    pub fn forget_remarks(&mut self, name: &'static str, module: &Module, func: Func) {
        let function = &module.funcs[func].name.text;
        if let Some(forgotten) = &mut self.forgotten {
            forgotten.push((name, Arc::clone(function)));
        }
        self.forget(name, function);
    }

    fn forget(&mut self, name: &'static str, function: &Arc<str>) {
        let said = &mut self.said;
        self.remarks.retain(|r| {
            let keeps = r.pass != self.pass || r.name != name || r.function != *function;
            if !keeps {
                said.remove(r);
            }
            keeps
        });
    }

    /// A context for another thread, without remarks and counts.
    pub(crate) fn for_worker(&self) -> Context {
        Context { forgotten: Some(Vec::new()), pass: self.pass, ..Context::new(self.options.clone()) }
    }

    /// Takes all that was left since the last time, from the context of a worker.
    pub(crate) fn take_findings(&mut self) -> Findings {
        self.said.clear();
        Findings {
            forgotten: self.forgotten.as_mut().map(std::mem::take).unwrap_or_default(),
            remarks: std::mem::take(&mut self.remarks),
            stats: std::mem::take(&mut self.stats),
            changes: std::mem::take(&mut self.changes),
            changed_nodes: std::mem::take(&mut self.changed_nodes),
        }
    }

    /// Adds what the current pass has left in the context of a worker.
    pub(crate) fn absorb(&mut self, findings: Findings) {
        findings.forgotten.iter().for_each(|(name, function)| self.forget(name, function));
        findings.remarks.into_iter().for_each(|remark| self.say(remark));
        for (key, count) in findings.stats.counts {
            *self.stats.counts.entry(key).or_default() += count;
        }
        self.changes += findings.changes;
        self.changed_nodes = self.changed_nodes.saturating_add(findings.changed_nodes);
    }

    /// Reports that the pass changes the module. A pass that does not report a change need not run again until another does.
    pub(crate) fn changed(&mut self) {
        self.changed_by(1);
    }

    /// Reports that the pass adds or removes a number of nodes and blocks.
    pub(crate) fn changed_by(&mut self, nodes: u64) {
        self.changes += 1;
        self.changed_nodes = self.changed_nodes.saturating_add(nodes);
    }

    /// Counts.
    pub fn count(&mut self, name: &'static str, by: u64) {
        if by > 0 {
            *self.stats.counts.entry((self.pass, name)).or_default() += by;
        }
    }
}
