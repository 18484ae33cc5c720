//! The parser: tokens to syntax tree, by recursive descent, with recovery.
//!
//! The grammar depends on which names are types (`S * x` against `S x`), so the parser keeps that one fact of the
//! scopes (see [`words`]). Names and types are otherwise left to the checker.
//!
//! # Recovery
//! There is always a tree. The functions here do not fail: they report a missing construct once, put an error node in
//! its place, and continue; further errors at the same token are suppressed. The parser resynchronizes at brackets,
//! statements and declarations ([`errors`]).
//!
//! # Limits
//! Nesting is bounded by [`MAX_NESTING`]; the number of errors by [`MAX_ERRORS`]. Time and memory are linear in the
//! number of tokens.

mod declarations;
mod errors;
mod expressions;
mod foreign;
mod statements;
mod types;
mod words;

#[cfg(test)]
mod tests;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use crate::ast::*;
use crate::preprocess::{Behavior, Pragma, Preprocessed};
use crate::symbol::{Interner, Symbol, kw};
use crate::token::{Token, TokenKind};
use crate::version::{Version, WordClass};

pub use errors::MAX_ERRORS;
use words::{Word, Words};

/// Parses a preprocessed program.
///
/// Returns a tree in any case, and the errors in the order of the source: E0201 to E0206, and E0301 for the types of
/// other languages. Linear in the number of tokens.
///
/// # Example
/// ```
/// use planish_front_glsl::{parse::parse, preprocess::{PreprocessOptions, preprocess}};
/// use planish_ir::source::SourceMap;
/// let mut map = SourceMap::new();
/// let file = map.add("a.frag", "void main() { gl_FragColor = vec4(1.0) }").unwrap();
/// let program = preprocess(&mut map, &file, &mut PreprocessOptions::default());
/// let (tree, errors) = parse(&program);
/// assert_eq!(errors[0].message, "expected `;` after the assignment");
/// assert_eq!(
///     tree.to_text(&program.interner),
///     "(function void main () (block (= gl_FragColor (new vec4 1.0))))\n"
/// );
/// ```
pub fn parse(program: &Preprocessed) -> (Ast, Vec<Diagnostic>) {
    let mut parser = Parser::new(program);
    parser.translation_unit(&program.pragmas);
    let explain = |diagnostic| program.expansions.explain(diagnostic, &program.interner);
    let mut diagnostics: Vec<Diagnostic> = parser.diagnostics.into_iter().map(explain).collect();
    diagnostics.sort_by_key(|d| d.span);
    (parser.ast, diagnostics)
}

struct Parser<'a> {
    /// At least one token, and the last is `Eof`.
    tokens: &'a [Token],
    /// The token at hand.
    pos: usize,
    names: &'a Interner,
    version: Version,
    words: Words,
    /// Whether `& | ^ ~ << >> %` are available.
    bit_operators: bool,
    /// Whether `{ … }` is allowed as an initializer.
    initializer_lists: bool,
    ast: Ast,
    diagnostics: Vec<Diagnostic>,
    /// Spans that are no valid tokens: errors directly after them are consequential.
    misread: Vec<Span>,
    /// The token at which the last error was reported; another error there is consequential.
    reported_at: usize,
    /// Keywords that were reported in the place of a name: further uses as names are not reported.
    misused: Vec<Symbol>,
    /// Levels of nesting around the token at hand.
    depth: u32,
    /// Whether the nesting of this external declaration has been reported.
    too_deep: bool,
    /// Whether the first part of the head of a `for` is being parsed: its `;` ends no statement.
    in_head: bool,
    /// The `{` of the enclosing blocks.
    open_blocks: Vec<Span>,
    /// Set if the definition of a function shows that a `}` was missing: leave all statements.
    leave_function: bool,
    /// Set after statements outside of functions: they have been reported, and the following `}` is consequential.
    astray: bool,
    scratch: Scratch,
}

/// Lists under construction. A list that may contain others of its kind is collected here above a mark and moved to its
/// pool in one piece.
#[derive(Default)]
struct Scratch {
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
    dims: Vec<Dim>,
    members: Vec<Member>,
    operators: Vec<expressions::Pending>,
    prefixes: Vec<(PrefixOp, Span)>,
}

/// Moves the elements above `mark` to the pool.
fn flush<T: Copy>(scratch: &mut Vec<T>, mark: usize, pool: &mut Vec<T>) -> List<T> {
    if scratch.len() == mark {
        return List::EMPTY;
    }
    let start = pool.len();
    pool.extend_from_slice(&scratch[mark..]);
    scratch.truncate(mark);
    List::new(start, pool.len())
}

static NO_TOKENS: [Token; 1] = [Token { kind: TokenKind::Eof, span: Span::NONE }];

impl<'a> Parser<'a> {
    fn new(program: &'a Preprocessed) -> Self {
        let tokens = if program.tokens.is_empty() { &NO_TOKENS[..] } else { &program.tokens[..] };
        let version = program.version;
        let mut table = version.words();
        let mut has_list_extension = false;
        for extension in program.extensions.iter().filter(|e| e.behavior != Behavior::Disable) {
            let name = program.interner.resolve(extension.name);
            table.enable(name);
            has_list_extension |= name == "GL_ARB_shading_language_420pack";
        }
        // Extensions that add unsigned vectors to early desktop versions also add their operators.
        let bit_operators = version.has_bit_operators() || table.class(kw::UVEC2) == WordClass::Keyword;
        let unreadable = |d: &&Diagnostic| matches!(d.code, Code::E0101 | Code::E0102 | Code::E0109) && d.is_error();
        let mut misread: Vec<Span> = program.diagnostics.iter().filter(unreadable).map(|d| d.span).collect();
        misread.sort();
        let size = tokens.len();
        let mut ast = Ast::default();
        ast.exprs.reserve(size / 2);
        ast.stmts.reserve(size / 8);
        ast.types.reserve(size / 12);
        ast.decls.reserve(size / 16);
        Parser {
            tokens,
            pos: 0,
            names: &program.interner,
            version,
            words: Words::new(&table, program.interner.len()),
            bit_operators,
            initializer_lists: version.at_least(0, 420) || has_list_extension,
            ast,
            diagnostics: vec![],
            misread,
            reported_at: usize::MAX,
            misused: vec![],
            depth: 0,
            too_deep: false,
            in_head: false,
            open_blocks: vec![],
            leave_function: false,
            astray: false,
            scratch: Scratch::default(),
        }
    }

    fn translation_unit(&mut self, pragmas: &[Pragma]) {
        let mut next_pragma = 0;
        loop {
            while let Some(pragma) = pragmas.get(next_pragma).filter(|p| p.position <= self.pos || self.at_end()) {
                let kind = DeclKind::Pragma(next_pragma as u32);
                let decl = self.add_decl(kind, pragma.span);
                self.add_item(decl);
                next_pragma += 1;
            }
            if self.at_end() {
                break;
            }
            let before = self.pos;
            self.too_deep = false;
            let decl = self.external_declaration();
            // Ensures progress after any error.
            if self.pos == before {
                self.pos += 1;
            }
            self.add_item(decl);
        }
    }

    fn add_item(&mut self, decl: DeclId) {
        self.ast.items.push(decl);
        self.ast.item_ends.push(self.pos as u32);
    }

    // ------------------------------------------------------------------------------------------ tokens

    fn peek(&self) -> TokenKind {
        self.tokens[self.pos].kind
    }

    /// The kind of the token `ahead` tokens after the current one.
    fn peek_at(&self, ahead: usize) -> TokenKind {
        self.tokens[(self.pos + ahead).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.pos].span
    }

    /// The place of the token before the one at hand.
    fn previous(&self) -> Span {
        self.tokens[self.pos.saturating_sub(1)].span
    }

    /// The span from the token at index `start` to the one before the current one.
    fn span_from(&self, start: usize) -> Span {
        let start = self.tokens[start].span;
        if self.pos == 0 { start } else { start.to(self.previous()) }
    }

    fn at_end(&self) -> bool {
        self.pos + 1 >= self.tokens.len()
    }

    /// Moves on, but not past the end.
    fn bump(&mut self) -> Span {
        let span = self.span();
        if !self.at_end() {
            self.pos += 1;
        }
        span
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let there = self.peek() == kind;
        if there {
            self.bump();
        }
        there
    }

    /// The class of a token as a word; [`Word::None`] for everything but names and words.
    fn word_of(&self, kind: TokenKind) -> Word {
        match kind {
            TokenKind::Ident(symbol) => self.words.get(symbol),
            _ => Word::None,
        }
    }

    fn text(&self, symbol: Symbol) -> &'a str {
        self.names.resolve(symbol)
    }

    // ------------------------------------------------------------------------------------------ nodes

    fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId::new(self.ast.exprs.len());
        self.ast.exprs.push(Expr { kind, span });
        id
    }

    fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        let id = StmtId::new(self.ast.stmts.len());
        self.ast.stmts.push(Stmt { kind, span });
        id
    }

    fn add_decl(&mut self, kind: DeclKind, span: Span) -> DeclId {
        let id = DeclId::new(self.ast.decls.len());
        self.ast.decls.push(Decl { kind, span });
        id
    }

    fn add_type(&mut self, base: TypeBase, dims: List<Dim>, span: Span) -> TypeId {
        let id = TypeId::new(self.ast.types.len());
        self.ast.types.push(TypeSpec { base, dims, span });
        id
    }
}
