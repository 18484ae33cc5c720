//! Expressions of `#if`, `#elif` and `#line`: 32-bit integers, the operators of C except assignment, `?:` and `,`.
//!
//! Operator precedence parsing with two stacks, without recursion over parentheses. An operand's error is attached to
//! its value, and dropped if `&&` or `||` does not evaluate it.

use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::source::Span;

use super::macros::MacroTable;
use super::pp_token::{PpKind, PpToken};
use crate::lex::excerpt;
use crate::lex::number::read_number;
use crate::symbol::{Interner, Symbol, sym};
use crate::token::{Punct, TokenKind};
use crate::version::Version;

#[derive(Clone, Copy)]
struct Value {
    bits: i32,
    /// Its error, an index into [`Parser::troubles`].
    trouble: Option<usize>,
}

#[derive(Clone, Copy)]
enum Operator {
    Open(Span),
    Unary(Punct),
    Binary(Punct, Span),
}

struct Parser<'a> {
    names: &'a Interner,
    macros: &'a MacroTable,
    version: Version,
    values: Vec<Value>,
    operators: Vec<Operator>,
    troubles: Vec<Diagnostic>,
}

/// The value of an expression whose macros are expanded; `None` and its errors if it is invalid.
pub(super) fn evaluate(
    tokens: &[PpToken],
    directive: Span,
    names: &Interner,
    macros: &MacroTable,
    version: Version,
) -> (Option<i32>, Vec<Diagnostic>) {
    let mut parser = Parser { names, macros, version, values: vec![], operators: vec![], troubles: vec![] };
    match parser.parse(tokens, directive) {
        Err(diagnostic) => (None, vec![*diagnostic]),
        Ok(Value { bits, trouble: None }) => (Some(bits), vec![]),
        Ok(Value { bits, trouble: Some(index) }) => {
            let diagnostic = parser.troubles.swap_remove(index);
            ((!diagnostic.is_error()).then_some(bits), vec![diagnostic])
        }
    }
}

/// Number of tokens of the longest expression at the beginning: it ends where a value follows a value.
pub(super) fn end_of_expression(tokens: &[PpToken]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        let after_value = at.checked_sub(1).is_some_and(|before| {
            let before = &tokens[before];
            before.is(Punct::RightParen) || matches!(before.kind, PpKind::Number(_) | PpKind::Ident(_))
        });
        let begins_value =
            token.is(Punct::LeftParen) || matches!(token.kind, PpKind::Number(_) | PpKind::Ident(_) | PpKind::Str(_));
        if depth == 0 && after_value && begins_value {
            return at;
        }
        match token.kind {
            PpKind::Punct(Punct::LeftParen) => depth += 1,
            PpKind::Punct(Punct::RightParen) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    tokens.len()
}

impl Parser<'_> {
    fn parse(&mut self, tokens: &[PpToken], directive: Span) -> Result<Value, Box<Diagnostic>> {
        let mut operand_next = true;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match (operand_next, token.kind) {
                (true, PpKind::Punct(Punct::LeftParen)) => self.operators.push(Operator::Open(token.span)),
                (true, PpKind::Punct(p @ (Punct::Plus | Punct::Minus | Punct::Bang | Punct::Tilde))) => {
                    self.operators.push(Operator::Unary(p));
                }
                (true, PpKind::Number(text)) => {
                    let value = self.number(text, token.span);
                    self.values.push(value);
                    operand_next = false;
                }
                (true, PpKind::Ident(sym::DEFINED)) => {
                    at += self.defined(&tokens[at..], token.span)?;
                    operand_next = false;
                }
                (true, PpKind::Ident(name)) => {
                    let value = self.unknown(name, token.span);
                    self.values.push(value);
                    operand_next = false;
                }
                (false, PpKind::Punct(Punct::RightParen)) => self.close(token.span)?,
                (false, PpKind::Punct(punct)) if precedence(punct).is_some() => {
                    self.reduce(precedence(punct).unwrap_or(0));
                    self.operators.push(Operator::Binary(punct, token.span));
                    operand_next = true;
                }
                _ => return Err(Box::new(self.unexpected(token, operand_next))),
            }
        }
        if operand_next {
            let span = tokens.last().map_or(directive, |t| t.span.after());
            return Err(Box::new(error(span, "the expression is not complete").label("a value is missing here")));
        }
        self.reduce(0);
        if let Some(Operator::Open(span)) = self.operators.last() {
            return Err(Box::new(error(*span, "this `(` is not closed")));
        }
        Ok(self.pop())
    }

    fn pop(&mut self) -> Value {
        self.values.pop().expect("every operator is pushed between its operands")
    }

    fn trouble(&mut self, diagnostic: Diagnostic) -> Value {
        self.troubles.push(diagnostic);
        Value { bits: 0, trouble: Some(self.troubles.len() - 1) }
    }

    fn number(&mut self, text: Symbol, span: Span) -> Value {
        let text = self.names.resolve(text);
        let number = read_number(text, self.version);
        match (number.kind, number.trouble) {
            (TokenKind::Int { bits, .. }, None) => Value { bits: bits as i32, trouble: None },
            (TokenKind::Int { .. }, Some(trouble)) => {
                let mut diagnostic = Diagnostic::error(Code::E0102, span, trouble.message);
                diagnostic.help.extend(trouble.help);
                self.trouble(diagnostic)
            }
            _ => self.trouble(
                error(span, format!("`{}` is not an integer", excerpt(text))).note("`#if` takes integers only"),
            ),
        }
    }

    /// `defined NAME` or `defined(NAME)`: the number of tokens after `defined` that it consumed.
    fn defined(&mut self, rest: &[PpToken], span: Span) -> Result<usize, Box<Diagnostic>> {
        let (name, length) = match rest {
            [open, name, close, ..] if open.is(Punct::LeftParen) && close.is(Punct::RightParen) => (name, 3),
            [open, name, ..] if open.is(Punct::LeftParen) => {
                let mut diagnostic = error(open.span, "this `(` is not closed");
                if name.ident().is_some() {
                    diagnostic = diagnostic.help("`defined` takes one name: `defined(NAME)`");
                }
                return Err(Box::new(diagnostic));
            }
            [name, ..] => (name, 1),
            [] => return Err(Box::new(error(span.after(), "`defined` needs the name of a macro"))),
        };
        let Some(name) = name.ident() else {
            return Err(Box::new(error(name.span, "`defined` needs the name of a macro")));
        };
        let bits = i32::from(self.macros.find(name).is_some());
        self.values.push(Value { bits, trouble: None });
        Ok(length)
    }

    /// A name that is no macro: an error by the specifications; desktop compilers evaluate it to 0.
    fn unknown(&mut self, name: Symbol, span: Span) -> Value {
        let text = &*excerpt(self.names.resolve(name));
        if self.macros.definition(name).is_some_and(|d| d.params.is_some()) {
            return self.trouble(error(span, format!("macro `{text}` needs its arguments here")));
        }
        let message = format!("`{text}` is not a macro");
        let mut diagnostic = if self.version.is_es() {
            error(span, message).help(format!("`defined({text}) && {text}` is 0 where it is not defined"))
        } else {
            Diagnostic::warning(Code::E0111, span, format!("{message}; it counts as 0"))
        };
        // In a program with very many macros, a search of the first thousands suffices for a suggestion.
        let known = self.macros.names().take(2000).map(|n| self.names.resolve(n));
        if let Some(meant) = did_you_mean(text, known) {
            diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
        }
        self.trouble(diagnostic)
    }

    fn close(&mut self, span: Span) -> Result<(), Box<Diagnostic>> {
        self.reduce(0);
        match self.operators.pop() {
            Some(_) => {
                self.reduce_unary();
                Ok(())
            }
            None => Err(Box::new(error(span, "this `)` closes nothing"))),
        }
    }

    /// Applies the operators on top that bind at least as strongly, up to an open parenthesis.
    fn reduce(&mut self, least: u8) {
        self.reduce_unary();
        while let Some(&Operator::Binary(punct, span)) = self.operators.last() {
            if precedence(punct).is_none_or(|p| p < least) {
                return;
            }
            self.operators.pop();
            let right = self.pop();
            let left = self.pop();
            let value = self.binary(punct, span, left, right);
            self.values.push(value);
            self.reduce_unary();
        }
    }

    fn reduce_unary(&mut self) {
        while let Some(&Operator::Unary(punct)) = self.operators.last() {
            self.operators.pop();
            let value = self.pop();
            let bits = match punct {
                Punct::Minus => value.bits.wrapping_neg(),
                Punct::Bang => i32::from(value.bits == 0),
                Punct::Tilde => !value.bits,
                _ => value.bits,
            };
            self.values.push(Value { bits, ..value });
        }
    }

    fn binary(&mut self, punct: Punct, span: Span, left: Value, right: Value) -> Value {
        let decided = match punct {
            Punct::AmpAmp => left.bits == 0,
            Punct::PipePipe => left.bits != 0,
            _ => false,
        };
        let trouble = match (left.trouble, right.trouble) {
            (_, None) => left.trouble,
            // The right operand does not count, as in C.
            (None, Some(_)) if decided => None,
            (None, Some(_)) => right.trouble,
            (Some(l), Some(r)) => Some(if self.troubles[l].is_error() { l } else { r }),
        };
        let shift = u32::try_from(right.bits).ok().filter(|n| *n < 32);
        let (l, r) = (left.bits, right.bits);
        let bits = match punct {
            Punct::PipePipe => i32::from(l != 0 || r != 0),
            Punct::AmpAmp => i32::from(l != 0 && r != 0),
            Punct::Pipe => l | r,
            Punct::Caret => l ^ r,
            Punct::Amp => l & r,
            Punct::EqualEqual => i32::from(l == r),
            Punct::BangEqual => i32::from(l != r),
            Punct::Less => i32::from(l < r),
            Punct::LessEqual => i32::from(l <= r),
            Punct::Greater => i32::from(l > r),
            Punct::GreaterEqual => i32::from(l >= r),
            Punct::Plus => l.wrapping_add(r),
            Punct::Minus => l.wrapping_sub(r),
            Punct::Star => l.wrapping_mul(r),
            Punct::LessLess | Punct::GreaterGreater => match shift {
                Some(n) if punct == Punct::LessLess => l << n,
                Some(n) => l >> n,
                None if trouble.is_some() => 0,
                None => {
                    return self.trouble(error(span, format!("a shift by {r} is not defined")).label("0 to 31 are"));
                }
            },
            _ if r == 0 && trouble.is_some() => 0,
            _ if r == 0 => return self.trouble(error(span, "division by zero")),
            Punct::Slash => l.wrapping_div(r),
            _ => l.wrapping_rem(r),
        };
        Value { bits, trouble }
    }

    fn unexpected(&self, token: &PpToken, operand_next: bool) -> Diagnostic {
        let what = token.describe(self.names);
        match token.kind {
            PpKind::Punct(Punct::Equal) => {
                error(token.span, "`=` does not compare").help("write `==`").fix(token.span, "==")
            }
            _ if operand_next => error(token.span, format!("expected a value, found {what}")),
            PpKind::Punct(Punct::Question | Punct::Comma | Punct::CaretCaret) => {
                error(token.span, format!("{what} is not an operator of `#if`"))
            }
            _ => error(token.span, format!("expected an operator or the end of the line, found {what}")),
        }
    }
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::E0111, span, message)
}

/// Precedence of a binary operator; higher binds tighter.
fn precedence(punct: Punct) -> Option<u8> {
    Some(match punct {
        Punct::PipePipe => 1,
        Punct::AmpAmp => 2,
        Punct::Pipe => 3,
        Punct::Caret => 4,
        Punct::Amp => 5,
        Punct::EqualEqual | Punct::BangEqual => 6,
        Punct::Less | Punct::LessEqual | Punct::Greater | Punct::GreaterEqual => 7,
        Punct::LessLess | Punct::GreaterGreater => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}
