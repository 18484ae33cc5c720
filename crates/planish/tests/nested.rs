//! Every construct of every language inside itself, through every stage on a small stack: there is a result, or a diagnostic with a
//! code and a place; no overflow, no panic.

#[path = "nested/stages.rs"]
mod stages;

use planish::diagnostic::Code;
use planish::source::SourceMap;
use planish_generate::nested::{Shape, shapes};
use stages::Outcome;

/// Bytes of the stack that everything must do with.
const STACK: usize = 1 << 20;

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread").join().expect("no panic");
}

/// All stages of a program.
fn all(shape: &Shape, n: usize) {
    let mut map = SourceMap::new();
    let mut refused = Vec::new();
    let trace = std::env::var_os("TRACE").is_some();
    let mut visit = |stage: &str, run: &mut dyn FnMut() -> Outcome| {
        if trace {
            eprint!("{:?} {} {n} {stage}", shape.language, shape.name);
        }
        let start = std::time::Instant::now();
        let outcome = run();
        if trace {
            let text = match &outcome {
                Outcome::Done(n) => format!("{n}"),
                Outcome::Refused(e) => format!("{} {}", e[0].code, e[0].message),
            };
            eprintln!(" {:.3} {text}", start.elapsed().as_secs_f64());
        }
        if let Outcome::Refused(errors) = outcome {
            refused.extend(errors.into_iter().map(|e| (stage.to_owned(), e)));
        }
    };
    if let Some(module) = stages::read(shape, n, &mut map, &mut visit) {
        stages::write("0", &module, &mut visit);
        stages::reread(&module, &mut visit);
        stages::flatten(&module, &mut visit);
        stages::run("0", shape.language, &module, &mut visit);
        if std::env::var_os("O2").is_some() {
            let optimized = stages::optimize("2", &module, &mut visit);
            stages::write("2", &optimized, &mut visit);
            stages::run("2", shape.language, &optimized, &mut visit);
        }
    }
    for (stage, error) in refused {
        assert!(error.code != Code::E0699, "{shape:?} {stage}: {error:?}");
        assert!(map.line_column(error.span.start).is_some(), "{shape:?} {stage}: no place: {error:?}");
    }
}

#[test]
fn deep_programs_have_a_result_or_a_diagnostic() {
    on_a_small_stack(|| {
        let n = std::env::var("N").map_or(600, |n| n.parse().unwrap());
        let only = std::env::var("ONLY").unwrap_or_default();
        for shape in shapes().filter(|s| format!("{:?} {}$", s.language, s.name).starts_with(&only)) {
            all(shape, n);
        }
    });
}

/// As deep as front ends must take it, or refuse it: with the front end, the verifier, and what writes the IR again.
#[test]
fn deeper_programs_are_read_or_refused() {
    on_a_small_stack(|| {
        for shape in shapes() {
            let mut map = SourceMap::new();
            let mut visit = |stage: &str, run: &mut dyn FnMut() -> Outcome| {
                if let Outcome::Refused(errors) = run() {
                    assert!(errors.len() <= 1_100, "{shape:?} {stage}");
                }
            };
            stages::read(shape, 10_000, &mut map, &mut visit);
        }
    });
}
