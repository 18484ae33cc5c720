//! Text format of the reference machine's code.
//!
//! ```text
//! fn f0 "sum" args 1 results 1 frame 3 {
//!   r1 = 0                                  ; 40..47
//!   r2 = 0
//! L0:
//!   jump i32.greater_than_equal r1, r0, L1
//!   r2 = i32.add r2, r1
//!   r1 = i32.add r1, 1
//!   jump L0
//! L1:
//!   r0 = r2
//!   return
//! }
//! ```
//!
//! An operation is `kind.op.result`: the kind of its operands, the op, and the kind of its result if different.
//! Parentheses enclose a nested operation. The source span follows `;`, in bytes. Constants are the bits of a register.
//! [`parse`](super::parse::parse) reads it back.

use std::fmt::Write;

use planish_ir::ops::{Imm, ImmKind, Op};

use super::directive::{Arg, Directive, Target};
use crate::asm::FunctionAsm;
use crate::isa::{Comparison, Frame, Kind, Reg};

/// The text of a function; `name` is for the reader only.
pub fn print(asm: &FunctionAsm<Directive>, name: &str) -> String {
    let mut out = String::new();
    let (args, results, frame) = (asm.args, asm.results, asm.frame);
    let _ = writeln!(out, "fn {} {name:?} args {args} results {results} frame {frame} {{", asm.func);
    for (at, directive) in asm.directives.iter().enumerate() {
        let span = asm.spans.at(at);
        let line = line(directive);
        if let Directive::Label(_) = directive {
            let _ = write!(out, "{line}");
        } else {
            let _ = write!(out, "  {line}");
        }
        if !span.is_none() {
            let _ =
                write!(out, "{:width$} ; {}..{}", "", span.start, span.end, width = 40usize.saturating_sub(line.len()));
        }
        out.push('\n');
    }
    out.push_str("}\n");
    out
}

/// The line of a directive, without its span.
pub fn line(directive: &Directive) -> String {
    let mut out = String::new();
    let _ = match directive {
        Directive::Label(label) => write!(out, "{label}:"),
        Directive::Jump(to) => write!(out, "jump {to}"),
        Directive::JumpIf { condition, nonzero, to } => {
            write!(out, "{} {}, {to}", if *nonzero { "jump_if" } else { "jump_unless" }, arg(condition))
        }
        Directive::JumpCompare { comparison, args: [a, b], to } => {
            let Comparison { op, kind, negated } = comparison;
            let jump = if *negated { "jump_not" } else { "jump" };
            write!(out, "{jump} {}.{} {}, {}, {to}", kind.name(), op.text(), arg(a), arg(b))
        }
        Directive::JumpTable { index, to } => {
            let to: Vec<String> = to.iter().map(ToString::to_string).collect();
            write!(out, "table {index}, [{}]", to.join(", "))
        }
        Directive::Trap(kind) => write!(out, "trap {}", kind.name()),
        Directive::Copy { out: to, from } => write!(out, "{to} = {from}"),
        Directive::Constant { out: to, bits } => write!(out, "{to} = {}", constant(*bits)),
        Directive::Op { op, imm, operand, result, outs, args } => {
            let results = if outs.is_empty() { String::new() } else { format!("{} = ", registers(outs)) };
            let result = if outs.is_empty() { Kind::None } else { *result };
            write!(out, "{results}{}", operation(*op, *imm, (*operand, result), args))
        }
        Directive::IndexedLoad { out: to, base, index, words } => {
            write!(out, "{to} = frame[{base} + {}] words {words}", arg(index))
        }
        Directive::IndexedStore { base, index, value, words } => {
            write!(out, "frame[{base} + {}] = {} words {words}", arg(index), arg(value))
        }
        Directive::Call { target, frame } => write!(out, "call {}", call(target, *frame)),
        Directive::TailCall { target, frame } => write!(out, "tail_call {}", call(target, *frame)),
        Directive::Return => write!(out, "return"),
    };
    out
}

fn registers(regs: &[Reg]) -> String {
    regs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Small numbers in decimal, others in hexadecimal.
fn constant(bits: u64) -> String {
    if bits < 0x10000 { format!("{bits}") } else { format!("{bits:#x}") }
}

fn arg(arg: &Arg) -> String {
    match arg {
        Arg::Reg(r) => r.to_string(),
        Arg::Const(bits) => constant(*bits),
        Arg::Wide(bits) => format!("wide_{bits:032x}"),
        Arg::Nested(inner) => {
            format!("({})", operation(inner.op, inner.imm, (inner.operand, inner.result), &inner.args))
        }
    }
}

fn operation(op: Op, imm: Imm, (operand, result): (Kind, Kind), args: &[Arg]) -> String {
    let mut out = String::new();
    if operand != Kind::None {
        let _ = write!(out, "{}.", operand.name());
    }
    out.push_str(op.text());
    if result != Kind::None && result != operand {
        let _ = write!(out, ".{}", result.name());
    }
    out.push_str(&immediate(op, imm));
    let args: Vec<String> = args.iter().map(arg).collect();
    if !args.is_empty() {
        let _ = write!(out, " {}", args.join(", "));
    }
    out
}

/// The immediate in brackets; empty if it is 0 and the op has none.
fn immediate(op: Op, imm: Imm) -> String {
    match op.info().imm {
        ImmKind::MemArg => {
            let arg = imm.as_mem_arg();
            let sign = if arg.signed { 's' } else { 'u' };
            let bounds = if arg.in_bounds { " in_bounds" } else { "" };
            format!("[{} {sign}{} offset {}{bounds}]", arg.memory, arg.width.bytes() * 8, arg.offset)
        }
        ImmKind::Shape => format!("[{}]", imm.as_shape().name()),
        ImmKind::Lane => format!("[{} {}]", imm.as_shape().name(), imm.as_lane()),
        ImmKind::None | ImmKind::Conversion | ImmKind::Guard | ImmKind::Order if imm == Imm::NONE => String::new(),
        _ => {
            let (low, high) = imm.as_pair();
            format!("[{low}, {high}]")
        }
    }
}

fn call(target: &Target, frame: Frame) -> String {
    let who = match target {
        Target::Func(func) => func.to_string(),
        Target::Import(func) => format!("import {func}"),
        Target::Value(value) => format!("value {}", arg(value)),
        Target::Table { table, ty, index } => format!("{table} {ty} {}", arg(index)),
    };
    format!("{who} at {} args {} results {}", frame.base, frame.args, frame.results)
}
