//! Statements as text.

use planish_ir::entity::Const;

use super::Printer;
use crate::syntax::{Cases, Place, Syntax};
use crate::tree::{Decl, Expr, ExprKind, Infix, List, Stmt, SwitchCase, Symbol};

/// Work left to print, last first.
enum Work {
    List(List, usize),
    /// Text at the start of a line.
    Line(&'static str),
    /// The only statement of a list, on the line that has begun.
    SameLine(List),
    /// `continuing { … }` of a loop.
    Continuing(List, Option<Expr>),
    /// `break if condition;`
    BreakIf(Expr),
    Indent,
    Dedent,
    /// `else`, and whether the arm before it has braces.
    Else(List, bool),
    /// `while (condition);`
    DoEnd(Expr),
    Case(SwitchCase),
}

impl<'m, S: Syntax<'m>> Printer<'_, 'm, S> {
    pub(super) fn body(&mut self, list: List) {
        let body = list;
        let mut work = vec![Work::List(list, 0)];
        while let Some(item) = work.pop() {
            match item {
                Work::List(list, at) => {
                    let w = self.w;
                    let Some(stmt) = w.tree.list(list).get(at) else { continue };
                    let joined = self.joined(w.tree.list(list), at);
                    work.push(Work::List(list, at + 1 + joined));
                    self.begin();
                    let is_last = list == body && at + 1 == w.tree.list(list).len();
                    if let Stmt::Return(Some(e)) = *stmt
                        && is_last
                        && w.style().tail_results
                    {
                        self.expr(e, Place::Whole);
                        self.newline();
                    } else if joined > 0 {
                        self.declarations(&w.tree.list(list)[at..=at + joined]);
                    } else {
                        self.statement(stmt, &mut work);
                    }
                }
                Work::SameLine(list) => self.statement(&self.w.tree.list(list)[0], &mut work),
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
                    self.condition(condition);
                    self.semicolon();
                }
                Work::Case(case) => self.case(&case, &mut work),
                Work::Continuing(list, break_if) => self.continuing(list, break_if, &mut work),
                Work::BreakIf(condition) => {
                    self.begin();
                    self.text("break if ");
                    self.expr(condition, Place::Whole);
                    self.semicolon();
                }
            }
        }
    }

    /// Number of declarations after a statement that are written with it, as in `float a, b;`.
    fn joined(&self, list: &[Stmt], at: usize) -> usize {
        let head = |s: &Stmt| match s {
            Stmt::Decl(d) => {
                let mut head = String::new();
                self.w.declaration_head(d, &mut head);
                Some((d.is_const, d.precise, head))
            }
            _ => None,
        };
        if !self.w.minify || !self.w.abilities.declaration_lists || !matches!(list[at], Stmt::Decl(_)) {
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
                self.expr(*e, Place::Whole);
                self.semicolon();
            }
            Stmt::If { condition, then, otherwise } => self.if_head(*condition, *then, *otherwise, work),
            Stmt::For { init, condition, next, body } => self.for_loop(*init, *condition, *next, *body, work),
            Stmt::While { condition, body } => {
                let [readable, short] = self.w.style().endless;
                let endless = if self.w.minify { short } else { readable };
                if self.is_true(*condition) {
                    self.text(endless);
                } else {
                    self.text("while");
                    self.condition(*condition);
                }
                self.open(*body, work);
            }
            Stmt::Loop { body, continuing, break_if } => {
                self.text("loop");
                self.space();
                self.text("{");
                self.newline();
                work.extend([Work::Line("}"), Work::Dedent]);
                if break_if.is_some() || !self.w.tree.list(*continuing).is_empty() {
                    work.push(Work::Continuing(*continuing, *break_if));
                }
                work.extend([Work::List(*body, 0), Work::Indent]);
            }
            Stmt::Labelled { label, body } => self.labelled(*label, *body, work),
            Stmt::DoWhile { body, condition } => {
                self.text("do");
                self.space();
                self.text("{");
                self.newline();
                work.extend([Work::DoEnd(*condition), Work::Dedent, Work::List(*body, 0), Work::Indent]);
            }
            Stmt::Switch { selector, cases } => self.switch(*selector, cases, work),
            Stmt::Break(label) => self.jump("break", *label),
            Stmt::Continue(label) => self.jump("continue", *label),
            Stmt::Goto(label) => self.jump("goto", Some(*label)),
            Stmt::Label(label) => {
                self.label(*label);
                self.text(":");
                self.semicolon();
            }
            Stmt::Discard => self.simple(self.w.style().discard),
            Stmt::Trap(kind) => {
                self.w.trap(*kind, &mut self.out);
                self.semicolon();
            }
            Stmt::Results { symbol, func, call } => {
                self.w.results_head(*func, &mut self.out);
                let name = self.w.name(*symbol);
                self.text(&name);
                self.operator("=");
                self.expr(*call, Place::Argument);
                self.semicolon();
            }
            Stmt::Return(None) => self.simple("return"),
            Stmt::Return(Some(e)) => {
                self.text("return ");
                self.expr(*e, Place::Whole);
                self.semicolon();
            }
        }
    }

    /// ` (c)`, or ` c` in languages without parentheses there.
    fn condition(&mut self, condition: Expr) {
        if self.w.style().parentheses {
            self.space();
            self.parenthesized(condition);
        } else {
            self.text(" ");
            self.expr(condition, Place::Whole);
        }
    }

    fn label(&mut self, label: Symbol) {
        self.text(self.w.style().label);
        let name = self.w.name(label);
        self.text(&name);
    }

    fn jump(&mut self, word: &str, label: Option<Symbol>) {
        self.text(word);
        if let Some(label) = label {
            self.text(" ");
            self.label(label);
        }
        self.semicolon();
    }

    /// A loop with a label, or a block with one.
    fn labelled(&mut self, label: Symbol, body: List, work: &mut Vec<Work>) {
        self.label(label);
        self.text(":");
        let w = self.w;
        match w.tree.list(body) {
            [stmt] if stmt.is_loop() => {
                self.space();
                work.push(Work::SameLine(body));
            }
            _ => self.braces(body, work),
        }
    }

    fn continuing(&mut self, list: List, break_if: Option<Expr>, work: &mut Vec<Work>) {
        self.begin();
        self.text("continuing");
        self.space();
        self.text("{");
        self.newline();
        work.extend([Work::Line("}"), Work::Dedent]);
        work.extend(break_if.map(Work::BreakIf));
        work.extend([Work::List(list, 0), Work::Indent]);
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
        if self.is_simple(body) {
            work.push(Work::List(body, 0));
            return;
        }
        self.braces(body, work);
    }

    /// ` {`, the list, `}`.
    fn braces(&mut self, body: List, work: &mut Vec<Work>) {
        self.space();
        self.text("{");
        self.newline();
        work.extend([Work::Line("}"), Work::Dedent, Work::List(body, 0), Work::Indent]);
    }

    /// Whether a list goes without braces.
    fn is_simple(&self, list: List) -> bool {
        let is_simple = matches!(
            self.w.tree.list(list),
            [Stmt::Assign { .. }
                | Stmt::Expr(_)
                | Stmt::Break(_)
                | Stmt::Continue(_)
                | Stmt::Discard
                | Stmt::Return(_)]
        );
        is_simple && self.w.minify && self.w.style().optional_braces
    }

    fn if_head(&mut self, condition: Expr, then: List, otherwise: List, work: &mut Vec<Work>) {
        self.text("if");
        self.condition(condition);
        let more = !self.w.tree.list(otherwise).is_empty();
        if self.is_simple(then) {
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
                if self.is_simple(otherwise) {
                    self.text(" ");
                }
                self.open(otherwise, work);
            }
        }
    }

    fn switch(&mut self, selector: Expr, cases: &[SwitchCase], work: &mut Vec<Work>) {
        let style = self.w.style().cases;
        self.text(if style == Cases::Arms { "match" } else { "switch" });
        self.condition(selector);
        self.space();
        self.text("{");
        self.newline();
        work.extend([Work::Line("}"), Work::Dedent]);
        let has_default = cases.iter().any(|c| c.is_default);
        if style != Cases::Labels && !has_default {
            work.push(Work::Line(if style == Cases::Arms { "_ => {}" } else { "default {}" }));
        }
        let written = cases.iter().rev().cloned();
        if style == Cases::Arms {
            // Arms after `_` are never reached.
            let (default, others): (Vec<_>, Vec<_>) = written.partition(|c| c.is_default);
            work.extend(default.into_iter().chain(others).map(Work::Case));
        } else {
            work.extend(written.map(Work::Case));
        }
        work.push(Work::Indent);
    }

    fn case(&mut self, case: &SwitchCase, work: &mut Vec<Work>) {
        if self.w.style().cases != Cases::Labels {
            self.begin();
            self.case_head(case);
            if self.w.tree.list(case.body).is_empty() {
                self.space();
                self.text("{}");
                self.newline();
            } else {
                self.braces(case.body, work);
            }
            return;
        }
        for &value in &case.values {
            self.begin();
            self.text("case ");
            self.w.constant(value, None, &mut self.out);
            self.text(":");
            self.newline();
        }
        if case.is_default {
            self.begin();
            self.text("default:");
            self.newline();
        }
        let list = self.w.tree.list(case.body);
        let scoped = list.iter().any(|s| matches!(s, Stmt::Decl(_) | Stmt::Results { .. }));
        if scoped {
            self.trim_newline();
            self.space();
            self.text("{");
            self.newline();
            work.push(Work::Line("}"));
        }
        work.extend([Work::Dedent, Work::List(case.body, 0), Work::Indent]);
    }

    /// `case 1, 2`, or `1 | 2 =>`.
    fn case_head(&mut self, case: &SwitchCase) {
        let is_arm = self.w.style().cases == Cases::Arms;
        if is_arm && case.is_default {
            self.text("_");
        } else if case.values.is_empty() {
            self.text("default");
        } else {
            self.text(if is_arm { "" } else { "case " });
            for (i, &value) in case.values.iter().enumerate() {
                match is_arm {
                    true if i > 0 => self.operator("|"),
                    true => {}
                    false => self.comma(i),
                }
                self.w.constant(value, None, &mut self.out);
            }
            if case.is_default {
                self.comma(1);
                self.text("default");
            }
        }
        if is_arm {
            self.space();
            self.text("=>");
        }
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
            self.expr(condition, Place::Whole);
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
        self.comma(i);
        match stmt {
            Stmt::Assign { target, op, value } => self.assign(*target, *op, *value),
            Stmt::Expr(e) => self.expr(*e, Place::Argument),
            _ => {}
        }
    }

    fn decl(&mut self, decl: &Decl) {
        self.w.declaration_head(decl, &mut self.out);
        self.declarator(decl);
    }

    fn declarator(&mut self, decl: &Decl) {
        self.w.declaration_name(decl, &mut self.out);
        if let Some(init) = decl.init {
            self.operator("=");
            self.expr(init, Place::Whole);
        }
    }

    fn assign(&mut self, target: Expr, op: Option<Infix>, value: Expr) {
        self.expr(target, Place::Prefix);
        match op {
            Some(op) => self.operator(&format!("{}=", op.text())),
            None => self.operator("="),
        }
        self.expr(value, Place::Whole);
    }
}
