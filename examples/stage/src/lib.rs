//! Examples of staging: each makes a program from what it knows now, and compares it with plain Rust.

#![forbid(unsafe_code)]

use std::hint::black_box;
use std::time::{Duration, Instant};

pub mod csv;
pub mod everywhere;
pub mod fft;
pub mod gda;
pub mod gradient;
pub mod interpreter;
pub mod json;
pub mod kmeans;
pub mod power;
pub mod query;
pub mod regex;
pub mod sessions;
pub mod sparse;
pub mod stencil;
pub mod trade;

/// The guide, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/staging.md")]
struct Guide;

/// Anything that can go wrong.
pub type Error = Box<dyn std::error::Error>;

/// A program that was made.
pub struct Shown {
    /// As text.
    pub code: String,
    /// A comparison.
    pub figure: String,
}

/// An example. It fails if its program does something else than plain Rust.
pub type Example = fn() -> Result<Shown, Error>;

/// All examples.
pub const EXAMPLES: [(&str, Example); 15] = [
    ("power", power::example),
    ("fft", fft::example),
    ("regex", regex::example),
    ("interpreter", interpreter::example),
    ("sparse", sparse::example),
    ("stencil", stencil::example),
    ("kmeans", kmeans::example),
    ("gda", gda::example),
    ("gradient", gradient::example),
    ("csv", csv::example),
    ("json", json::example),
    ("trade", trade::example),
    ("sessions", sessions::example),
    ("everywhere", everywhere::example),
    ("query", query::example),
];

/// Time of a call, of the best of some rounds.
fn time<R>(mut work: impl FnMut() -> R) -> Duration {
    let rounds = if cfg!(debug_assertions) { 1 } else { 20 };
    let round = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..rounds).map(round).min().unwrap_or_default()
}

/// The program and the time of both ways to do the same.
fn shown<A, B>(module: &planish::ir::module::Module, staged: impl FnMut() -> A, plain: impl FnMut() -> B) -> Shown {
    let (staged, plain) = (time(staged), time(plain));
    let ratio = staged.as_secs_f64() / plain.as_secs_f64();
    let figure = format!("{staged:.1?}; plain Rust {plain:.1?}; ratio {ratio:.2}");
    Shown { code: planish::ir::text::print(module), figure }
}

impl Shown {
    /// Says how long it takes to make the program, from the closure to machine code.
    fn made_in<T>(mut self, module: &planish::ir::module::Module, make: impl FnMut() -> T) -> Shown {
        let blocks =
            module.funcs.values().filter_map(|function| function.body.as_ref()).flat_map(|body| body.blocks.values());
        let nodes: usize = blocks.map(|block| block.nodes.len()).sum();
        self.figure += &format!("; {nodes} nodes made in {:.1?}", time(make));
        self
    }
}
