//! The optimizer as configured by users of the library: which passes, with which options.

use std::collections::BTreeMap;

use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_opt::cost::TABLES;
use planish_opt::{
    Context, Goal, LEVELS, Options, PASSES, Pass, Phase, Step, lower_growable_arrays, pipeline, run_passes, steps,
};

use crate::floating;

/// A list of passes and their options.
///
/// # Example
/// ```
/// use planish::{Compiler, Optimizer};
/// let mut module = Compiler::default().compile("a.vert", "void main() { int unused = 1; }").module.expect("is valid");
/// let context = Optimizer::level("1").expect("there is a level 1").run(&mut module, &mut |_, _| {});
/// assert!(context.stats.iter().all(|(_, _, count)| count > 0));
/// ```
#[derive(Clone, Debug)]
pub struct Optimizer {
    /// The passes in execution order, with repetitions.
    pub passes: Vec<&'static Pass>,
    /// Options of the passes.
    pub options: Options,
}

impl Optimizer {
    /// The passes of a level (one of [`LEVELS`]); `s` prefers less code.
    pub fn level(level: &str) -> Option<Self> {
        let goal = if level == "s" { Goal::Size } else { Goal::Speed };
        Some(Optimizer { passes: pipeline(level)?, options: Options { goal, ..Options::default() } })
    }

    /// Whether less code is preferred to faster code.
    pub fn is_for_size(&self) -> bool {
        matches!(self.options.goal, Goal::Size)
    }

    /// Runs the passes; for a module with ops of the user's own, once before each of its phases ([`Options::phases`]) and once after
    /// the last. `after` is called after each with its label ([`labels`]).
    pub fn run(&self, module: &mut Module, after: &mut dyn FnMut(&str, &Module)) -> Context {
        let passes = self.with_phases(module);
        let mut context = Context::new(self.options.clone());
        let mut labels = labels(&passes).into_iter();
        run_passes(module, &passes, &mut context, &mut |_, module| {
            after(&labels.next().expect("a label for each pass"), module);
        });
        context
    }

    /// The passes once before each phase that lowers ops of this module, so that the rules about its ops rest before they are
    /// lowered, and once after the last.
    fn with_phases(&self, module: &mut Module) -> Vec<&'static Pass> {
        let is_there = |phase: &Phase| module.custom_ops.values().any(|row| row.phase == phase.name);
        let phases = self.options.phases.iter().filter(|phase| is_there(phase)).count();
        let mut passes = Vec::new();
        for _ in 0..phases {
            passes.extend(&self.passes);
            passes.push(pass("lower_custom_ops"));
        }
        passes.extend(&self.passes);
        if self.options.arrays_in_memory && lower_growable_arrays::is_needed(module) {
            passes.extend(self.arrays());
        }
        if self.options.vectorize {
            passes.push(pass("vectorize_loops"));
        }
        if !passes.is_empty() {
            floating::place_all(module);
        }
        passes
    }

    /// The passes that put growable arrays into memory, and simplify the program then if it is optimized at all.
    fn arrays(&self) -> impl Iterator<Item = &'static Pass> + use<> {
        let names: &[&str] = match self.passes.is_empty() {
            true => &["lower_growable_arrays"],
            false => &["lower_growable_arrays", "promote_variables", "eliminate_dead_code", "schedule"],
        };
        names.iter().map(|&name| pass(name))
    }

    /// Number of passes up to and including the labelled one: `NAME` is the last of this name, `NAME:2` the second.
    /// `None` if there is none.
    pub fn find(&self, label: &str) -> Option<usize> {
        let (name, number) = match label.split_once(':') {
            Some((name, number)) => (name, Some(number.parse::<usize>().ok()?)),
            None => (label, None),
        };
        let mut ends = self.passes.iter().enumerate().filter(|(_, pass)| pass.name == name).map(|(at, _)| at + 1);
        match number {
            Some(number) => ends.nth(number.checked_sub(1)?),
            None => ends.next_back(),
        }
    }
}

fn pass(name: &str) -> &'static Pass {
    PASSES.iter().find(|pass| pass.name == name).expect("it is a pass")
}

/// The label of each pass of a list: its name, and from the second of a name on `:` and its number.
pub fn labels(passes: &[&Pass]) -> Vec<String> {
    let label = |(at, pass): (usize, &&Pass)| match passes[..at].iter().filter(|p| p.name == pass.name).count() {
        0 => pass.name.to_owned(),
        before => format!("{}:{}", pass.name, before + 1),
    };
    passes.iter().enumerate().map(label).collect()
}

/// Levels, passes, limits and costs in Markdown, from their tables: for `planish passes` and `docs/optimizer-options.md`.
pub fn reference() -> String {
    let mut text = String::from("### Levels\n\n| level | passes |\n| --- | --- |\n");
    for level in LEVELS {
        let names: Vec<String> = steps(level).expect("every level has a pipeline").iter().map(in_words).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        text += &format!("| `-O{level}` | {names} |\n");
    }
    text += "\n### Passes\n\n| pass | what it does |\n| --- | --- |\n";
    for pass in PASSES {
        text += &format!("| `{}` | {} |\n", pass.name, pass.about);
    }
    text += "\n### Limits\n\n| limit | default | what it bounds |\n| --- | ---: | --- |\n";
    let defaults = planish_opt::Limits::default();
    for limit in planish_opt::LIMITS {
        text += &format!("| `{}` | {} | {} |\n", limit.name, limit.get(&defaults), limit.about);
    }
    text + &costs()
}

/// A step of a pipeline in Markdown.
fn in_words(step: &Step) -> String {
    let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match step {
        Step::Once(name) => list(&[name]),
        Step::Repeat(most, names) => format!("({}) until nothing changes, at most {most} times", list(names)),
    }
}

/// The cost tables in Markdown: their purpose, and each cost once, with its ops.
fn costs() -> String {
    let mut text = String::from(
        "\n### Costs\n\n| table | what it counts | a branch | worth a branch |\n| --- | --- | ---: | ---: |\n",
    );
    for table in TABLES {
        let worth = table.worth_a_branch(Goal::Speed);
        text += &format!("| `{}` | {} | {} | {worth} |\n", table.name, table.about, table.branch);
    }
    let mut groups: BTreeMap<[u32; TABLES.len()], Vec<&str>> = BTreeMap::new();
    for op in Op::all() {
        groups.entry(TABLES.map(|table| table.of(op))).or_default().push(op.text());
    }
    let most = groups.values().map(Vec::len).max();
    let names = TABLES.map(|table| format!("`{}`", table.name)).join(" | ");
    text += &format!("\n| {names} | ops |\n|{} --- |\n", " ---: |".repeat(TABLES.len()));
    for (costs, ops) in &groups {
        let ops = match Some(ops.len()) == most {
            true => "every other".into(),
            false => ops.iter().map(|op| format!("`{op}`")).collect::<Vec<_>>().join(", "),
        };
        text += &format!("| {} | {ops} |\n", costs.map(|cost| cost.to_string()).join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(name: &str) -> &'static Pass {
        PASSES.iter().find(|p| p.name == name).expect("there is such a pass")
    }

    #[test]
    fn passes_that_run_twice_are_told_apart() {
        let [a, b] = ["eliminate_dead_code", "propagate_precision"].map(pass);
        let optimizer = Optimizer { passes: vec![a, b, a], options: Options::default() };
        assert_eq!(labels(&optimizer.passes), ["eliminate_dead_code", "propagate_precision", "eliminate_dead_code:2"]);
        let found = ["eliminate_dead_code", "eliminate_dead_code:1", "eliminate_dead_code:2", "eliminate_dead_code:3"];
        assert_eq!(found.map(|label| optimizer.find(label)), [Some(3), Some(1), Some(3), None]);
        let found = ["propagate_precision", "propagate_precision:0", "propagate_precision:x", "inline"];
        assert_eq!(found.map(|label| optimizer.find(label)), [Some(2), None, None, None]);
    }
}
