//! Command line options about passes, and reports: remarks, counts, times.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use planish::diagnostic::Diagnostic;
use planish::flatten::{OpSet, Visible};
use planish::module::Module;
use planish::opt::{Remark, RemarkKind};
use planish::render::{kind_name, optimization_records};
use planish::source::SourceMap;
use planish::{Context, EmitOptions, Flattener, Optimizer, PASSES, Settings};

use crate::Stop;
use crate::args::{Input, Passes};
use crate::input;
use crate::names::suggest;
use crate::output;
use crate::report::Reporter;

/// The optimizer as configured by the command line, with a clock.
pub(crate) struct Work<'a> {
    args: &'a Passes,
    pub(crate) optimizer: Optimizer,
    flattener: Flattener,
    pub(crate) times: Times,
    /// Remarks and counts of each module.
    contexts: Vec<Context>,
    /// Nodes after each stage of flattening, for all modules in order.
    flat: Vec<(&'static str, u64)>,
    /// Figures of graphs.
    graphs: Vec<(&'static str, &'static str, u64)>,
    /// The users of each node of flat functions.
    log: String,
}

impl<'a> Work<'a> {
    /// Starts the clock.
    pub(crate) fn new(args: &'a Passes, input: &Input) -> Result<Self, Stop> {
        if let Some(wanted) = &args.remarks {
            check_filter(wanted)?;
        }
        let mut settings = input::settings(input)?;
        add_settings(args, &mut settings)?;
        Ok(Work {
            args,
            flattener: settings.flattener(),
            optimizer: settings.optimizer,
            times: Times::new(),
            contexts: vec![],
            flat: vec![],
            graphs: vec![],
            log: String::new(),
        })
    }

    /// Runs the passes, then flattens the requested functions; the time spent in `after` is not counted.
    ///
    /// # Errors
    /// Constructs that cannot be flattened.
    pub(crate) fn run(
        &mut self,
        module: &mut Module,
        after: &mut dyn FnMut(&str, &Module),
    ) -> Result<(), Vec<Diagnostic>> {
        self.times.skip();
        let times = &mut self.times;
        let mut after = |label: &str, module: &Module| {
            times.lap(label);
            after(label, module);
            times.skip();
        };
        self.flattener.mark(module)?;
        self.contexts.push(self.optimizer.run(module, &mut after));
        let mut log = String::new();
        let wanted = self.args.log_cse.then_some(&mut log);
        self.flat.extend(self.flattener.run_and_log(module, wanted, &mut after)?);
        self.log += &log;
        Ok(())
    }

    /// Flattens up to and including a stage; the entry points, unless functions are named.
    pub(crate) fn flatten_until(&mut self, stage: &'static str) {
        self.flattener.until = Some(stage);
        self.flattener.entry_points |= self.flattener.functions.is_empty();
    }

    /// Uses all operations that a graph supports, unless the command line lists the target's.
    pub(crate) fn fuse_for_graphs(&mut self) {
        if self.args.fused.is_none() {
            let ops = self.flattener.options.ops.as_ref();
            self.flattener.options.visible = ops.map_or(Visible::ALL, |ops| Visible::ALL.among(ops));
            self.flattener.options.pack = true;
        }
    }

    /// Counts the nodes of a graph, and its depth. Errors are left to `emit`.
    pub(crate) fn count_graph(&mut self, module: &Module, options: &EmitOptions) {
        let Ok(graph) = planish::graph(module, options) else { return };
        let stats = planish::dataflow::Stats::new(&graph);
        for (group, of) in [("graph, once a draw", &stats.preshader), ("graph, per pixel", &stats.pixel)] {
            self.graphs.extend([(group, "Nodes", u64::from(of.nodes)), (group, "Cost", of.cost)]);
            self.graphs.push((group, "Depth", u64::from(of.depth)));
        }
    }

    /// Writes the requested reports.
    pub(crate) fn report(self, map: &SourceMap, reporter: &Reporter) -> Result<(), Stop> {
        let args = self.args;
        self.close(map, reporter).write(args, reporter)
    }

    /// Shows the remarks. The rest may be added to that of other programs.
    pub(crate) fn close(self, map: &SourceMap, reporter: &Reporter) -> Reports {
        reporter.write(&self.log);
        let wanted = |remark: &&Remark| self.args.remarks.as_ref().is_none_or(|filter| passes_filter(filter, remark));
        let remarks: Vec<Remark> = self.contexts.iter().flat_map(|t| &t.remarks).filter(wanted).cloned().collect();
        if self.args.remarks.is_some() {
            reporter.remarks(&remarks, map);
        }
        let records = self.args.remarks_yaml.is_some().then(|| optimization_records(&remarks, map));
        Reports { records: records.unwrap_or_default(), counts: self.counts(), times: self.times.rows }
    }

    /// Over all modules.
    fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for &(stage, count) in &self.flat {
            *counts.entry((stage, "Nodes")).or_default() += count;
        }
        for &(group, name, count) in &self.graphs {
            *counts.entry((group, name)).or_default() += count;
        }
        for (pass, name, count) in self.contexts.iter().flat_map(|context| context.stats.iter()) {
            *counts.entry((pass, name)).or_default() += count;
        }
        counts
    }
}

/// The reports on all programs of a command together.
#[derive(Default)]
pub(crate) struct Reports {
    records: String,
    counts: Counts,
    times: Vec<(String, Duration)>,
}

impl Reports {
    /// Adds those of another program.
    pub(crate) fn add(&mut self, other: Reports) {
        self.records += &other.records;
        for (event, count) in other.counts {
            *self.counts.entry(event).or_default() += count;
        }
        if self.times.is_empty() {
            self.times = other.times;
            return;
        }
        for (what, time) in other.times {
            match self.times.iter_mut().find(|(known, _)| *known == what) {
                Some((_, sum)) => *sum += time,
                None => self.times.push((what, time)),
            }
        }
    }

    /// Writes the requested ones.
    pub(crate) fn write(&self, args: &Passes, reporter: &Reporter) -> Result<(), Stop> {
        if let Some(file) = &args.remarks_yaml {
            output::write(file, self.records.as_bytes(), false)?;
        }
        if args.stats {
            reporter.stats(&self.counts);
        }
        if args.time_passes {
            reporter.times(&self.times);
        }
        Ok(())
    }
}

/// Counts by pass and event.
pub(crate) type Counts = BTreeMap<(&'static str, &'static str), u64>;

/// Adds the settings of the optimizer and the flattener.
pub(crate) fn add_settings(args: &Passes, settings: &mut Settings) -> Result<(), Stop> {
    input::set(settings, "level", &args.level)?;
    if let Some(names) = &args.passes {
        input::set(settings, "passes", &names.join(","))?;
    }
    let flags = [
        ("fast-math", args.fast_math),
        ("inline-all", args.inline_all),
        ("vectorize", args.vectorize),
        ("expand-lerp", args.expand_lerp),
    ];
    for (name, _) in flags.into_iter().filter(|(_, is_given)| *is_given) {
        input::set(settings, name, "true")?;
    }
    input::set_all(settings, "limit", &args.limits)?;
    for (name, list) in [("flatten", &args.flatten), ("fused", &args.fused)] {
        if let Some(list) = list {
            input::set(settings, name, &list.join(","))?;
        }
    }
    if let Some(ops) = ops(args)? {
        settings.set_ops(ops);
    }
    settings.optimizer.options.explain = args.remarks.is_some() || args.remarks_yaml.is_some();
    settings.optimizer.options.seed = args.chaos_seed;
    Ok(())
}

/// The ops that a graph may hold, from the command line or a file.
fn ops(args: &Passes) -> Result<Option<OpSet>, Stop> {
    let Some(given) = &args.ops else { return Ok(None) };
    // No name of an op has one of these.
    let text = match given.contains(['.', '/', '\\']) {
        true => std::fs::read_to_string(given).map_err(|error| Stop::usage(format!("cannot read {given}: {error}")))?,
        false => given.clone(),
    };
    match planish::parse_ops(&text) {
        Ok(ops) => Ok(Some(ops)),
        Err(unknown) => Err(Stop::usage(format!("--ops: {unknown}"))),
    }
}

/// The error for an unknown pass, with a suggestion.
pub(crate) fn no_pass(name: &str) -> Stop {
    let plain = name.split(':').next().unwrap_or_default();
    if PASSES.iter().any(|pass| pass.name == plain) {
        return Stop::usage(format!("`{plain}` does not run so often that there is a `{name}`"));
    }
    Stop::usage(format!("there is no pass `{name}`{}", suggest(plain, PASSES.iter().map(|p| p.name))))
}

const KINDS: [RemarkKind; 3] = [RemarkKind::Passed, RemarkKind::Missed, RemarkKind::Limit];

/// Checks that the names in `--remarks=` are kinds or passes.
fn check_filter(filter: &[String]) -> Result<(), Stop> {
    let kinds = || KINDS.iter().map(|&kind| kind_name(kind)).chain(["all"]);
    let passes = || PASSES.iter().map(|pass| pass.name);
    match filter.iter().find(|name| !kinds().chain(passes()).any(|known| known == *name)) {
        None => Ok(()),
        Some(name) => Err(Stop::usage(format!(
            "`{name}` is neither a kind of remark ({}) nor a pass{}",
            kinds().collect::<Vec<_>>().join(", "),
            suggest(name, kinds().chain(passes()))
        ))),
    }
}

/// Whether a remark is of one of the named kinds (all, if none is named) and of one of the named passes (likewise).
fn passes_filter(filter: &[String], remark: &Remark) -> bool {
    let is_kind = |name: &String| name == "all" || KINDS.iter().any(|&kind| kind_name(kind) == name);
    let (kinds, passes): (Vec<&String>, Vec<&String>) = filter.iter().partition(|name| is_kind(name));
    let kind = kinds.is_empty() || kinds.iter().any(|name| *name == "all" || *name == kind_name(remark.kind));
    kind && (passes.is_empty() || passes.iter().any(|name| *name == remark.pass))
}

/// Durations by phase, in order.
pub(crate) struct Times {
    pub(crate) rows: Vec<(String, Duration)>,
    since: Instant,
}

impl Times {
    fn new() -> Self {
        Times { rows: vec![], since: Instant::now() }
    }

    /// Ends the phase `what`, which began at the last call.
    pub(crate) fn lap(&mut self, what: &str) {
        self.rows.push((what.to_owned(), self.since.elapsed()));
        self.since = Instant::now();
    }

    /// Discards the time since the last call.
    pub(crate) fn skip(&mut self) {
        self.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish::source::Span;

    #[test]
    fn remarks_are_chosen_by_kind_and_pass() {
        let remark = |pass, kind| {
            let (function, message) = ("main".into(), String::new());
            Remark { pass, kind, name: "Done", function, span: Span::NONE, message }
        };
        let contexts = |filter: &[&str]| {
            let filter: Vec<String> = filter.iter().map(|s| (*s).to_owned()).collect();
            let remarks = [("a", RemarkKind::Passed), ("a", RemarkKind::Missed), ("b", RemarkKind::Missed)];
            remarks.map(|(pass, kind)| passes_filter(&filter, &remark(pass, kind)))
        };
        assert_eq!(contexts(&["all"]), [true, true, true]);
        assert_eq!(contexts(&["missed"]), [false, true, true]);
        assert_eq!(contexts(&["a"]), [true, true, false]);
        assert_eq!(contexts(&["missed", "a"]), [false, true, false]);
        assert_eq!(contexts(&["limit"]), [false, false, false]);
    }
}
