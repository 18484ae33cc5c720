//! Random programs: the hunt for a seed that fails, and how its programs are compiled and drawn.

use std::ops::Range;

use planish::module::Module;
use planish_generate::{Choices, Program, reduce};
use planish_testkit::seeds;

use crate::common::{self, Picture};

/// Compiles a random shader; its errors as text.
pub(crate) fn compile(source: &str) -> Result<Module, String> {
    common::compile("random.frag", source)
}

/// Draws a few pixels.
pub(crate) fn picture(module: &Module) -> Result<Picture, String> {
    common::picture(module, [4, 4])
}

/// Why a program fails `survives`; `None` if it does not. A panic is a fault like others, so that it is shrunk as well.
fn fault(program: &Program, survives: fn(&Program) -> Option<String>) -> Option<String> {
    std::panic::catch_unwind(|| survives(program)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Some(format!("panics: {}", text.or_else(|| panic.downcast_ref().copied()).unwrap_or("for no reason given")))
    })
}

/// Asks of the random programs of all seeds whether they survive, and shows one that does not, shrunk.
pub(crate) fn for_each_seed(
    usual: Range<u64>,
    once: &[u64],
    generate: fn(&mut Choices<'_>) -> Program,
    survives: fn(&Program) -> Option<String>,
) {
    let seeds = seeds(usual);
    let threads = 2;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let mine = seeds.clone().chain(once.iter().copied()).filter(move |s| s % threads == thread);
            scope.spawn(move || {
                for seed in mine {
                    let program = generate(&mut Choices::from_seed(seed));
                    let Some(why) = fault(&program, survives) else { continue };
                    // Shrink to a program with a fault of the same kind, and with the same code if it has one.
                    let kind = |why: &str| {
                        let code = why.split_once("error[").map(|(_, rest)| rest.chars().take(5).collect::<String>());
                        (why.split(':').next().unwrap_or_default().to_owned(), code)
                    };
                    let is_same = |p: &Program| fault(p, survives).is_some_and(|w| kind(&w) == kind(&why));
                    let small = reduce(&program, 2000, &mut { is_same });
                    let why = fault(&small, survives).unwrap_or(why);
                    panic!("seed {seed}: {why}\n--- program\n{small}");
                }
            });
        }
    });
}
