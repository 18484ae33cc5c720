//! Macro expansion by the rules of C: arguments are expanded first, the result is rescanned together with the text that
//! follows, and the name of a macro inside its own expansion is not expanded ("blue paint").
//!
//! Nothing recurses: the inputs are a stack of [`Frame`]s, calls whose arguments are incomplete a stack of [`Call`]s.

use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::macros::{Definition, MacroId, Meaning, pastes_at};
use super::pp_token::{PpKind, PpToken};
use super::reader::Reader;
use super::{Expansion, MAX_EXPANDED_TOKENS, MAX_EXPANSION_DEPTH};
use crate::lex::{LexKind, Scanner, excerpt};
use crate::symbol::sym;
use crate::token::Punct;

/// Tokens that are read before the source continues.
#[derive(Debug)]
pub(super) struct Frame {
    tokens: FrameTokens,
    next: usize,
    kind: FrameKind,
}

#[derive(Debug)]
enum FrameTokens {
    /// The body of a macro without parameters: its tokens have the span of the macro's use.
    Body {
        tokens: Arc<[PpToken]>,
        site: Span,
        space: bool,
    },
    Own(Vec<PpToken>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrameKind {
    /// The expansion of a macro, which is disabled until the frame has been read.
    Macro(MacroId),
    /// An argument or a line.
    Plain,
    /// A barrier: the end of an argument or of a line.
    Barrier,
}

/// A call of a macro with parameters whose arguments are being collected.
#[derive(Debug)]
pub(super) struct Call {
    id: MacroId,
    definition: Arc<Definition>,
    site: Span,
    space: bool,
    /// The arguments as written, and where each starts and ends.
    raw: Vec<PpToken>,
    raw_bounds: Vec<(usize, usize)>,
    /// The arguments expanded, as far as that has come.
    expanded: Vec<PpToken>,
    expanded_bounds: Vec<(usize, usize)>,
}

/// The state of expansion.
#[derive(Debug, Default)]
pub(super) struct Expander {
    frames: Vec<Frame>,
    calls: Vec<Call>,
    /// Number of tokens read or created, for the limit.
    work: usize,
    /// Output of a directive's tokens.
    line: Vec<PpToken>,
    /// Whether the line is a condition of `#if`, so that `defined` is an operator.
    in_condition: bool,
}

impl Expander {
    /// Drops everything, after the limit has been exceeded.
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.calls.clear();
    }
}

/// The destination of an expansion.
#[derive(Clone, Copy)]
struct Base {
    /// The calls below this are someone else's.
    calls: usize,
    /// Whether it is a line of a directive rather than the program.
    line: bool,
}

enum Read {
    Token(PpToken),
    Barrier,
    Empty,
}

impl Reader<'_> {
    /// Expands a macro used in the source, and appends the result to the tokens of the program.
    pub(super) fn expand(&mut self, name: PpToken, id: MacroId) {
        let base = Base { calls: 0, line: false };
        self.use_macro(name, id, base);
        self.pump(base);
    }

    /// Expands the tokens of a directive; `condition` if `defined` is an operator there.
    pub(super) fn expand_line(&mut self, line: Vec<PpToken>, condition: bool) -> Vec<PpToken> {
        let outer = std::mem::take(&mut self.expander.line);
        self.expander.in_condition = condition;
        self.push_frame(FrameTokens::Own(vec![]), FrameKind::Barrier);
        self.push_frame(FrameTokens::Own(line), FrameKind::Plain);
        self.pump(Base { calls: self.expander.calls.len(), line: true });
        self.expander.frames.pop();
        self.expander.in_condition = false;
        std::mem::replace(&mut self.expander.line, outer)
    }

    /// Reads frames until there are none, or to the barrier of the line.
    fn pump(&mut self, base: Base) {
        loop {
            match self.read() {
                Read::Empty => return,
                Read::Barrier if self.expander.calls.len() == base.calls => return,
                Read::Barrier => {
                    self.expander.frames.pop();
                    self.end_argument();
                }
                Read::Token(token) => match token.ident() {
                    Some(sym::DEFINED) if self.expander.in_condition => self.pass_defined(token, base),
                    Some(name) if !token.painted => match self.macros.find(name) {
                        Some(id) => self.use_macro(token, id, base),
                        None => self.emit(token, base),
                    },
                    _ => self.emit(token, base),
                },
            }
        }
    }

    /// The next token of the frames; finished ones are popped, and their macros enabled again.
    fn read(&mut self) -> Read {
        loop {
            let Some(frame) = self.expander.frames.last_mut() else { return Read::Empty };
            if frame.kind == FrameKind::Barrier {
                return Read::Barrier;
            }
            let token = match &frame.tokens {
                FrameTokens::Own(tokens) => tokens.get(frame.next).copied(),
                FrameTokens::Body { tokens, site, space } => tokens.get(frame.next).map(|t| PpToken {
                    span: *site,
                    space: if frame.next == 0 { *space } else { t.space },
                    ..*t
                }),
            };
            let Some(mut token) = token else {
                self.pop_frame();
                continue;
            };
            frame.next += 1;
            if let Some(id) = token.ident().and_then(|name| self.macros.find(name)) {
                token.painted |= self.macros.is_disabled(id);
            }
            if !self.charge(1, token.span) {
                return Read::Empty;
            }
            return Read::Token(token);
        }
    }

    /// The next token of the frames or, after them, of the source. `None` at a barrier and at the end.
    fn read_raw(&mut self) -> Option<PpToken> {
        match self.read() {
            Read::Token(token) => Some(token),
            Read::Barrier => None,
            Read::Empty => self.source_token(),
        }
    }

    fn push_frame(&mut self, tokens: FrameTokens, kind: FrameKind) {
        if let FrameKind::Macro(id) = kind {
            self.macros.disable(id, true);
        }
        self.expander.frames.push(Frame { tokens, next: 0, kind });
    }

    fn pop_frame(&mut self) {
        if let Some(Frame { kind: FrameKind::Macro(id), .. }) = self.expander.frames.pop() {
            self.macros.disable(id, false);
        }
    }

    /// Counts work; `false` if the limit is exceeded.
    fn charge(&mut self, tokens: usize, at: Span) -> bool {
        self.expander.work = self.expander.work.saturating_add(tokens);
        if self.expander.work <= MAX_EXPANDED_TOKENS {
            return true;
        }
        let message = format!("macros of this program expand to more than {MAX_EXPANDED_TOKENS} tokens");
        self.stop(Diagnostic::error(Code::E0113, at, message).label("the limit is reached here"));
        false
    }

    fn emit(&mut self, token: PpToken, base: Base) {
        if self.expander.calls.len() > base.calls {
            let call = self.expander.calls.last_mut().expect("there are more than the base has");
            call.expanded.push(token);
        } else if base.line {
            self.expander.line.push(token);
        } else {
            self.accept(token);
        }
    }

    /// Passes `defined NAME` or `defined(NAME)` on without expanding the name.
    fn pass_defined(&mut self, defined: PpToken, base: Base) {
        let in_call = self.expander.calls.len() > base.calls
            || matches!(self.expander.frames.last(), Some(Frame { kind: FrameKind::Macro(_), .. }));
        if in_call && self.version.is_es() {
            let message = "`defined` may not come out of a macro";
            let note = format!("{} leaves its meaning unspecified", self.version);
            self.report(Diagnostic::error(Code::E0111, defined.span, message).note(note));
        }
        self.emit(defined, base);
        for _ in 0..2 {
            let Some(token) = self.read_raw() else { return };
            self.emit(token, base);
            if !token.is(Punct::LeftParen) {
                return;
            }
        }
    }

    /// Meets the name of a macro.
    fn use_macro(&mut self, name: PpToken, id: MacroId, base: Base) {
        let definition = match self.macros.meaning(id) {
            Meaning::Defined(definition) => definition.clone(),
            Meaning::Number(value) => {
                let value = i64::from(*value);
                return self.emit_number(name, value, base);
            }
            Meaning::Line => {
                // In the body of a macro with arguments this is the span of its use, which ends with the `)`: that line
                // counts, as in C and in other compilers of GLSL.
                let line = self.line_of(name.span.end.saturating_sub(1));
                return self.emit_number(name, line, base);
            }
            Meaning::File => {
                let number = self.sources.last().map_or(0, |s| s.number);
                return self.emit_number(name, i64::from(number), base);
            }
        };
        if self.expander.frames.len() + self.expander.calls.len() >= MAX_EXPANSION_DEPTH {
            let message = format!("macros are nested more than {MAX_EXPANSION_DEPTH} deep");
            return self.stop(Diagnostic::error(Code::E0113, name.span, message));
        }
        if definition.params.is_some() {
            if self.take_open_paren() {
                self.begin_call(name, id, definition, base);
            } else {
                self.emit(name, base);
            }
        } else if definition.pastes {
            let call = Call::new(id, definition, name.span, name.space);
            self.note_site(name, &call);
            self.push_expansion(call);
        } else {
            self.note_use(name, name.span, definition.span);
            let tokens = FrameTokens::Body { tokens: definition.body.clone(), site: name.span, space: name.space };
            self.push_frame(tokens, FrameKind::Macro(id));
        }
    }

    fn emit_number(&mut self, name: PpToken, value: i64, base: Base) {
        // `#line` accepts negative numbers, but literals are unsigned.
        let text = self.names.intern(&value.unsigned_abs().to_string());
        if value < 0 {
            self.emit(PpToken { kind: PpKind::Punct(Punct::Minus), ..name }, base);
        }
        self.emit(PpToken { kind: PpKind::Number(text), ..name }, base);
    }

    fn note_site(&mut self, name: PpToken, call: &Call) {
        self.note_use(name, call.site, call.definition.span);
    }

    fn note_use(&mut self, name: PpToken, site: Span, definition: Span) {
        // Nested macros have the span of the outermost, which came first.
        if self.sites.last().is_none_or(|last| last.site != site)
            && let Some(name) = name.ident()
        {
            self.sites.push(Expansion { site, name, definition });
        }
    }

    /// Consumes a `(` if it comes next, in the frames or after them.
    fn take_open_paren(&mut self) -> bool {
        while let Some(frame) = self.expander.frames.last_mut() {
            if frame.kind == FrameKind::Barrier {
                return false;
            }
            let tokens: &[PpToken] = match &frame.tokens {
                FrameTokens::Own(tokens) => tokens,
                FrameTokens::Body { tokens, .. } => tokens,
            };
            if let Some(token) = tokens.get(frame.next) {
                let found = token.is(Punct::LeftParen);
                frame.next += usize::from(found);
                return found;
            }
            self.pop_frame();
        }
        self.take_source_open_paren()
    }

    /// Collects the arguments after the `(`, and begins to expand them.
    fn begin_call(&mut self, name: PpToken, id: MacroId, definition: Arc<Definition>, base: Base) {
        let mut call = Call::new(id, definition, name.span, name.space);
        let mut depth = 0_usize;
        let mut start = 0;
        loop {
            let Some(token) = self.read_raw() else {
                let what = name.describe(&self.names);
                let diagnostic =
                    Diagnostic::error(Code::E0109, name.span, format!("the arguments of macro {what} do not end"))
                        .label("the `)` of this use is missing")
                        .also(call.definition.span, "the macro is defined here");
                self.report(diagnostic);
                return self.emit_zero(name, base);
            };
            match token.kind {
                PpKind::Punct(Punct::RightParen) if depth == 0 => {
                    call.raw_bounds.push((start, call.raw.len()));
                    call.site = name.span.to(token.span);
                    break;
                }
                PpKind::Punct(Punct::Comma) if depth == 0 => {
                    call.raw_bounds.push((start, call.raw.len()));
                    start = call.raw.len();
                    continue;
                }
                PpKind::Punct(Punct::LeftParen) => depth += 1,
                PpKind::Punct(Punct::RightParen) => depth -= 1,
                _ => {}
            }
            call.raw.push(token);
        }
        if self.check_arity(name, &mut call) {
            self.note_site(name, &call);
            self.expander.calls.push(call);
            self.next_argument();
        } else {
            self.emit_zero(name, base);
        }
    }

    /// Emits a zero in place of an expansion that failed, where a value is likely to be expected.
    fn emit_zero(&mut self, name: PpToken, base: Base) {
        self.emit_number(name, 0, base);
    }

    fn check_arity(&mut self, name: PpToken, call: &mut Call) -> bool {
        let params = call.definition.params.as_deref().unwrap_or(&[]);
        if params.is_empty() && call.raw.is_empty() && call.raw_bounds.len() == 1 {
            call.raw_bounds.clear();
        }
        let (expected, found) = (params.len(), call.raw_bounds.len());
        if expected == found {
            return true;
        }
        let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
        let names: Vec<&str> = params.iter().map(|p| self.names.resolve(*p)).collect();
        let macro_name = name.describe(&self.names);
        let message = format!("macro {macro_name} takes {}, found {}", count(expected), found);
        let definition = format!("defined with ({}) here", excerpt(&names.join(", ")));
        let mut diagnostic = Diagnostic::error(Code::E0109, call.site, message).also(call.definition.span, definition);
        if found > expected && expected > 0 {
            diagnostic = diagnostic.help("put parentheses around an argument that contains a comma");
        }
        self.report(diagnostic);
        false
    }

    /// The argument of the last call that is being expanded is complete.
    fn end_argument(&mut self) {
        let Some(call) = self.expander.calls.last_mut() else { return };
        let start = call.expanded_bounds.last().map_or(0, |b| b.1);
        call.expanded_bounds.push((start, call.expanded.len()));
        self.next_argument();
    }

    /// Starts expanding the next argument of the last call, or its body if there is none.
    fn next_argument(&mut self) {
        let Some(call) = self.expander.calls.last_mut() else { return };
        while let Some(&(start, end)) = call.raw_bounds.get(call.expanded_bounds.len()) {
            let argument = &call.raw[start..end];
            let from = call.expanded.len();
            if call.definition.expands[call.expanded_bounds.len()] {
                let has_macro = argument.iter().any(|t| t.ident().is_some_and(|n| self.macros.find(n).is_some()));
                if has_macro {
                    let tokens = argument.to_vec();
                    self.push_frame(FrameTokens::Own(vec![]), FrameKind::Barrier);
                    return self.push_frame(FrameTokens::Own(tokens), FrameKind::Plain);
                }
                call.expanded.extend_from_slice(argument);
            }
            call.expanded_bounds.push((from, call.expanded.len()));
        }
        if let Some(call) = self.expander.calls.pop() {
            self.push_expansion(call);
        }
    }

    fn push_expansion(&mut self, call: Call) {
        if self.charge(call.size(), call.site) {
            let tokens = self.substitute(&call);
            self.push_frame(FrameTokens::Own(tokens), FrameKind::Macro(call.id));
        }
    }

    /// The body of a macro with its arguments put in and `##` done.
    fn substitute(&mut self, call: &Call) -> Vec<PpToken> {
        let body = &*call.definition.body;
        let mut result: Vec<PpToken> = Vec::with_capacity(body.len() + call.expanded.len());
        // Whether the left operand of a `##` was an argument without tokens.
        let mut left_is_empty = false;
        for (index, token) in body.iter().enumerate() {
            if token.kind == PpKind::Paste {
                continue;
            }
            let own = [PpToken { span: call.site, ..*token }];
            let operand = match token.kind {
                PpKind::Param(param) if pastes_at(body, index) => call.raw_argument(param),
                PpKind::Param(param) => call.expanded_argument(param),
                _ => &own,
            };
            let pasted = index > 0 && body[index - 1].kind == PpKind::Paste;
            let mut rest = operand;
            if pasted && !left_is_empty {
                if let ([first, others @ ..], Some(left)) = (operand, result.last().copied()) {
                    match self.paste(left, *first, call) {
                        Some(token) => result[..].last_mut().into_iter().for_each(|t| *t = token),
                        None => result.push(*first),
                    }
                    rest = others;
                }
            } else if let [first, others @ ..] = operand {
                result.push(PpToken { space: token.space, ..*first });
                rest = others;
            }
            result.extend_from_slice(rest);
            left_is_empty = operand.is_empty() && (!pasted || left_is_empty);
        }
        if let Some(first) = result.first_mut() {
            first.space = call.space;
        }
        result
    }

    /// Concatenates two tokens; `None`, with an error, if the result is no token.
    fn paste(&mut self, left: PpToken, right: PpToken, call: &Call) -> Option<PpToken> {
        let mut text = String::new();
        left.write(&mut text, &self.names);
        right.write(&mut text, &self.names);
        // Names that double with every macro are one token each; their length counts.
        if !self.charge(text.len(), call.site) {
            return None;
        }
        let mut scanner = Scanner::new(&text, 0);
        let lexeme = scanner.next();
        if lexeme.end == text.len() && lexeme.start == 0 && !matches!(lexeme.kind, LexKind::End | LexKind::OpenComment)
        {
            let token = self.pp_token(&text, lexeme.kind, call.site);
            return Some(PpToken { space: left.space, ..token });
        }
        let (left, right) = (left.describe(&self.names), right.describe(&self.names));
        let message = format!("`##` makes no token of {left} and {right}");
        self.report(Diagnostic::error(Code::E0109, call.site, message));
        None
    }
}

impl Call {
    fn new(id: MacroId, definition: Arc<Definition>, site: Span, space: bool) -> Self {
        Call { id, definition, site, space, raw: vec![], raw_bounds: vec![], expanded: vec![], expanded_bounds: vec![] }
    }

    fn raw_argument(&self, param: u32) -> &[PpToken] {
        let (start, end) = self.raw_bounds[param as usize];
        &self.raw[start..end]
    }

    fn expanded_argument(&self, param: u32) -> &[PpToken] {
        let (start, end) = self.expanded_bounds[param as usize];
        &self.expanded[start..end]
    }

    /// Maximum number of tokens of the expansion.
    fn size(&self) -> usize {
        let of = |token: &PpToken| match token.kind {
            PpKind::Param(p) => self.raw_argument(p).len().max(self.expanded_argument(p).len()),
            _ => 1,
        };
        self.definition.body.iter().map(of).sum()
    }
}
