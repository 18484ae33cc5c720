//! An independent check of linear code: that every value is where it is read.
//!
//! The code is executed symbolically. What is known is, for each register, which values it holds; a value is known by the
//! node of the list that makes it, and along an edge the inputs of the label become names of what the edge brings. Where
//! ways meet, only what all of them know remains; loops are gone through until nothing changes. At each directive:
//!
//! - an operand's register must hold the value that the node reads, and a constant must be the one it reads;
//! - a jump must be taken under the node's condition, along the node's edge, and arrive at the edge's label;
//! - arguments and results must be in their places, and so must the prelude of the frame.
//!
//! Nothing of what liveness and allocation decided is used, but where slots begin.

mod neutral;
mod state;
mod walk;

use planish_ir::entity::Func;
use planish_ir::module::Module;

use crate::compile::Compiler;
use crate::isa::Isa;
use neutral::Neutral;

/// Compiles a function for an instruction set, and checks the code. What is wrong with it, a line each.
///
/// # Errors
/// The problems found, or why the function cannot be compiled.
pub fn check<I: Isa>(isa: &I, module: &Module, func: Func) -> Result<(), Vec<String>> {
    let neutral = Neutral(isa);
    let mut compiler = Compiler::new(&neutral, module);
    let Some(body) = &module.funcs[func].body else { return Ok(()) };
    let (asm, origins) = compiler.stages(func, body, true).map_err(|d| vec![d.message])?;
    let origins = origins.unwrap_or_default();
    let checker = walk::Checker::new(&compiler.lower.code, &compiler.allocation, &asm, &origins, I::WORD_BITS);
    let problems = checker.run(I::PRELUDE_WORDS);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// As [`check`], of every function with a body.
///
/// # Errors
/// As [`check`], with the function's name in front.
pub fn check_module<I: Isa>(isa: &I, module: &Module) -> Result<(), Vec<String>> {
    let mut problems = vec![];
    for (func, function) in module.funcs.iter() {
        if let Err(found) = check(isa, module, func) {
            problems.extend(found.into_iter().map(|problem| format!("{}: {problem}", function.name.text)));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Reg;
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

    /// What the checker says of the program's code after `change`, which says whether it did anything.
    fn after(change: impl Fn(usize, &mut Event) -> bool) -> Vec<(usize, Vec<String>)> {
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
                    &compiler.lower.code,
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

    /// Every directive that moves a value matters.
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
