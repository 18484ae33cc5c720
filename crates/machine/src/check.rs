//! Independent checker of linear code: every value must be in the register from which it is read.
//!
//! The code is executed symbolically. The state maps each register to the set of values that it holds; a value is
//! identified by the node that defines it, and along an edge the inputs of the label become names of the edge's
//! arguments. The meet of two states is the intersection of the sets, by register; loops are iterated to a fixpoint. At
//! each directive:
//!
//! - an operand's register must hold the value that the node reads, and a constant must be equal;
//! - a jump must be taken under the node's condition, along the node's edge, and reach the edge's label;
//! - arguments and results must be in their registers, and so must the prelude of the frame.
//!
//! Of the decisions of liveness and allocation, only the positions of slots are used.

mod neutral;
mod state;
mod walk;

use std::fmt;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::source::Span;

use crate::compile::Compiler;
use crate::isa::Isa;
use neutral::Neutral;

/// A value that is not in the register from which it is read, or a jump to a wrong target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The function's name.
    pub function: String,
    /// Location of the operation in the source.
    pub span: Span,
    /// Description.
    pub message: String,
}

/// Error of a check.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The machine does not support the program, so there is no code to check: E0604.
    Refused(Box<Diagnostic>),
    /// The code is wrong: a bug of the compiler.
    Wrong(Vec<Problem>),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.function, self.message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(diagnostic) => write!(f, "{}", diagnostic.message),
            Failure::Wrong(problems) => problems.iter().try_for_each(|problem| writeln!(f, "{problem}")),
        }
    }
}

/// Compiles a function for an instruction set, and checks the code.
///
/// # Errors
/// The problems found, or the compile error.
pub fn check<I: Isa>(isa: &I, module: &Module, func: Func) -> Result<(), Failure> {
    let neutral = Neutral(isa);
    let mut compiler = Compiler::new(&neutral, module);
    let function = &module.funcs[func];
    let Some(body) = &function.body else { return Ok(()) };
    let (asm, origins) = compiler.stages(func, body, true).map_err(Failure::Refused)?;
    let origins = origins.unwrap_or_default();
    let checker = walk::Checker::new(&compiler.lower.room.code, &compiler.allocation, &asm, &origins, I::WORD_BITS);
    let found = checker.run(I::PRELUDE_WORDS);
    if found.is_empty() {
        return Ok(());
    }
    let name = function.name.text.to_string();
    let problem = |(span, message)| Problem { function: name.clone(), span, message };
    Err(Failure::Wrong(found.into_iter().map(problem).collect()))
}

/// Like [`check`], for every function with a body; returns their number.
///
/// # Errors
/// See [`check`].
pub fn check_module<I: Isa>(isa: &I, module: &Module) -> Result<usize, Failure> {
    let (mut checked, mut problems) = (0, vec![]);
    for func in module.funcs.iter().filter(|(_, function)| function.body.is_some()).map(|(func, _)| func) {
        checked += 1;
        match check(isa, module, func) {
            Ok(()) => {}
            Err(Failure::Wrong(found)) => problems.extend(found),
            Err(refused) => return Err(refused),
        }
    }
    if problems.is_empty() { Ok(checked) } else { Err(Failure::Wrong(problems)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Machine as _, Reg};
    use crate::reference::{Directive, Reference};
    use neutral::Event;

    const PROGRAM: &str = "module ir
fn @f(%0: i32, %1: i32) -> (i32, i32) {
b0:
  loop %0, %1, 0 {
  cond b1(%2: i32, %3: i32, %4: i32):
    %5 = less_than %4, 10
    loop_if %5
  body b2:
    %6, %7 = call @f, %3, %2
    %8 = add %6, %2
    %9 = multiply %7, %4
    %10 = add %4, 1
    continue b0, %9, %8, %10
  }
b3:
  return %3, %2
}
";

    /// Findings in the program's code after `change`, which returns whether it changed the event.
    fn after(change: impl Fn(usize, &mut Event) -> bool) -> Vec<(usize, Vec<walk::Found>)> {
        let module = planish_ir::text::parse_str(PROGRAM).expect("it is well-formed");
        let (func, function) = module.funcs.iter().next().expect("a function");
        let isa = Neutral(&Reference);
        let mut compiler = Compiler::new(&isa, &module);
        let body = function.body.as_ref().expect("a body");
        let (asm, origins) = compiler.stages(func, body, true).expect("it compiles");
        let origins = origins.expect("asked for");
        let mut found = vec![];
        for i in 0..asm.directives.len() {
            let mut asm = asm.clone();
            if change(i, &mut asm.directives[i]) {
                let checker = walk::Checker::new(
                    &compiler.lower.room.code,
                    &compiler.allocation,
                    &asm,
                    &origins,
                    Reference::WORD_BITS,
                );
                found.push((i, checker.run(0)));
            }
        }
        found
    }

    #[test]
    fn right_code_is_right() {
        assert!(after(|_, _| true).iter().all(|(_, problems)| problems.is_empty()));
    }

    /// Every directive that moves a value is relevant.
    #[test]
    fn what_goes_to_a_wrong_register_is_found() {
        let found = after(|_, event| match event {
            Event::Plain(Directive::Copy { out, .. } | Directive::Constant { out, .. }) => {
                *out = Reg(out.0 + 40);
                true
            }
            Event::Plain(Directive::Op { outs, .. }) => {
                outs[0] = Reg(outs[0].0 + 40);
                true
            }
            _ => false,
        });
        assert!(found.len() > 5, "{found:?}");
        for (i, problems) in found {
            assert!(!problems.is_empty(), "directive {i} writes elsewhere, and nobody sees it");
        }
    }

    #[test]
    fn wrong_jumps_are_found() {
        let found = after(|_, event| match event {
            Event::Plain(Directive::JumpCompare { comparison, .. }) => {
                *comparison = comparison.inverse();
                true
            }
            Event::Plain(Directive::Jump(to)) => {
                to.0 = 1 - to.0;
                true
            }
            Event::Plain(Directive::Call { frame, .. }) => {
                frame.base.0 -= 1;
                true
            }
            _ => false,
        });
        assert!(found.len() >= 3, "{found:?}");
        for (i, problems) in found {
            assert!(!problems.is_empty(), "directive {i} is wrong, and nobody sees it");
        }
    }
}
