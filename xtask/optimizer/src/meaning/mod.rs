//! `cargo xtask optimize`: over the corpus, the optimizer preserves the meaning and leaves nothing to do.
//!
//! For each shader, at the levels for speed and for size:
//!
//! - **changed**: the evaluator's result after some pass differs from that before the first, or after all passes with
//!   other seeds ("chaos mode"), in which case the pass is searched for;
//! - **missed**: a rule would still rewrite a node of the result;
//! - **not converged**: running the same passes again changes the text of the result (allowed for a few; the limit is
//!   below).
//!
//! (`-O1`, which takes the place of higher levels while there are none, promises only the first.)

mod exceptions;
mod picture;

use std::collections::{BTreeMap, HashSet};

use planish::module::Module;
use planish::opt::rules;
use planish::{Optimizer, Target};
use xtask::corpus::Program;
use xtask::{Failure, pool};

use crate::options::Options;
use crate::subject::{self, PATIENCE};
use picture::{Picture, Uniforms, outputs, picture};

/// Default number of seeds besides the usual order.
const SEEDS: u64 = 3;
/// Maximum share of the results that a second run may still change. To become zero; until then it must not grow.
const MAX_CHANGED: f64 = 0.001;
/// Number of faults shown for a kind; all are in a file.
const SHOWN: usize = 12;

/// A violation.
struct Fault {
    kind: &'static str,
    what: String,
}

/// Results of a program before it is optimized.
pub(crate) struct Expected {
    outputs: Vec<Option<String>>,
    /// With the usual uniforms, and with others if the shader ends with those too.
    pictures: Vec<(Uniforms<'static>, Picture)>,
    /// The texts of modules known to be equal: most passes leave most shaders alone.
    right: HashSet<String>,
}

impl Expected {
    pub(crate) fn of(module: &Module) -> Result<Expected, String> {
        let outputs = outputs(module);
        let mut pictures = vec![(Uniforms::Usual, picture(module, &outputs, Uniforms::Usual)?)];
        pictures.extend(picture(module, &outputs, Uniforms::Shifted).ok().map(|p| (Uniforms::Shifted, p)));
        Ok(Expected { outputs, pictures, right: HashSet::from([text(module)]) })
    }

    /// The difference of another module's results; `None` if they are equal.
    pub(crate) fn compare(&mut self, module: &Module) -> Option<String> {
        let text = text(module);
        if self.right.contains(&text) {
            return None;
        }
        let wrong = self.pictures.iter().find_map(|(uniforms, expected)| {
            let picture = match picture(module, &self.outputs, *uniforms) {
                Ok(picture) => picture,
                Err(why) => return Some(why),
            };
            let differing = picture.iter().zip(expected).filter(|(a, b)| a != b).count();
            (differing > 0 || picture.len() != expected.len())
                .then(|| format!("{differing} of {} numbers differ ({uniforms:?} uniforms)", expected.len()))
        });
        if wrong.is_none() {
            self.right.insert(text);
        }
        wrong
    }
}

/// The numbers that two forms of a shader put out, with the usual uniforms of the first. The second, from another compiler, may lack
/// a depth that only functions without a call write.
///
/// # Errors
/// Why one cannot be run.
pub(crate) fn pictures_of(first: &Module, second: &Module) -> Result<[Picture; 2], String> {
    let [mut own, mut others] = [outputs(first), outputs(second)];
    own.sort();
    others.sort();
    // (By their numbers: built-in outputs of old versions have other names elsewhere.)
    let is_depth = |name: &Option<String>| name.as_ref().is_some_and(|name| name.starts_with("gl_FragDepth"));
    if !others.iter().any(is_depth) {
        own.retain(|name| !is_depth(name));
    }
    Ok([picture(first, &own, Uniforms::Of(first))?, picture(second, &others, Uniforms::Of(first))?])
}

/// The result of a program.
struct Outcome {
    /// Why nothing could be compared, if so.
    undrawn: Option<String>,
    faults: Vec<Fault>,
    /// Counts by pass and event, at the level for speed.
    counts: Vec<(&'static str, &'static str, u64)>,
}

/// The whole run. Ends in `Broken` if there is a fault that is no exception.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let programs = subject::programs(options)?;
    let seeds = options.seeds.unwrap_or(SEEDS);
    let outcomes = pool::run(&programs, options.jobs, PATIENCE, Program::name, |program| {
        let panicked =
            |panic| Outcome { undrawn: None, faults: vec![Fault { kind: "panic", what: panic }], counts: vec![] };
        pool::guarded(|| check(program, seeds)).unwrap_or_else(panicked)
    });
    report(&programs, &outcomes)
}

fn check(program: &Program, seeds: u64) -> Outcome {
    let mut outcomes = Outcome { undrawn: None, faults: vec![], counts: vec![] };
    let module = match subject::compile(program) {
        Ok((module, _)) => module,
        Err(why) => {
            outcomes.faults.push(Fault { kind: "not compiled", what: why });
            return outcomes;
        }
    };
    let mut expected = match Expected::of(&module) {
        Ok(expected) => Some(expected),
        Err(why) => {
            outcomes.undrawn = Some(why);
            None
        }
    };
    let [speed, size] = subject::levels();
    let levels = if speed == size { vec![speed] } else { vec![speed, size] };
    for (i, level) in levels.into_iter().enumerate() {
        let optimizer = subject::optimizer(level);
        let mut optimized = module.clone();
        let mut changed = None;
        let context = optimizer.run(&mut optimized, &mut |label, module| {
            if let (None, Some(expected)) = (&changed, &mut expected) {
                changed = expected.compare(module).map(|why| format!("-O{level}: {label}: {why}"));
            }
        });
        outcomes.faults.extend(changed.map(|what| Fault { kind: "changed", what }));
        if level != "1" {
            outcomes.faults.extend(leftovers(&optimizer, level, optimized));
        }
        if i == 0 {
            outcomes.counts = context.stats.iter().collect();
        }
        if let Some(expected) = &mut expected {
            let seeded = (1..=seeds).filter_map(|seed| chaos(&module, &optimizer, seed, expected));
            outcomes.faults.extend(seeded.map(|what| Fault { kind: "changed", what: format!("-O{level}, {what}") }));
        }
    }
    outcomes
}

/// The passes in another order of work: the pass that changes the picture, if one does.
fn chaos(module: &Module, optimizer: &Optimizer, seed: u64, expected: &mut Expected) -> Option<String> {
    let mut optimizer = optimizer.clone();
    optimizer.options.seed = seed;
    let mut optimized = module.clone();
    optimizer.run(&mut optimized, &mut |_, _| {});
    let why = expected.compare(&optimized)?;
    let mut found = None;
    optimizer.run(&mut module.clone(), &mut |label, module| {
        if found.is_none() {
            found = expected.compare(module).map(|why| format!("{label}: {why}"));
        }
    });
    Some(format!("--chaos-seed {seed}: {}", found.unwrap_or(why)))
}

/// Work that the optimizer leaves: rules that would still fire, and passes that would still change something.
fn leftovers(optimizer: &Optimizer, level: &str, mut optimized: Module) -> Vec<Fault> {
    let mut faults = vec![];
    let mut missed: BTreeMap<&str, usize> = BTreeMap::new();
    for miss in rules::missed(&mut optimized.clone(), &optimizer.options) {
        *missed.entry(miss.rule).or_default() += 1;
    }
    if !missed.is_empty() {
        let rules: Vec<String> = missed.iter().map(|(rule, count)| format!("{count} × {rule}")).collect();
        faults.push(Fault { kind: "missed", what: format!("-O{level}: {}", rules.join(", ")) });
    }
    let mut last = text(&optimized);
    let mut changing = None;
    optimizer.run(&mut optimized, &mut |label, module| {
        let now = text(module);
        if changing.is_none() && now != last {
            changing = Some((label.to_owned(), first_change(&last, &now)));
        }
        last = now;
    });
    if let Some((label, change)) = changing {
        faults.push(Fault { kind: "not converged", what: format!("-O{level} again: {label}: {change}") });
    }
    faults
}

/// The first line that is another.
fn first_change(before: &str, after: &str) -> String {
    let pair = before.lines().zip(after.lines()).find(|(a, b)| a != b);
    pair.map_or_else(|| "lines at the end".into(), |(a, b)| format!("`{}` → `{}`", a.trim(), b.trim()))
}

fn text(module: &Module) -> String {
    let bytes = subject::write(module, Target::Ir, &planish::EmitOptions::default());
    String::from_utf8(bytes.expect("every module has a text")).expect("it is text")
}

fn report(programs: &[Program], outcomes: &[Outcome]) -> Result<(), Failure> {
    let folder = xtask::conformance_folder().join("optimize");
    std::fs::create_dir_all(&folder)?;
    let (mut all, mut kinds, mut excused) = (String::new(), BTreeMap::<&str, Vec<String>>::new(), 0);
    for (program, outcomes) in programs.iter().zip(outcomes) {
        for fault in &outcomes.faults {
            match exceptions::reason(&program.name(), fault) {
                Some(_) => excused += 1,
                None => {
                    let line = format!("{}: {}: {}", program.name(), fault.kind, fault.what);
                    all += &format!("{line}\n");
                    kinds.entry(fault.kind).or_default().push(line);
                }
            }
        }
    }
    std::fs::write(folder.join("faults.txt"), all)?;
    std::fs::write(folder.join("counts.txt"), counts(outcomes))?;
    let mut undrawn: BTreeMap<&str, usize> = BTreeMap::new();
    for why in outcomes.iter().filter_map(|j| j.undrawn.as_deref()) {
        *undrawn.entry(why).or_default() += 1;
    }
    println!(
        "{} programs; {} drawn and compared after each pass; {excused} exceptions",
        programs.len(),
        programs.len() - undrawn.values().sum::<usize>(),
    );
    undrawn.iter().for_each(|(why, count)| println!("  not drawn: {count} × {why}"));
    for (kind, lines) in &kinds {
        println!("\n{kind}: {}", lines.len());
        lines.iter().take(SHOWN).for_each(|line| println!("  {line}"));
    }
    println!("\nall faults, and how often each pass did what: {}", folder.display());
    let changed = kinds.remove("not converged").map_or(0, |lines| lines.len());
    let share = changed as f64 / (programs.len() * subject::levels().len()) as f64;
    println!("a second run changes {changed} results ({:.1} %)", share * 100.0);
    match kinds.values().map(Vec::len).sum() {
        0 if share <= MAX_CHANGED => Ok(()),
        0 => Err(Failure::Broken(format!("the bar is {:.1} %", MAX_CHANGED * 100.0))),
        faults => Err(Failure::Broken(format!("{faults} faults"))),
    }
}

/// Counts of passes and rules, over all programs.
fn counts(outcomes: &[Outcome]) -> String {
    let mut sums: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for (pass, name, count) in outcomes.iter().flat_map(|j| &j.counts) {
        let sum = sums.entry((pass, name)).or_default();
        *sum = (sum.0 + count, sum.1 + 1);
    }
    let mut text = String::from("pass\twhat\ttimes\tprograms\n");
    sums.iter().for_each(|((pass, name), (sum, programs))| text += &format!("{pass}\t{name}\t{sum}\t{programs}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish::Compiler;

    fn module(source: &str) -> Module {
        Compiler::default().compile("a.frag", source).module.expect("is valid")
    }

    #[test]
    fn another_picture_is_seen() {
        let shader = |value: &str| {
            module(&format!("precision highp float; void main() {{ gl_FragColor = vec4(gl_FragCoord.x * {value}); }}"))
        };
        let (one, other) = (shader("0.5"), shader("0.25"));
        let mut expected = Expected::of(&one).expect("can be drawn");
        assert_eq!(expected.compare(&one), None);
        assert_eq!(expected.compare(&other).as_deref(), Some("192 of 192 numbers differ (Usual uniforms)"));
        let changed_text = shader("(1.0 * 0.5)");
        assert_eq!(expected.compare(&changed_text), None);
    }

    #[test]
    fn other_uniforms_show_other_branches() {
        let shader = |value: &str| {
            module(&format!(
                "precision highp float; uniform bool b; void main() {{ gl_FragColor = vec4(b ? {value} : 1.0); }}"
            ))
        };
        let mut expected = Expected::of(&shader("0.5")).expect("can be drawn");
        let told = expected.compare(&shader("0.25"));
        assert_eq!(told.as_deref(), Some("192 of 192 numbers differ (Shifted uniforms)"));
    }

    #[test]
    fn every_output_counts() {
        let shader = |value: &str| {
            let source = format!(
                "#version 300 es\nprecision highp float; layout(location = 0) out vec4 a; layout(location = 1) out vec2 b[2]; void main() {{ a = vec4(1.0); b[0] = b[1] = vec2(2.0); b[1].x = {value}; }}"
            );
            module(&source)
        };
        let mut expected = Expected::of(&shader("0.5")).expect("can be drawn");
        assert_eq!(expected.compare(&shader("0.25")).as_deref(), Some("48 of 576 numbers differ (Usual uniforms)"));
    }

    #[test]
    fn vertices_have_attributes() {
        let source = "attribute vec3 p; varying float x; void main() { x = p.x; gl_Position = vec4(p, 1.0); }";
        let module = Compiler::default().compile("a.vert", source).module.expect("is valid");
        let mut numbers = picture(&module, &[], Uniforms::Usual).expect("can be run");
        numbers.sort_unstable();
        numbers.dedup();
        assert!(numbers.len() > 12, "{numbers:?}");
    }

    #[test]
    fn what_passes_would_still_do_is_seen() {
        let module = module(
            "precision highp float; void main() { float a = 1.0; gl_FragColor = vec4(1.0); } float f() { return 2.0; }",
        );
        let optimizer = subject::optimizer("1");
        let kinds: Vec<_> = leftovers(&optimizer, "1", module.clone()).into_iter().map(|f| f.kind).collect();
        assert!(kinds.contains(&"not converged"));
        let done = subject::optimized(&module, "1");
        assert!(leftovers(&optimizer, "1", done).iter().all(|f| f.kind != "not converged"));
    }
}
