//! Every construct of every language inside itself, through every stage on a small stack: there is a result, or a diagnostic with a
//! code and a place; no overflow, no panic. What the optimizer does with them is in `crates/opt/tests/nests.rs`.

mod stages;

use planish::diagnostic::Code;
use planish::module::Module;
use planish::source::SourceMap;
use planish_generate::nested::{Growth, Language, Shape, shapes};
use planish_testkit::{on_a_stack_of, share};
use stages::{Outcome, Visit};

/// The counts of each stage, by its name.
type Counts = Vec<(String, usize)>;

/// Reads a shape `n` times in itself, does `more` with it if it is a module, and looks at what was refused.
fn through(shape: &Shape, n: usize, more: fn(&Shape, &Module, &mut Visit<'_>)) -> Counts {
    let mut map = SourceMap::new();
    let (mut counts, mut refused) = (Counts::new(), Vec::new());
    let mut visit = |stage: &str, run: &mut dyn FnMut() -> Outcome| {
        let told = Told(shape, stage);
        match run() {
            Outcome::Done(count) => counts.push((stage.to_owned(), count)),
            Outcome::Refused(errors) => {
                assert!(!errors.is_empty() && errors.len() <= 1_100, "{} errors", errors.len());
                refused.extend(errors.into_iter().map(|e| (stage.to_owned(), e)));
            }
        }
        drop(told);
    };
    if let Some(module) = stages::read(shape, n, &mut map, &mut visit) {
        more(shape, &module, &mut visit);
    }
    for (stage, error) in refused {
        assert!(error.code != Code::E0699, "{shape:?} {stage}: {error:?}");
        assert!(map.line_column(error.span.start).is_some(), "{shape:?} {stage}: no place: {error:?}");
    }
    counts
}

/// Tells where a panic was.
struct Told<'a>(&'a Shape, &'a str);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("with {:?}, {}", self.0, self.1);
        }
    }
}

#[test]
fn deep_programs_are_read_or_refused() {
    on_a_stack_of(1 << 20, || {
        for shape in share(shapes()) {
            // naga's reader takes time in the square of what stands in a row.
            let n = match (shape.growth, shape.language) {
                (Growth::Deep, _) => 10_000,
                (Growth::Long, Language::Wgsl) => 600,
                (Growth::Long, _) => 3_000,
            };
            through(shape, n, |_, _, _| {});
        }
    });
}

/// And what is written for twice as many constructs is about twice as long.
#[test]
fn deep_programs_are_written_and_run_or_refused() {
    on_a_stack_of(1 << 20, || {
        for shape in share(shapes()) {
            let [one, two] = [120, 240].map(|n| {
                through(shape, n, |shape, module, visit| {
                    stages::write("0", module, visit);
                    stages::reread(module, visit);
                    stages::run("0", shape.language, module, visit);
                })
            });
            // Shading languages ask behind each construct that a jump leaves, as deep as they go.
            let jumps_far = ["br_table", "loops that go on with any around"].contains(&shape.name);
            for (stage, count) in two.into_iter().filter(|_| !jumps_far) {
                let Some((_, before)) = one.iter().find(|(name, _)| *name == stage) else { continue };
                assert!(count <= 5 * before / 2 + 2_000, "{shape:?} {stage}: {before} and {count}");
            }
        }
    });
}

#[test]
fn deep_programs_are_flattened_or_refused() {
    on_a_stack_of(1 << 20, || {
        for shape in share(shapes()) {
            through(shape, 150, |_, module, visit| stages::flatten(module, 50_000, visit));
        }
    });
}
