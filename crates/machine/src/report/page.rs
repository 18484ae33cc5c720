//! A page that draws register allocation: a column for each register, a line for each directive, a bar for each live
//! range, arrows for copies.

use std::fmt::Write;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::source::Span;

use super::{Life, Report};
use crate::isa::Kind;
use crate::reference::{Directive, text};

const ROW: usize = 18;
const COLUMN: usize = 16;
const HEAD: usize = 22;

const STYLE: &str = "
body { font: 14px/1.4 system-ui, sans-serif; margin: 2rem; color: #1c2430; background: #fff; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin: 2rem 0 0.2rem; } small { color: #93a0b8; font-weight: normal; }
p { margin: 0 0 0.6rem; color: #52607a; }
.function { display: flex; align-items: flex-start; overflow-x: auto; border: 1px solid #d8dee9; border-radius: 6px; }
ol { list-style: none; margin: 0; padding: 22px 12px 6px; font: 12px/18px ui-monospace, monospace; white-space: pre; flex: none; }
li.copy { background: #fff1d6; } li.call { background: #e2f1ff; } li.label { color: #7a3db8; }
li span { color: #93a0b8; } svg { flex: none; display: block; }
text { font: 10px ui-monospace, monospace; fill: #52607a; text-anchor: middle; }
.grid { stroke: #e3e8f0; } .row { stroke: #f1f4f8; } .arrow { stroke: #c25700; stroke-width: 1.6; fill: none; }
.head { fill: #c25700; } rect.input { stroke: #1c2430; stroke-width: 1; }
.key i { display: inline-block; width: 0.9em; height: 0.9em; border-radius: 3px; margin: 0 0.3em 0 1em; vertical-align: -1px; }
@media (prefers-color-scheme: dark) {
  body { color: #dfe6f3; background: #141922; } p, text { color: #93a0b8; fill: #93a0b8; }
  .function { border-color: #2c3547; } li.copy { background: #4a3511; } li.call { background: #16324d; }
  li.label { color: #c9a2ef; } .grid { stroke: #222a38; } .row { stroke: #1b2230; } rect.input { stroke: #dfe6f3; }
}
";

/// A self-contained page of HTML with the live ranges of functions' values by register.
///
/// # Errors
/// E0604 if one of them cannot be compiled.
pub fn page(
    module: &Module,
    funcs: &[Func],
    title: &str,
    place: &dyn Fn(Span) -> String,
) -> Result<String, Box<Diagnostic>> {
    let title = escape(title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n"
    );
    out.push_str("<p class=\"key\">Each column is a register, each bar a value.");
    for kind in [Kind::I32, Kind::I64, Kind::F32, Kind::F64, Kind::V128, Kind::Bool, Kind::Func, Kind::None] {
        let name = if kind == Kind::None { "variable" } else { kind.name() };
        let _ = write!(out, "<i style=\"background:{}\"></i>{name}", colour(kind));
    }
    out.push_str(
        " <br>Framed: parameters, inputs of labels and loops. <span style=\"color:#c25700\">Arrows</span>: copies.</p>\n",
    );
    for &func in funcs {
        function(&mut out, &Report::new(module, func)?, place);
    }
    out.push_str("</html>\n");
    Ok(out)
}

fn colour(kind: Kind) -> &'static str {
    match kind {
        Kind::I32 | Kind::U32 => "#5b9bd5",
        Kind::I64 | Kind::U64 => "#2f6db3",
        Kind::F32 => "#70ad5c",
        Kind::F64 => "#3f8a4a",
        Kind::V128 => "#8e63c7",
        Kind::Bool => "#e0b23c",
        Kind::Func | Kind::Extern => "#d0647e",
        _ => "#98a4b8",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn function(out: &mut String, report: &Report, place: &dyn Fn(Span) -> String) {
    let asm = &report.asm;
    let (copies, calls, directives) = (report.copies(), report.calls(), asm.directives.len());
    let _ = write!(
        out,
        "<h2>{} <small>{}</small></h2>\n<p>{} words of frame, {directives} directives, {copies} copies, {calls} calls</p>\n<div class=\"function\"><ol>",
        escape(&report.name),
        asm.func,
        asm.frame
    );
    let mut before = Span::NONE;
    for (at, directive) in asm.directives.iter().enumerate() {
        let span = asm.spans.at(at);
        let class = match directive {
            Directive::Copy { .. } => " class=\"copy\"",
            Directive::Call { .. } | Directive::TailCall { .. } => " class=\"call\"",
            Directive::Label(_) => " class=\"label\"",
            _ => "",
        };
        let (indent, width) = if matches!(directive, Directive::Label(_)) { ("", 46) } else { ("  ", 44) };
        let at = if span == before || span.is_none() { String::new() } else { place(span) };
        before = span;
        // Padded before escaping, which changes the length but not the visible width.
        let line = escape(&format!("{:<width$}", text::line(directive)));
        let _ = write!(out, "<li{class}>{indent}{line} <span>{}</span></li>", escape(&at));
    }
    out.push_str("</ol>");
    drawing(out, report);
    out.push_str("</div>\n");
}

fn drawing(out: &mut String, report: &Report) {
    let (registers, lines) = (report.asm.frame as usize, report.asm.directives.len());
    let (width, height) = (registers * COLUMN + 12, HEAD + lines * ROW + 6);
    let _ = write!(out, "<svg width=\"{width}\" height=\"{height}\" role=\"img\">");
    for r in 0..registers {
        let x = r * COLUMN + COLUMN / 2 + 4;
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{HEAD}\" y2=\"{height}\"/><text x=\"{x}\" y=\"14\">{r}</text>"
        );
    }
    for line in 1..lines {
        let y = HEAD + line * ROW;
        let _ = write!(out, "<line class=\"row\" x1=\"0\" x2=\"{width}\" y1=\"{y}\" y2=\"{y}\"/>");
    }
    for life in &report.lives {
        bar(out, life);
    }
    for (line, directive) in report.asm.directives.iter().enumerate() {
        if let Directive::Copy { out: to, from } = directive {
            let x = |r: u32| r as usize * COLUMN + COLUMN / 2 + 4;
            let (a, b, y) = (x(from.0), x(to.0), HEAD + line * ROW + ROW / 2);
            let (top, bottom, back) = (y - 4, y + 4, if b < a { b + 6 } else { b.saturating_sub(6) });
            let _ = write!(
                out,
                "<line class=\"arrow\" x1=\"{a}\" x2=\"{back}\" y1=\"{y}\" y2=\"{y}\"/><path class=\"head\" d=\"M{b} {y}L{back} {top}V{bottom}Z\"><title>{to} = {from}</title></path>"
            );
        }
    }
    out.push_str("</svg>");
}

fn bar(out: &mut String, life: &Life) {
    let &Life { reg, words, kind, value, first, last, is_input } = life;
    let (x, y) = (reg.0 as usize * COLUMN + 6, HEAD + first * ROW + 3);
    let (width, height) = (words as usize * COLUMN - 4, (last + 1 - first) * ROW - 6);
    let class = if is_input { " class=\"input\"" } else { "" };
    let name = if kind == Kind::None { "variable" } else { kind.name() };
    let _ = write!(
        out,
        "<rect{class} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\" fill=\"{}\" fill-opacity=\"0.75\"><title>v{value}: {name} in {reg}</title></rect>",
        colour(kind)
    );
}
