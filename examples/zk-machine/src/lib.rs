//! An instruction set of one's own: a machine in the style of proof systems, and an interpreter for it.
//!
//! All registers are words of 32 bits in a frame. There is one conditional jump (if a word is not zero), no computed
//! jump, and no compare-and-jump; the return address and the caller's frame pointer are in the callee's frame. 64-bit
//! integers are two words, and every operation on them is expanded to steps on one word. There are no floats.
//!
//! [`Zk`] describes the machine to `planish-machine`; [`legalize()`] rewrites operations that the machine lacks (rotations,
//! counts of one bits, minima, total division, …) to those that it has; [`Program`] links functions and runs them. Read
//! `isa.rs` first.

#![forbid(unsafe_code)]

mod interpreter;
mod isa;
mod step;
mod wide;

pub use interpreter::{Program, Stop};
pub use isa::Zk;
pub use step::{Alu, Callee, Step, Word};

use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_machine::isa::support;
use planish_opt::{Context, legalize};
use planish_target::legal::{Operation, TargetInfo};

/// Rewrites the operations that the machine lacks to those that it has.
///
/// # Errors
/// Operations that it cannot express, such as those on floats (E0604), each with its place. The functions without any
/// can be run nevertheless.
pub fn legalize(module: &mut Module) -> Result<(), Vec<Diagnostic>> {
    let support = |operation: &Operation| support(&Zk, operation);
    let target = TargetInfo { name: "the zk machine", support: &support, is_shading_language: false };
    legalize::run(module, &target, &mut Context::default()).map(drop)
}
