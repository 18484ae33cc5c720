//! Expressions. Binary operators are parsed by precedence with an explicit stack, so that chains of any length need no
//! recursion.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::words::Word;
use super::*;
use TokenKind as T;

/// A left operand whose operator lacks the right one.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    op: BinaryOp,
    precedence: u8,
    lhs: ExprId,
}

/// The binary operator of a token, and its precedence. Source: chapter 5.1 of the specifications.
fn binary_operator(kind: T) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        T::Star => (BinaryOp::Mul, 11),
        T::Slash => (BinaryOp::Div, 11),
        T::Percent => (BinaryOp::Mod, 11),
        T::Plus => (BinaryOp::Add, 10),
        T::Minus => (BinaryOp::Sub, 10),
        T::LessLess => (BinaryOp::Shl, 9),
        T::GreaterGreater => (BinaryOp::Shr, 9),
        T::Less => (BinaryOp::Less, 8),
        T::Greater => (BinaryOp::Greater, 8),
        T::LessEqual => (BinaryOp::LessEqual, 8),
        T::GreaterEqual => (BinaryOp::GreaterEqual, 8),
        T::EqualEqual => (BinaryOp::Equal, 7),
        T::BangEqual => (BinaryOp::NotEqual, 7),
        T::Amp => (BinaryOp::BitAnd, 6),
        T::Caret => (BinaryOp::BitXor, 5),
        T::Pipe => (BinaryOp::BitOr, 4),
        T::AmpAmp => (BinaryOp::LogicalAnd, 3),
        T::CaretCaret => (BinaryOp::LogicalXor, 2),
        T::PipePipe => (BinaryOp::LogicalOr, 1),
        _ => return None,
    })
}

/// The operator of an assignment token; `None` if it does not assign.
fn assignment_operator(kind: T) -> Option<Option<BinaryOp>> {
    Some(match kind {
        T::Equal => None,
        T::StarEqual => Some(BinaryOp::Mul),
        T::SlashEqual => Some(BinaryOp::Div),
        T::PercentEqual => Some(BinaryOp::Mod),
        T::PlusEqual => Some(BinaryOp::Add),
        T::MinusEqual => Some(BinaryOp::Sub),
        T::LessLessEqual => Some(BinaryOp::Shl),
        T::GreaterGreaterEqual => Some(BinaryOp::Shr),
        T::AmpEqual => Some(BinaryOp::BitAnd),
        T::CaretEqual => Some(BinaryOp::BitXor),
        T::PipeEqual => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

fn prefix_operator(kind: T) -> Option<PrefixOp> {
    Some(match kind {
        T::Plus => PrefixOp::Plus,
        T::Minus => PrefixOp::Minus,
        T::Bang => PrefixOp::Not,
        T::Tilde => PrefixOp::BitNot,
        T::PlusPlus => PrefixOp::Increment,
        T::MinusMinus => PrefixOp::Decrement,
        _ => return None,
    })
}

impl Parser<'_> {
    /// `expression`: assignments, separated by commas.
    pub(super) fn expression(&mut self) -> ExprId {
        let first = self.assignment();
        self.more_commas(first)
    }

    /// An expression that begins with a type: `vec3(1.0).x + …`.
    pub(super) fn expression_from_type(&mut self, ty: TypeId) -> ExprId {
        let constructed = self.construct(ty);
        let operand = self.postfix(constructed);
        let left = self.binary_from(operand);
        let first = self.assignment_from(left);
        self.more_commas(first)
    }

    fn more_commas(&mut self, mut left: ExprId) -> ExprId {
        while self.eat(T::Comma) {
            let right = self.assignment();
            left = self.join(left, right, |lhs, rhs| ExprKind::Comma { lhs, rhs });
        }
        left
    }

    /// `assignment_expression`: no comma.
    pub(super) fn assignment(&mut self) -> ExprId {
        let left = self.binary();
        self.assignment_from(left)
    }

    /// `constant_expression`: no comma, no assignment.
    pub(super) fn constant_expression(&mut self) -> ExprId {
        let left = self.binary();
        if self.peek() == T::Question { self.ternary(left) } else { left }
    }

    fn assignment_from(&mut self, left: ExprId) -> ExprId {
        let kind = self.peek();
        if kind == T::Question {
            return self.ternary(left);
        }
        let Some(op) = assignment_operator(kind) else { return left };
        if !self.descend() {
            return self.skip_operand();
        }
        self.check_bit_operator(kind);
        self.bump();
        let value = self.assignment();
        self.ascend();
        self.join(left, value, |target, value| ExprKind::Assign { op, target, value })
    }

    fn ternary(&mut self, condition: ExprId) -> ExprId {
        if !self.descend() {
            return self.skip_operand();
        }
        let question = self.bump();
        let accept = self.expression();
        let reject = if self.eat(T::Colon) { self.assignment() } else { self.missing_colon(question) };
        self.ascend();
        let span = self.ast[condition].span.to(self.ast[reject].span);
        self.add_expr(ExprKind::Ternary { condition, accept, reject }, span)
    }

    #[cold]
    fn missing_colon(&mut self, question: Span) -> ExprId {
        if !self.is_reported() {
            let diagnostic = self.expected_diagnostic("`:`").also(question, "of this `?`");
            self.report(diagnostic);
        }
        self.add_expr(ExprKind::Error, self.previous().after())
    }

    fn binary(&mut self) -> ExprId {
        let operand = self.unary();
        self.binary_from(operand)
    }

    /// Operator precedence parsing: an operator stays on the stack until one that binds no tighter follows.
    fn binary_from(&mut self, mut left: ExprId) -> ExprId {
        let mark = self.scratch.operators.len();
        loop {
            let kind = self.peek();
            let next = binary_operator(kind);
            let precedence = next.map_or(0, |(_, precedence)| precedence);
            while self.scratch.operators.len() > mark
                && let Some(pending) = self.scratch.operators.pop_if(|pending| pending.precedence >= precedence)
            {
                let op = pending.op;
                left = self.join(pending.lhs, left, |lhs, rhs| ExprKind::Binary { op, lhs, rhs });
            }
            let Some((op, precedence)) = next else { return left };
            self.check_bit_operator(kind);
            self.bump();
            self.scratch.operators.push(Pending { op, precedence, lhs: left });
            left = self.unary();
        }
    }

    fn join(&mut self, left: ExprId, right: ExprId, kind: impl FnOnce(ExprId, ExprId) -> ExprKind) -> ExprId {
        let span = self.ast[left].span.to(self.ast[right].span);
        self.add_expr(kind(left, right), span)
    }

    fn unary(&mut self) -> ExprId {
        if prefix_operator(self.peek()).is_some() {
            return self.prefixed();
        }
        let primary = self.primary();
        self.postfix(primary)
    }

    /// Prefix operators and their operand. They nest, but are gathered in a loop.
    fn prefixed(&mut self) -> ExprId {
        let mark = self.scratch.prefixes.len();
        let depth = self.depth;
        while let Some(op) = prefix_operator(self.peek()) {
            if !self.descend() {
                self.scratch.prefixes.truncate(mark);
                self.depth = depth;
                return self.skip_operand();
            }
            self.check_bit_operator(self.peek());
            let place = self.bump();
            self.scratch.prefixes.push((op, place));
        }
        let primary = self.primary();
        let mut operand = self.postfix(primary);
        self.depth = depth;
        for index in (mark..self.scratch.prefixes.len()).rev() {
            let (op, place) = self.scratch.prefixes[index];
            let span = place.to(self.ast[operand].span);
            operand = self.add_expr(ExprKind::Prefix { op, operand }, span);
        }
        self.scratch.prefixes.truncate(mark);
        operand
    }

    /// Behind an operand: `.name`, `[index]`, `(arguments)`, `++`, `--`.
    fn postfix(&mut self, mut base: ExprId) -> ExprId {
        loop {
            base = match self.peek() {
                T::Dot => self.field(base),
                T::LeftBracket => self.index(base),
                T::LeftParen => self.call(base),
                T::PlusPlus => self.postfix_operator(base, PostfixOp::Increment),
                T::MinusMinus => self.postfix_operator(base, PostfixOp::Decrement),
                _ => return base,
            }
        }
    }

    fn postfix_operator(&mut self, operand: ExprId, op: PostfixOp) -> ExprId {
        let span = self.ast[operand].span.to(self.bump());
        self.add_expr(ExprKind::Postfix { op, operand }, span)
    }

    fn field(&mut self, base: ExprId) -> ExprId {
        self.bump();
        let T::Ident(symbol) = self.peek() else {
            self.expected("the name of a member or components such as `xyz` after `.`");
            return base;
        };
        let word = self.words.get(symbol);
        if !matches!(word, Word::Name | Word::Struct | Word::Contextual) {
            if self.starts_new_statement() {
                self.expected("the name of a member or components such as `xyz` after `.`");
                return base;
            }
            self.misused_word(symbol);
        }
        let name = Name { symbol, span: self.bump() };
        let span = self.ast[base].span.to(name.span);
        self.add_expr(ExprKind::Field { base, name }, span)
    }

    fn index(&mut self, base: ExprId) -> ExprId {
        if !self.descend() {
            return self.skip_operand();
        }
        let open = self.bump();
        if self.peek() == T::RightBracket {
            self.expected("an index between `[` and `]`");
        }
        let index = if self.is_reported() { self.add_expr(ExprKind::Error, open.after()) } else { self.expression() };
        self.close(open, T::RightBracket, "an operator");
        self.ascend();
        let span = self.ast[base].span.to(self.previous());
        self.add_expr(ExprKind::Index { base, index }, span)
    }

    fn call(&mut self, callee: ExprId) -> ExprId {
        let callable = matches!(self.ast[callee].kind, ExprKind::Name(_) | ExprKind::Field { .. } | ExprKind::Error);
        if !callable {
            self.not_callable();
        }
        let Some(args) = self.arguments() else { return self.skip_operand() };
        let span = self.ast[callee].span.to(self.previous());
        let kind = if callable && self.ast[callee].kind != ExprKind::Error {
            ExprKind::Call { callee, args }
        } else {
            ExprKind::Error
        };
        self.add_expr(kind, span)
    }

    #[cold]
    fn not_callable(&mut self) {
        let diagnostic = Diagnostic::error(Code::E0201, self.span(), "only a function's name can be called")
            .label("not expected after this expression")
            .help("an operator, a `,` or a `;` may be missing before the `(`");
        self.report(diagnostic);
    }

    /// `(a, b)`, `()` or `(void)`; `None` if they are nested too deep.
    /// Recursion: at most `MAX_NESTING` levels, which `descend` counts.
    fn arguments(&mut self) -> Option<List<ExprId>> {
        if !self.descend() {
            return None;
        }
        // A missing `(` has been reported.
        let open = if self.peek() == T::LeftParen { self.bump() } else { self.previous() };
        let mark = self.scratch.exprs.len();
        if self.peek() == T::Ident(kw::VOID) && self.peek_at(1) == T::RightParen {
            self.bump();
        } else if self.peek() != T::RightParen {
            loop {
                let argument = self.assignment();
                self.scratch.exprs.push(argument);
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        self.close(open, T::RightParen, "`,`");
        self.ascend();
        Some(flush(&mut self.scratch.exprs, mark, &mut self.ast.expr_lists))
    }

    /// The arguments of a constructor.
    fn construct(&mut self, ty: TypeId) -> ExprId {
        let type_span = self.ast[ty].span;
        if self.peek() != T::LeftParen && !self.only_parenthesis_is_missing(ty) {
            return self.add_expr(ExprKind::Error, type_span);
        }
        let Some(args) = self.arguments() else { return self.skip_operand() };
        self.add_expr(ExprKind::Construct { ty, args }, type_span.to(self.previous()))
    }

    /// Reports that no `(` follows the type of a constructor; whether its arguments do: `vec3 a, b)`.
    #[cold]
    fn only_parenthesis_is_missing(&mut self, ty: TypeId) -> bool {
        let diagnostic = self
            .expected_diagnostic(&format!("`(` after the type {}", self.type_text(ty)))
            .help("in an expression, a type begins a constructor such as `vec3(1.0)`");
        self.report(diagnostic);
        let operand = matches!(
            self.peek(),
            T::Ident(_) | T::Int { .. } | T::Short { .. } | T::Long { .. } | T::Float(_) | T::Half(_) | T::Double(_)
        );
        let goes_on = operand && self.closes_unopened(0);
        if goes_on {
            self.reported_at = usize::MAX;
        }
        goes_on
    }

    fn type_text(&self, ty: TypeId) -> String {
        match self.ast[ty].base {
            TypeBase::Builtin(symbol) | TypeBase::Named(symbol) => format!("`{}`", self.text(symbol)),
            TypeBase::Struct(_) | TypeBase::Error => String::from("there"),
        }
    }

    fn primary(&mut self) -> ExprId {
        let span = self.span();
        let kind = match self.peek() {
            T::Ident(symbol) => return self.word_expression(symbol),
            T::Float(value) => ExprKind::Float(value),
            T::Int { bits, unsigned } => ExprKind::Int { bits, unsigned },
            T::Short { bits, unsigned } => ExprKind::Short { bits, unsigned },
            T::Long { bits, unsigned: true } => ExprKind::UnsignedLong(WideBits::new(bits)),
            T::Long { bits, unsigned: false } => ExprKind::Long(WideBits::new(bits)),
            T::Half(bits) => ExprKind::Half(bits),
            T::Double(value) => ExprKind::Double(WideBits::new(value.to_bits())),
            T::LeftParen => return self.parenthesized(),
            _ => return self.missing_operand(),
        };
        self.bump();
        self.add_expr(kind, span)
    }

    /// A name, a constructor, `true` or `false`.
    fn word_expression(&mut self, symbol: Symbol) -> ExprId {
        match self.words.get(symbol) {
            Word::Name | Word::Contextual => {
                let span = self.bump();
                self.add_expr(ExprKind::Name(symbol), span)
            }
            Word::Type | Word::Struct | Word::ForeignType => {
                let ty = self.type_specifier();
                self.construct(ty)
            }
            Word::Bool => {
                let span = self.bump();
                self.add_expr(ExprKind::Bool(symbol == kw::TRUE), span)
            }
            Word::Reserved => {
                self.reserved_word(symbol, self.span());
                if !matches!(self.words.get(symbol), Word::Type | Word::ForeignType) {
                    self.words.set(symbol, Word::Name);
                }
                self.word_expression(symbol)
            }
            // `x = sample * 2.0` with `sample` as a variable's name, which has been reported.
            // `nonuniformEXT(index)`, which has the syntax of a call.
            Word::Qualifier | Word::ForeignQualifier
                if symbol == kw::NONUNIFORMEXT || self.misused.contains(&symbol) =>
            {
                let span = self.bump();
                self.add_expr(ExprKind::Name(symbol), span)
            }
            _ => self.missing_operand(),
        }
    }

    fn parenthesized(&mut self) -> ExprId {
        if !self.descend() {
            return self.skip_operand();
        }
        let open = self.bump();
        if self.word_of(self.peek()) == Word::Type && self.peek_at(1) == T::RightParen {
            let cast = self.cast(open);
            self.ascend();
            return cast;
        }
        let inner = self.expression();
        self.close(open, T::RightParen, "an operator");
        self.ascend();
        self.add_expr(ExprKind::Paren(inner), open.to(self.previous()))
    }

    /// `(float)x`, as C has it.
    fn cast(&mut self, open: Span) -> ExprId {
        let ty = self.type_specifier();
        let place = open.to(self.bump());
        self.no_casts(ty, place);
        let operand = self.unary();
        self.scratch.exprs.push(operand);
        let mark = self.scratch.exprs.len() - 1;
        let args = flush(&mut self.scratch.exprs, mark, &mut self.ast.expr_lists);
        let span = place.to(self.ast[operand].span);
        self.add_expr(ExprKind::Construct { ty, args }, span)
    }

    #[cold]
    fn no_casts(&mut self, ty: TypeId, place: Span) {
        let text = self.type_text(ty);
        let name = text.trim_matches('`');
        let diagnostic = Diagnostic::error(Code::E0201, place, "GLSL has no casts like those of C")
            .label("a type in parentheses")
            .help(format!("write a constructor: `{name}(…)`"));
        self.report_apart(diagnostic);
    }

    /// Reports a missing operand; returns a placeholder.
    #[cold]
    fn missing_operand(&mut self) -> ExprId {
        if !self.is_reported() {
            let place = match self.pos.checked_sub(1).map(|before| self.tokens[before].kind) {
                Some(before) if before.punctuation().is_some() && expects_operand(before) => {
                    format!("an expression after {}", before.describe(self.names))
                }
                _ => String::from("an expression"),
            };
            let mut diagnostic = self.expected_diagnostic(&place);
            let before = self.pos.checked_sub(1).map(|before| self.tokens[before].kind);
            diagnostic = match (before, self.peek()) {
                (Some(T::Minus), T::Greater) => diagnostic.help("GLSL has no pointers: write `.` for `->`"),
                (_, T::Amp | T::Star) => {
                    diagnostic.help("GLSL has no pointers; a function changes an `inout` parameter")
                }
                (_, T::LeftBrace) if self.initializer_lists => {
                    diagnostic.help("a list in braces can only initialize a variable in its declaration")
                }
                (Some(T::Comma), T::RightParen) => diagnostic.help("leave out the last `,`"),
                _ => diagnostic,
            };
            self.report(diagnostic);
        }
        self.add_expr(ExprKind::Error, self.span())
    }

    /// Skips an operand that is nested too deep; this has been reported.
    #[cold]
    fn skip_operand(&mut self) -> ExprId {
        let start = self.pos;
        self.skip_to(|kind| matches!(kind, T::Semicolon | T::LeftBrace));
        self.mute();
        let span = self.span_from(start);
        self.add_expr(ExprKind::Error, span)
    }

    fn check_bit_operator(&mut self, kind: T) {
        let is_bit_operator = matches!(
            kind,
            T::Amp
                | T::Pipe
                | T::Caret
                | T::Tilde
                | T::Percent
                | T::LessLess
                | T::GreaterGreater
                | T::AmpEqual
                | T::PipeEqual
                | T::CaretEqual
                | T::PercentEqual
                | T::LessLessEqual
                | T::GreaterGreaterEqual
        );
        if is_bit_operator && !self.bit_operators && !self.is_reported() {
            let text = kind.punctuation().unwrap_or_default();
            self.other_version(self.span(), &format!("the operator `{text}` is"), 300, 130);
        }
    }

    // ------------------------------------------------------------------------------------------ initializers

    /// Behind the `=` of a declaration: an expression or a list in braces.
    pub(super) fn initializer(&mut self) -> ExprId {
        if self.peek() != T::LeftBrace {
            return self.assignment();
        }
        let start = self.span();
        let list = self.initializer_list();
        if !self.initializer_lists {
            let place = start.to(self.ast[list].span);
            let diagnostic = self
                .other_version_diagnostic(place, "a list in braces as initializer is", 0, 420)
                .help("write a constructor: `float[2](a, b)` for an array, `vec2(a, b)` for a vector");
            self.report_apart(diagnostic);
        }
        list
    }

    /// Recursion: at most `MAX_NESTING` levels, which `descend` counts.
    fn initializer_list(&mut self) -> ExprId {
        if !self.descend() {
            let start = self.span();
            self.skip_block();
            self.mute();
            return self.add_expr(ExprKind::Error, start.to(self.previous()));
        }
        let open = self.bump();
        let mark = self.scratch.exprs.len();
        while !matches!(self.peek(), T::RightBrace | T::Eof) {
            let before = self.pos;
            let item = if self.peek() == T::LeftBrace { self.initializer_list() } else { self.assignment() };
            self.scratch.exprs.push(item);
            if !self.eat(T::Comma) || self.pos == before {
                break;
            }
        }
        if self.scratch.exprs.len() == mark {
            self.expected("an expression after `{`");
        }
        self.close(open, T::RightBrace, "`,`");
        self.ascend();
        let items = flush(&mut self.scratch.exprs, mark, &mut self.ast.expr_lists);
        self.add_expr(ExprKind::InitList(items), open.to(self.previous()))
    }
}

/// Whether an operand must follow a token.
fn expects_operand(kind: T) -> bool {
    !matches!(kind, T::RightParen | T::RightBracket | T::RightBrace | T::Semicolon | T::LeftBrace | T::Dot)
}
