//! Reports of compiled functions: a listing, and a page that draws register allocation.
//!
//! Both show the code of the [`reference`](crate::reference) machine. Source locations are formatted by the caller,
//! which has the files.

mod page;

use std::fmt::Write;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::source::Span;

use crate::asm::FunctionAsm;
use crate::code::NONE;
use crate::compile::Compiler;
use crate::isa::{Kind, Reg};
use crate::reference::{Directive, Reference, text};

pub use page::page;

/// Live range of a value in its registers, in lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Life {
    reg: Reg,
    words: u32,
    kind: Kind,
    value: u32,
    first: usize,
    last: usize,
    /// Whether it is an input of a label or loop, or a parameter.
    is_input: bool,
}

/// A function's code and live ranges.
struct Report {
    name: String,
    asm: FunctionAsm<Directive>,
    lives: Vec<Life>,
}

impl Report {
    fn new(module: &Module, func: Func) -> Result<Report, Box<Diagnostic>> {
        let mut compiler = Compiler::new(&Reference, module);
        let function = &module.funcs[func];
        let Some(body) = &function.body else {
            // Returns the error.
            return compiler.compile(func).map(|asm| Report { name: String::new(), asm, lives: vec![] });
        };
        let (asm, origins) = compiler.stages(func, body, true)?;
        let lives = lives(&compiler, &origins.unwrap_or_default());
        Ok(Report { name: function.name.text.to_string(), asm, lives })
    }

    fn copies(&self) -> usize {
        self.asm.directives.iter().filter(|d| matches!(d, Directive::Copy { .. })).count()
    }

    fn calls(&self) -> usize {
        self.asm.directives.iter().filter(|d| matches!(d, Directive::Call { .. } | Directive::TailCall { .. })).count()
    }
}

/// Live intervals of the allocation, in lines of the code.
fn lives(compiler: &Compiler<'_, Reference>, origins: &[(u32, u32)]) -> Vec<Life> {
    let (code, live, allocation) = (&compiler.lower.room.code, &compiler.live, &compiler.allocation);
    // The first line at or after each node.
    let mut lines = vec![origins.len(); code.nodes.len() + 2];
    for (line, &(node, _)) in origins.iter().enumerate().rev() {
        lines[node as usize] = line;
    }
    for node in (0..code.nodes.len()).rev() {
        lines[node] = lines[node].min(lines[node + 1]);
    }
    let mut lives = vec![];
    for (v, data) in code.values.iter().enumerate() {
        let reg = allocation.regs[v];
        if reg == NONE || live.uses[v] == 0 && data.kind != Kind::None {
            continue;
        }
        let first = lines[data.node as usize];
        // The last node reads the value in its lines, up to those of the next one.
        let last = lines[(live.ends[v] as usize + 1).min(lines.len() - 1)].saturating_sub(1).max(first);
        let is_input = !matches!(code.nodes[data.node as usize].what, crate::code::What::Operation);
        lives.push(Life { reg: Reg(reg), words: data.words, kind: data.kind, value: v as u32, first, last, is_input });
    }
    lives
}

/// A listing of a function: a line for each directive with its source location, and the layout of its frame.
///
/// # Errors
/// E0604 if the function cannot be compiled.
pub fn listing(module: &Module, func: Func, place: &dyn Fn(Span) -> String) -> Result<String, Box<Diagnostic>> {
    let report = Report::new(module, func)?;
    let FunctionAsm { args, results, frame, ref directives, ref spans, .. } = report.asm;
    let mut out = String::new();
    let _ = writeln!(out, "; {} {:?}", report.asm.func, report.name);
    let (copies, calls) = (report.copies(), report.calls());
    let _ = writeln!(
        out,
        "; {args} words of arguments, {results} of results, {frame} of frame; {} directives, {copies} copies, {calls} calls",
        directives.len()
    );
    let mut before = Span::NONE;
    for (at, directive) in directives.iter().enumerate() {
        let span = spans.at(at);
        let line = text::line(directive);
        let indent = if matches!(directive, Directive::Label(_)) { "" } else { "    " };
        let mut comment = String::new();
        if span != before && !span.is_none() {
            comment = place(span);
            before = span;
        }
        if let Some(value) = constant_comment(directive) {
            let gap = if comment.is_empty() { "" } else { "  " };
            comment = format!("{comment}{gap}{value}");
        }
        if comment.is_empty() {
            let _ = writeln!(out, "{indent}{line}");
        } else {
            let width = 48usize.saturating_sub(indent.len());
            let _ = writeln!(out, "{indent}{line:width$}; {comment}");
        }
    }
    Ok(out)
}

/// A comment with the value of a float constant.
fn constant_comment(directive: &Directive) -> Option<String> {
    let Directive::Op { operand, args, .. } = directive else { return None };
    let floats: Vec<String> = args
        .iter()
        .filter_map(|arg| match (arg, operand) {
            (crate::reference::Arg::Const(bits), Kind::F32) => Some(format!("{:?}", f32::from_bits(*bits as u32))),
            (crate::reference::Arg::Const(bits), Kind::F64) => Some(format!("{:?}", f64::from_bits(*bits))),
            _ => None,
        })
        .collect();
    (!floats.is_empty()).then(|| floats.join(", "))
}
