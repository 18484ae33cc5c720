//! The output tree as text. Expressions recurse, within the depth that lowering keeps; statements do not.
//! whole: one precedence table and the printer that follows it.

use std::fmt::Write;

use planish_back_text::Written;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, List, Stmt, SwitchCase};
use planish_ir::constant::ConstValue;
use planish_ir::entity::{Const, Func};
use planish_ir::ops::Lanes;
use planish_ir::types::{Scalar, TypeKind};

use crate::declare::Defaults;
use crate::number::{float32, float64};
use crate::writer::Writer;

const POSTFIX: u8 = 17;
const PREFIX: u8 = 15;
const TERNARY: u8 = 3;
const ASSIGN: u8 = 2;

/// A constant as an expression that needs no parentheses in any operand place but that of a postfix operator.
pub(crate) fn constant(w: &Writer<'_>, c: Const) -> String {
    let mut text = String::new();
    push_constant(w, c, &mut text);
    text
}

/// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
fn push_constant(w: &Writer<'_>, c: Const, out: &mut String) {
    let data = &w.module.consts[c];
    match &data.value {
        ConstValue::Bits(bits) => push_scalar(w, c, *bits, out),
        ConstValue::Null | ConstValue::Wide(_) => out.push('0'),
        ConstValue::Composite(parts) => {
            out.push_str(&w.type_name(data.ty));
            out.push('(');
            match w.module.types[data.ty] {
                TypeKind::Vector(..) if parts.iter().all(|p| *p == parts[0]) => push_part(w, parts[0], out),
                TypeKind::Matrix { .. } => match diagonal(w, parts) {
                    Some(d) => push_part(w, d, out),
                    None => {
                        let all: Vec<Const> =
                            parts.iter().flat_map(|&p| w.module.consts.as_parts(p).unwrap_or(&[]).to_vec()).collect();
                        push_list(w, &all, true, out);
                    }
                },
                TypeKind::Vector(..) => push_list(w, parts, true, out),
                _ => push_list(w, parts, false, out),
            }
            out.push(')');
        }
    }
}

/// The parts of a constructor; `converts` if it takes integers for floats.
fn push_list(w: &Writer<'_>, parts: &[Const], converts: bool, out: &mut String) {
    for (i, &part) in parts.iter().enumerate() {
        if i > 0 {
            out.push_str(if w.minify { "," } else { ", " });
        }
        if converts {
            push_part(w, part, out);
        } else {
            push_constant(w, part, out);
        }
    }
}

/// A component; a constructor of floats takes integers, which are shorter.
fn push_part(w: &Writer<'_>, part: Const, out: &mut String) {
    if w.minify
        && let Some(bits) = w.module.consts.as_bits(part)
        && matches!(w.module.types[w.module.consts[part].ty], TypeKind::Scalar(Scalar::F32))
    {
        let value = f32::from_bits(bits as u32);
        if value.fract() == 0.0 && value.abs() < 10_000.0 && (value != 0.0 || bits == 0) {
            let _ = write!(out, "{value}");
            return;
        }
    }
    push_constant(w, part, out);
}

/// The value on the diagonal of a matrix that is zero elsewhere.
fn diagonal(w: &Writer<'_>, columns: &[Const]) -> Option<Const> {
    let consts = &w.module.consts;
    let first = *consts.as_parts(columns[0])?.first()?;
    for (c, &column) in columns.iter().enumerate() {
        for (r, &part) in consts.as_parts(column)?.iter().enumerate() {
            let fits = if c == r { part == first } else { consts.as_bits(part) == Some(0) };
            if !fits {
                return None;
            }
        }
    }
    // A shape with more columns than rows has no diagonal in its last column.
    Some(first)
}

fn push_scalar(w: &Writer<'_>, c: Const, bits: u64, out: &mut String) {
    let consts = &w.module.consts;
    match w.module.types[consts[c].ty] {
        TypeKind::Scalar(Scalar::Bool) => out.push_str(if bits != 0 { "true" } else { "false" }),
        TypeKind::Scalar(Scalar::I32) => push_i64(i64::from(bits as u32 as i32), i64::from(i32::MIN), "", out),
        TypeKind::Scalar(Scalar::U32) => {
            let _ = write!(out, "{bits}u");
        }
        TypeKind::Scalar(Scalar::I64) => push_i64(bits as i64, i64::MIN, "l", out),
        TypeKind::Scalar(Scalar::U64) => {
            let _ = write!(out, "{bits}ul");
        }
        TypeKind::Scalar(Scalar::F32) => push_float(w, f32::from_bits(bits as u32), out),
        TypeKind::Scalar(Scalar::F64) => push_double(w, f64::from_bits(bits), out),
        TypeKind::YuvCsc => {
            out.push_str(planish_ir::constant::YUV_NAMES.get(bits as usize).copied().unwrap_or("itu_601"));
        }
        _ => out.push('0'),
    }
}

fn push_i64(value: i64, least: i64, suffix: &str, out: &mut String) {
    if value == least {
        // The positive number has no literal.
        let _ = write!(out, "({}{suffix} - 1{suffix})", value + 1);
    } else {
        let _ = write!(out, "{value}{suffix}");
    }
}

fn push_float(w: &Writer<'_>, value: f32, out: &mut String) {
    if value.is_finite() {
        out.push_str(&float32(value, w.minify));
    } else if w.target.at_least(300, 330) {
        let _ = write!(out, "uintBitsToFloat({:#x}u)", value.to_bits());
    } else {
        let text = match (value.is_nan(), value < 0.0) {
            (true, _) => "(0.0 / 0.0)",
            (false, true) => "(-1.0 / 0.0)",
            (false, false) => "(1.0 / 0.0)",
        };
        out.push_str(text);
    }
}

fn push_double(w: &Writer<'_>, value: f64, out: &mut String) {
    if value.is_finite() {
        out.push_str(&float64(value, w.minify));
        out.push_str("lf");
    } else {
        let bits = value.to_bits();
        let _ = write!(out, "packDouble2x32(uvec2({}u, {}u))", bits as u32, bits >> 32);
    }
}

/// Writes functions.
pub(crate) struct Printer<'a, 'm> {
    w: &'a Writer<'m>,
    defaults: Defaults,
    out: String,
    indent: usize,
    /// Text before the name in the last line of module scope.
    last_head: Option<String>,
}

/// Deeper blocks are indented no further, so that a deep program's text stays linear in its size.
const MOST_INDENTED: usize = 32;

/// Work left to print, last first.
enum Work {
    List(List, usize),
    /// Text at the start of a line.
    Line(&'static str),
    Indent,
    Dedent,
    /// `else`, and whether the arm before it has braces.
    Else(List, bool),
    /// `while (condition);`
    DoEnd(Expr),
    Case(SwitchCase),
}

impl<'a, 'm> Printer<'a, 'm> {
    pub(crate) fn new(w: &'a Writer<'m>, defaults: Defaults) -> Self {
        Printer { w, defaults, out: String::new(), indent: 0, last_head: None }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// Lines that are text already. Minified, spaces that separate nothing go.
    pub(crate) fn lines(&mut self, lines: &[String]) {
        for line in lines {
            if self.w.minify {
                self.squeezed(&squeeze(line));
            } else {
                self.out.push_str(line);
                self.out.push('\n');
            }
        }
    }

    /// A declaration of module scope; `uniform vec2 a;uniform vec2 b;` becomes `uniform vec2 a,b;`.
    fn squeezed(&mut self, line: &str) {
        let (head, rest) = line.rsplit_once(' ').unwrap_or(("", line));
        let is_plain = !head.is_empty() && rest.ends_with(';') && !line.contains(['{', '(', '=', '}']);
        if is_plain && self.last_head.as_deref() == Some(head) {
            self.out.pop();
            self.out.push(',');
            self.out.push_str(rest);
        } else {
            self.out.push_str(line);
        }
        self.last_head = (is_plain && !head.starts_with("precision")).then(|| head.to_owned());
    }

    /// A line that ends with a line break even when minified: `#version`, `#extension`.
    pub(crate) fn directive(&mut self, line: &str) {
        self.last_head = None;
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// An empty line between parts.
    pub(crate) fn gap(&mut self) {
        if !self.w.minify && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn space(&mut self) {
        if !self.w.minify {
            self.out.push(' ');
        }
    }

    fn begin(&mut self) {
        if !self.w.minify {
            for _ in 0..self.indent.min(MOST_INDENTED) {
                self.out.push_str("    ");
            }
        }
    }

    fn newline(&mut self) {
        if !self.w.minify {
            self.out.push('\n');
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn semicolon(&mut self) {
        self.out.push(';');
        self.newline();
    }

    // Functions.

    pub(crate) fn prototype(&mut self, function: &Written) {
        self.head(function);
        self.semicolon();
    }

    fn head(&mut self, function: &Written) {
        self.last_head = None;
        let data = &self.w.module.funcs[function.func];
        match data.results.first() {
            None => self.text("void"),
            Some(result) => {
                let precision = self.w.precision_word(result.ty, result.precision, &self.defaults);
                self.words(&[precision]);
                let name = self.w.type_name(result.ty);
                self.text(&name);
            }
        }
        let name = self.func_name(function.func);
        self.text(" ");
        self.text(&name);
        self.text("(");
        for (i, (param, &symbol)) in data.params.iter().zip(&function.params).enumerate() {
            if i > 0 {
                self.text(",");
                self.space();
            }
            self.text(self.w.direction(param.direction));
            let precision = self.w.precision_word(
                self.w.module.types.pointee(param.ty).map_or(param.ty, |(ty, _)| ty),
                param.precision,
                &self.defaults,
            );
            self.words(&[precision]);
            let (base, sizes) = self.w.type_parts(param.ty);
            let name = self.w.name(symbol);
            self.text(&format!("{base} {name}{sizes}"));
        }
        for (i, &symbol) in function.result_params.iter().enumerate() {
            if i > 0 || !function.params.is_empty() {
                self.text(",");
                self.space();
            }
            let (base, sizes) = self.w.type_parts(data.results[i + 1].ty);
            let name = self.w.name(symbol);
            self.text(&format!("out {base} {name}{sizes}"));
        }
        self.text(")");
    }

    fn func_name(&self, func: Func) -> String {
        self.w.known_func(func).map(|s| self.w.name(s).to_string()).unwrap_or_default()
    }

    pub(crate) fn function(&mut self, function: &Written) {
        self.gap();
        self.head(function);
        self.space();
        self.text("{");
        self.newline();
        self.indent += 1;
        self.body(function.body);
        self.indent -= 1;
        self.text("}");
        self.newline();
    }

    fn words(&mut self, words: &[&str]) {
        for word in words.iter().filter(|w| !w.is_empty()) {
            self.text(word);
            self.text(" ");
        }
    }

    // Statements.

    fn body(&mut self, list: List) {
        let mut work = vec![Work::List(list, 0)];
        while let Some(item) = work.pop() {
            match item {
                Work::List(list, at) => {
                    let w = self.w;
                    let Some(stmt) = w.tree.list(list).get(at) else { continue };
                    let joined = self.joined(w.tree.list(list), at);
                    work.push(Work::List(list, at + 1 + joined));
                    self.begin();
                    if joined > 0 {
                        self.declarations(&w.tree.list(list)[at..=at + joined]);
                    } else {
                        self.statement(stmt, &mut work);
                    }
                }
                Work::Line(text) => {
                    self.begin();
                    self.text(text);
                    self.newline();
                }
                Work::Indent => self.indent += 1,
                Work::Dedent => self.indent -= 1,
                Work::Else(otherwise, braced) => self.otherwise(otherwise, braced, &mut work),
                Work::DoEnd(condition) => {
                    self.begin();
                    self.text("}");
                    self.space();
                    self.text("while");
                    self.space();
                    self.parenthesized(condition);
                    self.semicolon();
                }
                Work::Case(case) => self.case(&case, &mut work),
            }
        }
    }

    /// Number of declarations after a statement that are written with it, as in `float a, b;`.
    fn joined(&self, list: &[Stmt], at: usize) -> usize {
        let head = |s: &Stmt| match s {
            Stmt::Decl(d) => {
                let precision = self.w.precision_word(d.ty, d.precision, &self.defaults);
                Some((d.is_const, d.precise, precision, self.w.type_parts(d.ty).0))
            }
            _ => None,
        };
        if !self.w.minify || !matches!(list[at], Stmt::Decl(_)) {
            return 0;
        }
        let first = head(&list[at]);
        list[at + 1..].iter().take_while(|s| matches!(s, Stmt::Decl(_)) && head(s) == first).count()
    }

    fn declarations(&mut self, list: &[Stmt]) {
        for (i, stmt) in list.iter().enumerate() {
            match stmt {
                Stmt::Decl(decl) if i == 0 => self.decl(decl),
                Stmt::Decl(decl) => {
                    self.text(",");
                    self.declarator(decl);
                }
                _ => {}
            }
        }
        self.semicolon();
    }

    fn statement(&mut self, stmt: &Stmt, work: &mut Vec<Work>) {
        match stmt {
            Stmt::Decl(decl) => {
                self.decl(decl);
                self.semicolon();
            }
            Stmt::Assign { target, op, value } => {
                self.assign(*target, *op, *value);
                self.semicolon();
            }
            Stmt::Expr(e) => {
                self.expr(*e, 0);
                self.semicolon();
            }
            Stmt::If { condition, then, otherwise } => self.if_head(*condition, *then, *otherwise, work),
            Stmt::For { init, condition, next, body } => self.for_loop(*init, *condition, *next, *body, work),
            Stmt::While { condition, body } if self.w.minify && self.is_true(*condition) => {
                self.text("for(;;)");
                self.open(*body, work);
            }
            Stmt::While { condition, body } => {
                self.text("while");
                self.space();
                self.parenthesized(*condition);
                self.open(*body, work);
            }
            Stmt::DoWhile { body, condition } => {
                self.text("do");
                self.space();
                self.text("{");
                self.newline();
                work.extend([Work::DoEnd(*condition), Work::Dedent, Work::List(*body, 0), Work::Indent]);
            }
            Stmt::Switch { selector, cases } => {
                self.text("switch");
                self.space();
                self.parenthesized(*selector);
                self.space();
                self.text("{");
                self.newline();
                work.extend([Work::Line("}"), Work::Dedent]);
                work.extend(cases.iter().rev().cloned().map(Work::Case));
                work.push(Work::Indent);
            }
            Stmt::Break(_) => self.simple("break"),
            Stmt::Continue(_) => self.simple("continue"),
            Stmt::Discard => self.simple("discard"),
            Stmt::Results { .. }
            | Stmt::Loop { .. }
            | Stmt::Labelled { .. }
            | Stmt::Goto(_)
            | Stmt::Label(_)
            | Stmt::Trap(_) => {}
            Stmt::Return(None) => self.simple("return"),
            Stmt::Return(Some(e)) => {
                self.text("return ");
                self.expr(*e, 0);
                self.semicolon();
            }
        }
    }

    fn is_true(&self, e: Expr) -> bool {
        matches!(self.w.tree.kind(e), ExprKind::Bool(true) | ExprKind::Literal(Const::TRUE))
    }

    fn simple(&mut self, text: &str) {
        self.text(text);
        self.semicolon();
    }

    /// ` {`, the list, `}`. Minified, a single simple statement goes without braces.
    fn open(&mut self, body: List, work: &mut Vec<Work>) {
        if self.w.minify && self.is_simple(body) {
            work.push(Work::List(body, 0));
            return;
        }
        self.space();
        self.text("{");
        self.newline();
        work.extend([Work::Line("}"), Work::Dedent, Work::List(body, 0), Work::Indent]);
    }

    fn is_simple(&self, list: List) -> bool {
        matches!(
            self.w.tree.list(list),
            [Stmt::Assign { .. }
                | Stmt::Expr(_)
                | Stmt::Break(_)
                | Stmt::Continue(_)
                | Stmt::Discard
                | Stmt::Return(_)]
        )
    }

    fn if_head(&mut self, condition: Expr, then: List, otherwise: List, work: &mut Vec<Work>) {
        self.text("if");
        self.space();
        self.parenthesized(condition);
        let more = !self.w.tree.list(otherwise).is_empty();
        if self.w.minify && self.is_simple(then) {
            if more {
                work.push(Work::Else(otherwise, false));
            }
            work.push(Work::List(then, 0));
            return;
        }
        self.space();
        self.text("{");
        self.newline();
        if more {
            work.push(Work::Else(otherwise, true));
        } else {
            work.push(Work::Line("}"));
        }
        work.extend([Work::Dedent, Work::List(then, 0), Work::Indent]);
    }

    fn otherwise(&mut self, otherwise: List, braced: bool, work: &mut Vec<Work>) {
        if braced {
            self.begin();
            self.text("}");
            self.space();
        }
        self.text("else");
        let w = self.w;
        match w.tree.list(otherwise) {
            [Stmt::If { condition, then, otherwise }] => {
                self.text(" ");
                self.if_head(*condition, *then, *otherwise, work);
            }
            _ => {
                if self.w.minify && self.is_simple(otherwise) {
                    self.text(" ");
                }
                self.open(otherwise, work);
            }
        }
    }

    fn case(&mut self, case: &SwitchCase, work: &mut Vec<Work>) {
        for &value in &case.values {
            self.begin();
            let text = constant(self.w, value);
            self.text(&format!("case {text}:"));
            self.newline();
        }
        if case.is_default {
            self.begin();
            self.text("default:");
            self.newline();
        }
        let list = self.w.tree.list(case.body);
        let scoped = list.iter().any(|s| matches!(s, Stmt::Decl(_)));
        if scoped {
            self.trim_newline();
            self.space();
            self.text("{");
            self.newline();
            work.push(Work::Line("}"));
        }
        work.extend([Work::Dedent, Work::List(case.body, 0), Work::Indent]);
    }

    fn trim_newline(&mut self) {
        if self.out.ends_with('\n') {
            self.out.pop();
        }
    }

    fn for_loop(&mut self, init: List, condition: Option<Expr>, next: List, body: List, work: &mut Vec<Work>) {
        self.text("for");
        self.space();
        self.text("(");
        let w = self.w;
        for (i, stmt) in w.tree.list(init).iter().enumerate() {
            match stmt {
                Stmt::Decl(decl) if i > 0 => {
                    self.text(",");
                    self.space();
                    self.declarator(decl);
                }
                Stmt::Decl(decl) => self.decl(decl),
                other => self.in_header(i, other),
            }
        }
        self.text(";");
        if let Some(condition) = condition {
            self.space();
            self.expr(condition, 0);
        }
        self.text(";");
        if !w.tree.list(next).is_empty() {
            self.space();
        }
        for (i, stmt) in w.tree.list(next).iter().enumerate() {
            self.in_header(i, stmt);
        }
        self.text(")");
        self.open(body, work);
    }

    fn in_header(&mut self, i: usize, stmt: &Stmt) {
        if i > 0 {
            self.text(",");
            self.space();
        }
        match stmt {
            Stmt::Assign { target, op, value } => self.assign(*target, *op, *value),
            Stmt::Expr(e) => self.expr(*e, ASSIGN),
            _ => {}
        }
    }

    fn decl(&mut self, decl: &Decl) {
        if decl.is_const {
            self.text("const ");
        }
        if decl.precise && self.w.target.at_least(320, 400) {
            self.text("precise ");
        }
        let precision = self.w.precision_word(decl.ty, decl.precision, &self.defaults);
        self.words(&[precision]);
        let (base, _) = self.w.type_parts(decl.ty);
        self.text(&base);
        self.text(" ");
        self.declarator(decl);
    }

    fn declarator(&mut self, decl: &Decl) {
        let (_, sizes) = self.w.type_parts(decl.ty);
        let name = self.w.name(decl.symbol);
        self.text(&name);
        self.text(&sizes);
        if let Some(init) = decl.init {
            self.operator("=");
            self.expr(init, ASSIGN);
        }
    }

    fn assign(&mut self, target: Expr, op: Option<Infix>, value: Expr) {
        self.expr(target, POSTFIX);
        match op {
            Some(op) => self.operator(&format!("{}=", op.text())),
            None => self.operator("="),
        }
        self.expr(value, ASSIGN);
    }

    fn operator(&mut self, text: &str) {
        self.space();
        self.text(text);
        self.space();
    }

    fn parenthesized(&mut self, e: Expr) {
        self.text("(");
        self.expr(e, 0);
        self.text(")");
    }

    // Expressions.

    /// Prints an expression that binds at least as tightly as `least`, with parentheses if it does not.
    /// Recursion: over the expression, whose depth lowering bounds (`MOST_DEPTH`).
    fn expr(&mut self, e: Expr, least: u8) {
        let kind = self.w.tree.kind(e);
        let own = precedence(self.w, kind);
        let open = own < least;
        if open {
            self.text("(");
        }
        match kind {
            ExprKind::Literal(c) => {
                let text = constant(self.w, c);
                self.signed(&text);
            }
            ExprKind::Bool(b) => self.text(if b { "true" } else { "false" }),
            ExprKind::Int(i) => self.signed(&i.to_string()),
            ExprKind::Float(f) => self.signed(&float32(f, self.w.minify)),
            ExprKind::Name(symbol) => {
                let name = self.w.name(symbol);
                self.text(&name);
            }
            ExprKind::Prefix(text, a) => {
                self.signed(text);
                self.expr(a, PREFIX);
            }
            ExprKind::Postfix(text, a) => {
                self.expr(a, POSTFIX);
                self.text(text);
            }
            ExprKind::Infix(op, a, b) => {
                let precedence = op.precedence();
                self.expr(a, precedence);
                self.operator(op.text());
                self.expr(b, precedence + 1);
            }
            ExprKind::Ternary(c, a, b) => {
                self.expr(c, TERNARY + 1);
                self.operator("?");
                self.expr(a, ASSIGN);
                self.operator(":");
                self.expr(b, TERNARY);
            }
            ExprKind::Call(callee, args) => {
                match callee {
                    Callee::Method(_) => {}
                    Callee::BuiltIn(name) => self.text(name),
                    Callee::User(symbol) => {
                        let name = self.w.name(symbol);
                        self.text(&name);
                    }
                    Callee::Type(ty) => {
                        let name = self.w.type_name(ty);
                        self.text(&name);
                    }
                }
                self.text("(");
                let w = self.w;
                for (i, &arg) in w.tree.args(args).iter().enumerate() {
                    if i > 0 {
                        self.text(",");
                        self.space();
                    }
                    match (callee, self.w.tree.kind(arg)) {
                        (Callee::Type(ty), ExprKind::Literal(c)) if self.converts(ty) => {
                            let mut text = String::new();
                            push_part(self.w, c, &mut text);
                            self.signed(&text);
                        }
                        _ => self.expr(arg, ASSIGN),
                    }
                }
                self.text(")");
            }
            ExprKind::Index(a, i) => {
                self.expr(a, POSTFIX);
                self.text("[");
                self.expr(i, 0);
                self.text("]");
            }
            ExprKind::Member(a, ty, i) => {
                self.expr(a, POSTFIX);
                self.text(".");
                let name = self.w.member_name(ty, i);
                self.text(&name);
            }
            ExprKind::Swizzle(a, lanes) => {
                self.expr(a, POSTFIX);
                self.text(".");
                self.text(&lanes_text(lanes));
            }
            ExprKind::Splat(ty, a) => {
                let name = self.w.type_name(ty);
                self.text(&name);
                self.parenthesized(a);
            }
            ExprKind::Uint(_)
            | ExprKind::Cast(..)
            | ExprKind::AddressOf(_)
            | ExprKind::Deref(_)
            | ExprKind::Results(..)
            | ExprKind::Result(..) => {}
            ExprKind::Length(a) => {
                self.expr(a, POSTFIX);
                self.text(".length()");
            }
        }
        if open {
            self.text(")");
        }
    }

    /// Whether the constructor of a type takes integers for floats.
    fn converts(&self, ty: planish_ir::entity::Type) -> bool {
        matches!(self.w.module.types[ty], TypeKind::Vector(Scalar::F32, _) | TypeKind::Matrix { .. })
    }

    /// Text that may begin with a sign, which must not join the one before it.
    fn signed(&mut self, text: &str) {
        let joins = |c| self.out.ends_with(c) && text.starts_with(c);
        if joins('-') || joins('+') {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }
}

fn lanes_text(lanes: Lanes) -> String {
    lanes.iter().map(|l| ['x', 'y', 'z', 'w'][l as usize]).collect()
}

fn precedence(w: &Writer<'_>, kind: ExprKind) -> u8 {
    match kind {
        ExprKind::Infix(op, ..) => op.precedence(),
        ExprKind::Ternary(..) => TERNARY,
        ExprKind::Prefix(..) => PREFIX,
        ExprKind::Int(i) if i < 0 => PREFIX,
        ExprKind::Float(f) if f.is_sign_negative() => PREFIX,
        ExprKind::Literal(c) => match (&w.module.consts[c].value, &w.module.types[w.module.consts[c].ty]) {
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::I32)) if (*b as u32 as i32) < 0 => PREFIX,
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::I64)) if (*b as i64) < 0 => PREFIX,
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::F32)) if f32::from_bits(*b as u32).is_sign_negative() => {
                PREFIX
            }
            (ConstValue::Bits(b), TypeKind::Scalar(Scalar::F64)) if f64::from_bits(*b).is_sign_negative() => PREFIX,
            _ => POSTFIX,
        },
        _ => POSTFIX,
    }
}

/// A declaration without the spaces that separate nothing.
fn squeeze(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.trim().chars().peekable();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    while let Some(c) = chars.next() {
        if c == ' ' {
            let before = out.chars().last();
            let after = chars.peek().copied();
            let both_words = before.is_some_and(word) && after.is_some_and(word);
            let same_sign = before == after && matches!(before, Some('-' | '+'));
            if !both_words && !same_sign {
                continue;
            }
        }
        out.push(c);
    }
    out
}
