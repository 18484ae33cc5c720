//! Statements.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::words::Word;
use super::*;
use TokenKind as T;

/// Hint about the head of a `for`.
pub(super) const HEAD: &str = "the head of a `for` has three parts: `for (init; condition; step)`";

impl Parser<'_> {
    // ------------------------------------------------------------------------------------------ blocks

    /// `{ … }` as a scope of its own.
    fn compound(&mut self) -> StmtId {
        let scope = self.words.enter();
        let block = self.block();
        self.words.leave(scope);
        block
    }

    /// `{ … }` in the scope at hand; the `{` is there.
    pub(super) fn block(&mut self) -> StmtId {
        let start = self.pos;
        let open = self.bump();
        let list = self.statements(open, |parser| parser.statement());
        let span = self.span_from(start);
        self.add_stmt(StmtKind::Compound(list), span)
    }

    /// Statements up to the `}` that closes `open`, inclusive.
    fn statements(&mut self, open: Span, mut statement: impl FnMut(&mut Self) -> StmtId) -> List<StmtId> {
        let mark = self.scratch.stmts.len();
        self.open_blocks.push(open);
        while !matches!(self.peek(), T::RightBrace | T::Eof) && !self.leave_function {
            let before = self.pos;
            let stmt = statement(self);
            self.scratch.stmts.push(stmt);
            // Ensures progress after any error.
            if self.pos == before && !self.leave_function {
                self.bump();
            }
        }
        if !self.leave_function {
            self.close(open, T::RightBrace, "a statement");
        }
        self.open_blocks.pop();
        flush(&mut self.scratch.stmts, mark, &mut self.ast.stmt_lists)
    }

    // ------------------------------------------------------------------------------------------ one statement

    /// A nested statement.
    fn inner_statement(&mut self) -> StmtId {
        let scope = self.words.enter();
        let stmt = self.statement();
        self.words.leave(scope);
        stmt
    }

    /// The body of a loop, in the scope of its head.
    pub(super) fn statement(&mut self) -> StmtId {
        if !self.descend() {
            let start = self.pos;
            self.skip_whole_statement();
            let span = self.span_from(start);
            return self.add_stmt(StmtKind::Error, span);
        }
        let stmt = match self.peek() {
            T::LeftBrace => self.compound(),
            T::Semicolon => {
                let span = self.bump();
                self.add_stmt(StmtKind::Empty, span)
            }
            T::Ident(word) => match self.words.get(word) {
                Word::Statement => self.keyword_statement(word),
                Word::Reserved if matches!(word, kw::SWITCH | kw::DEFAULT) => {
                    self.reserved_word(word, self.span());
                    self.keyword_statement(word)
                }
                _ => self.declaration_or_expression(),
            },
            T::Eof => self.nothing(),
            _ => self.expression_statement(),
        };
        self.ascend();
        stmt
    }

    fn keyword_statement(&mut self, word: Symbol) -> StmtId {
        let start = self.pos;
        let kind = match word {
            kw::IF => return self.if_ladder(),
            kw::FOR => self.for_loop(),
            kw::WHILE => self.while_loop(),
            kw::DO => self.do_loop(),
            kw::SWITCH => self.switch(),
            kw::RETURN => self.return_statement(),
            kw::BREAK => self.jump(StmtKind::Break, "`break`"),
            kw::CONTINUE => self.jump(StmtKind::Continue, "`continue`"),
            kw::DISCARD => self.jump(StmtKind::Discard, "`discard`"),
            kw::DEMOTE => self.jump(StmtKind::Demote, "`demote`"),
            kw::IGNOREINTERSECTIONEXT => self.jump(StmtKind::IgnoreIntersection, "`ignoreIntersectionEXT`"),
            kw::TERMINATERAYEXT => self.jump(StmtKind::TerminateRay, "`terminateRayEXT`"),
            kw::ELSE => self.stray_else(),
            // `case` and `default`; `role` classifies no others.
            _ => self.stray_label(),
        };
        let span = self.span_from(start);
        self.add_stmt(kind, span)
    }

    fn jump(&mut self, kind: StmtKind, text: &str) -> StmtKind {
        self.bump();
        self.semicolon(|_| text.to_owned());
        kind
    }

    fn return_statement(&mut self) -> StmtKind {
        self.bump();
        let value = match self.peek() {
            T::Semicolon | T::RightBrace | T::Eof => None,
            _ if self.begins_next_statement() => None,
            _ => Some(self.expression()),
        };
        self.semicolon(|_| String::from(if value.is_some() { "the value to return" } else { "`return`" }));
        StmtKind::Return(value)
    }

    /// Whether the next token cannot continue an expression: a keyword, or a type without constructors.
    fn begins_next_statement(&self) -> bool {
        match self.word_of(self.peek()) {
            Word::Type | Word::Struct => matches!(self.peek_at(1), T::Ident(_)),
            Word::Statement | Word::Qualifier => true,
            _ => false,
        }
    }

    fn stray_else(&mut self) -> StmtKind {
        let diagnostic = Diagnostic::error(Code::E0201, self.span(), "`else` without `if`")
            .label("there is no `if` directly before")
            .help("a `;` after the condition or the block of the `if`, or a missing `{`, separates them");
        self.report(diagnostic);
        self.bump();
        self.inner_statement();
        StmtKind::Error
    }

    fn stray_label(&mut self) -> StmtKind {
        let message = format!("{} outside of a `switch`", self.found());
        let diagnostic = Diagnostic::error(Code::E0201, self.span(), message)
            .label("labels are allowed directly in the block of a `switch` only");
        self.report(diagnostic);
        self.skip_to(|kind| matches!(kind, T::Colon | T::Semicolon | T::LeftBrace));
        self.eat(T::Colon);
        StmtKind::Error
    }

    /// Placeholder for a missing statement.
    fn nothing(&mut self) -> StmtId {
        self.expected("a statement");
        let span = self.span();
        self.add_stmt(StmtKind::Error, span)
    }

    // ------------------------------------------------------------------------------------------ expressions

    fn expression_statement(&mut self) -> StmtId {
        let start = self.pos;
        let expr = self.expression();
        self.finish_expression_statement(start, expr)
    }

    fn finish_expression_statement(&mut self, start: usize, expr: ExprId) -> StmtId {
        if !self.else_if_in_one_word(expr) {
            self.semicolon(|parser| parser.describe_expression(expr));
        }
        let span = self.span_from(start);
        self.add_stmt(StmtKind::Expr(expr), span)
    }

    fn describe_expression(&self, expr: ExprId) -> String {
        match self.ast[expr].kind {
            ExprKind::Assign { .. } => String::from("the assignment"),
            ExprKind::Call { callee, .. } => match self.ast[callee].kind {
                ExprKind::Name(name) => format!("the call of `{}`", self.text(name)),
                _ => String::from("the call"),
            },
            ExprKind::Name(name) => format!("`{}`", self.text(name)),
            _ => String::from("the expression"),
        }
    }

    /// `elseif (…) {` reads as a call.
    fn else_if_in_one_word(&mut self, expr: ExprId) -> bool {
        if self.peek() == T::LeftBrace
            && let ExprKind::Call { callee, .. } = self.ast[expr].kind
            && let ExprKind::Name(name) = self.ast[callee].kind
            && matches!(self.text(name), "elseif" | "elif" | "elsif")
        {
            let span = self.ast[callee].span;
            let diagnostic =
                Diagnostic::error(Code::E0201, span, format!("`{}` is not a word of GLSL", self.text(name)))
                    .label("expected `else if`")
                    .fix(span, "else if");
            self.report(diagnostic);
            self.block();
            return true;
        }
        false
    }

    /// A declaration if the word is (or must be) a type, else an expression.
    fn declaration_or_expression(&mut self) -> StmtId {
        let start = self.pos;
        let word = self.word_of(self.peek());
        let next = self.peek_at(1);
        match word {
            Word::Type | Word::Struct | Word::ForeignType if next == T::LeftParen => self.expression_statement(),
            Word::Type | Word::Struct | Word::ForeignType if next == T::LeftBracket => {
                let ty = self.type_specifier();
                if self.peek() == T::LeftParen {
                    let expr = self.expression_from_type(ty);
                    return self.finish_expression_statement(start, expr);
                }
                let decl = self.variables(start, List::EMPTY, ty);
                self.declaration_statement(decl)
            }
            Word::Name | Word::Contextual | Word::Reserved if !self.begins_local_declaration(word, next) => {
                self.expression_statement()
            }
            Word::Bool => self.expression_statement(),
            Word::Qualifier if self.is_misused_here() => self.expression_statement(),
            _ => {
                let decl = self.local_declaration();
                self.declaration_statement(decl)
            }
        }
    }

    /// Whether two adjacent words are a declaration of an unknown type, rather than a forgotten `;`.
    fn begins_local_declaration(&self, word: Word, next: TokenKind) -> bool {
        let (T::Ident(symbol), T::Ident(_)) = (self.peek(), next) else { return false };
        let role = words::role(symbol);
        if word == Word::Reserved && matches!(role, Word::Qualifier | Word::ForeignQualifier | Word::PrecisionKeyword) {
            return true;
        }
        if role == Word::Qualifier && matches!(self.word_of(next), Word::Type | Word::Qualifier) {
            return true;
        }
        matches!(self.word_of(next), Word::Name | Word::Contextual | Word::Struct | Word::Reserved)
    }

    /// A keyword used as a name for the second time: `sample = 1.0;`.
    fn is_misused_here(&self) -> bool {
        matches!(self.peek(), T::Ident(word) if self.misused.contains(&word)) && !matches!(self.peek_at(1), T::Ident(_))
    }

    fn declaration_statement(&mut self, decl: DeclId) -> StmtId {
        let span = self.ast[decl].span;
        self.add_stmt(StmtKind::Decl(decl), span)
    }

    // ------------------------------------------------------------------------------------------ branches

    /// `if … else if … else …`, in a loop.
    fn if_ladder(&mut self) -> StmtId {
        let mut rungs: Vec<(usize, ExprId, StmtId)> = vec![];
        let mut reject = None;
        loop {
            let start = self.pos;
            self.bump();
            let condition = self.condition("if");
            let accept = self.inner_statement();
            rungs.push((start, condition, accept));
            if self.leave_function || !self.eat(T::Ident(kw::ELSE)) {
                break;
            }
            if self.peek() != T::Ident(kw::IF) {
                reject = Some(self.inner_statement());
                break;
            }
        }
        while let Some((start, condition, accept)) = rungs.pop() {
            let span = self.span_from(start);
            reject = Some(self.add_stmt(StmtKind::If { condition, accept, reject }, span));
        }
        // The loop above pushes at least one step.
        reject.unwrap_or_else(|| self.nothing())
    }

    /// `(condition)` of an `if` or `switch`.
    fn condition(&mut self, keyword: &str) -> ExprId {
        let Some(open) = self.open_head(keyword) else { return self.expression() };
        let condition = self.expression();
        self.close(open, T::RightParen, "an operator");
        condition
    }

    /// Parses the `(` after a keyword, or reports it.
    fn open_head(&mut self, keyword: &str) -> Option<Span> {
        if self.peek() == T::LeftParen {
            return Some(self.bump());
        }
        if !self.is_reported() {
            let mut diagnostic = self.expected_diagnostic(&format!("`(` after `{keyword}`"));
            if !matches!(self.peek(), T::LeftBrace | T::RightBrace | T::Semicolon | T::Eof) {
                diagnostic = diagnostic.help("put the condition in parentheses");
            }
            self.report_apart(diagnostic);
            if matches!(self.peek(), T::LeftBrace | T::RightBrace | T::Semicolon | T::Eof) {
                self.mute();
            }
        }
        None
    }

    fn switch(&mut self) -> StmtKind {
        self.bump();
        let selector = self.condition("switch");
        if self.peek() != T::LeftBrace {
            self.expected("`{` and the cases of the `switch`");
            self.skip_statement(false);
            return StmtKind::Error;
        }
        let scope = self.words.enter();
        let open = self.bump();
        let body = self.statements(open, |parser| match parser.peek() {
            T::Ident(word @ (kw::CASE | kw::DEFAULT)) => parser.label(word),
            _ => parser.statement(),
        });
        self.words.leave(scope);
        StmtKind::Switch { selector, body }
    }

    /// `case value:` or `default:` in a `switch`.
    fn label(&mut self, word: Symbol) -> StmtId {
        let start = self.pos;
        match self.words.get(word) {
            Word::Reserved => self.reserved_word(word, self.span()),
            Word::Name => self.word_of_other_version(word, self.span()),
            _ => {}
        }
        self.bump();
        let kind = if word == kw::CASE { StmtKind::Case(self.expression()) } else { StmtKind::Default };
        if !self.eat(T::Colon) {
            let what = if word == kw::CASE { "`:` after the value of the `case`" } else { "`:` after `default`" };
            if !self.is_reported() {
                let place = self.previous().after();
                let diagnostic =
                    Diagnostic::error(Code::E0201, place, format!("expected {what}, found {}", self.found()))
                        .label("expected `:`")
                        .fix(place, ":");
                self.report(diagnostic);
            }
            self.eat(T::Semicolon);
        }
        let span = self.span_from(start);
        self.add_stmt(kind, span)
    }

    // ------------------------------------------------------------------------------------------ loops

    fn while_loop(&mut self) -> StmtKind {
        self.bump();
        let scope = self.words.enter();
        let condition = match self.open_head("while") {
            Some(open) => {
                let condition = self.loop_condition();
                self.close(open, T::RightParen, "an operator");
                condition
            }
            None => self.loop_condition(),
        };
        let body = self.statement();
        self.words.leave(scope);
        StmtKind::While { condition, body }
    }

    /// An expression or the declaration of one initialized variable, without a `;`.
    fn loop_condition(&mut self) -> StmtId {
        let start = self.pos;
        let next = self.peek_at(1);
        let is_declaration = match self.word_of(self.peek()) {
            Word::Type | Word::Struct => next != T::LeftParen && next != T::LeftBracket,
            Word::Qualifier => true,
            word @ (Word::Name | Word::Reserved) => self.begins_local_declaration(word, next),
            _ => false,
        };
        if is_declaration {
            let decl = self.condition_declaration();
            return self.declaration_statement(decl);
        }
        let expr = self.expression();
        let span = self.span_from(start);
        self.add_stmt(StmtKind::Expr(expr), span)
    }

    /// Recursion: at most `MAX_NESTING` levels, which `statement` counts.
    fn do_loop(&mut self) -> StmtKind {
        let keyword = self.bump();
        let body = self.inner_statement();
        if self.leave_function {
            return StmtKind::Error;
        }
        if !self.eat(T::Ident(kw::WHILE)) {
            if !self.is_reported() {
                let diagnostic = self.expected_diagnostic("`while` and a condition").also(keyword, "after this `do`");
                self.report(diagnostic);
            }
            return StmtKind::Error;
        }
        let condition = self.condition("while");
        self.semicolon(|_| String::from("the condition of `do … while`"));
        StmtKind::DoWhile { body, condition }
    }

    fn for_loop(&mut self) -> StmtKind {
        self.bump();
        let scope = self.words.enter();
        let open = self.open_head("for");
        if self.is_reported() {
            self.words.leave(scope);
            self.skip_statement(false);
            return StmtKind::Error;
        }
        self.in_head = true;
        let init = match self.peek() {
            T::Ident(_) if !self.starts_new_statement() => self.declaration_or_expression(),
            T::Semicolon => {
                let span = self.bump();
                self.add_stmt(StmtKind::Empty, span)
            }
            _ => self.expression_statement(),
        };
        self.in_head = false;
        let (mut condition, mut step) = (None, None);
        if self.is_reported() {
            // The first part was misread: on to the `)`.
            self.skip_to(|kind| kind == T::LeftBrace);
            self.mute();
        } else {
            (condition, step) = self.rest_of_head();
        }
        if let Some(open) = open {
            self.close(open, T::RightParen, "an operator");
        }
        let body = self.statement();
        self.words.leave(scope);
        StmtKind::For { init, condition, step, body }
    }

    /// After the first `;` of a `for`: condition and step.
    fn rest_of_head(&mut self) -> (Option<StmtId>, Option<ExprId>) {
        let condition = match self.peek() {
            T::Semicolon => None,
            T::RightParen => {
                let diagnostic = self.expected_diagnostic("`;` and the step of the `for`").help(HEAD);
                self.report_apart(diagnostic);
                return (None, None);
            }
            _ => Some(self.loop_condition()),
        };
        if !self.eat(T::Semicolon) {
            if !self.is_reported() {
                let diagnostic = self.expected_diagnostic("`;` after the condition of the `for`").help(HEAD);
                self.report(diagnostic);
            }
            self.skip_to(|kind| matches!(kind, T::LeftBrace | T::Semicolon));
            if self.peek() != T::Semicolon {
                self.mute();
                return (condition, None);
            }
            self.bump();
        }
        let step = if matches!(self.peek(), T::RightParen | T::LeftBrace) { None } else { Some(self.expression()) };
        if self.peek() == T::Semicolon {
            let diagnostic = self.expected_diagnostic("`)` after the step of the `for`");
            self.report(diagnostic);
            self.bump();
            self.skip_to(|kind| kind == T::LeftBrace);
            self.mute();
        }
        (condition, step)
    }
}
