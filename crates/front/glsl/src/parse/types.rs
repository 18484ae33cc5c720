//! Parts of declarations: names, qualifiers, types, structs and their members.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::words::{Word, role};
use super::*;
use TokenKind as T;

impl Parser<'_> {
    // ------------------------------------------------------------------------------------------ names

    /// Parses a declared name, or reports that `what` is expected.
    pub(super) fn name(&mut self, what: &str) -> Option<Name> {
        let T::Ident(symbol) = self.peek() else {
            self.expected(what);
            return None;
        };
        match self.words.get(symbol) {
            Word::Name | Word::Struct | Word::Contextual => {}
            Word::Reserved => self.misused_word(symbol),
            // A type and a `(` are a constructor.
            Word::Type if self.peek_at(1) == T::LeftParen => {
                self.expected(what);
                return None;
            }
            _ if ends_declarator(self.peek_at(1)) && !self.misused.contains(&symbol) => self.misused_word(symbol),
            _ if self.misused.contains(&symbol) => {}
            _ => {
                self.expected(what);
                return None;
            }
        }
        Some(Name { symbol, span: self.bump() })
    }

    /// Reports a keyword or reserved word that is used as a name.
    pub(super) fn misused_word(&mut self, symbol: Symbol) {
        if self.words.get(symbol) == Word::Reserved {
            self.reserved_word(symbol, self.span());
            self.words.set(symbol, Word::Name);
        } else if !self.misused.contains(&symbol) {
            self.keyword_as_name(symbol, self.span());
            self.misused.push(symbol);
        }
    }

    // ------------------------------------------------------------------------------------------ qualifiers

    /// Any number of qualifiers.
    pub(super) fn qualifiers(&mut self) -> List<Qualifier> {
        let start = self.ast.qualifiers.len();
        while let T::Ident(word) = self.peek() {
            match self.words.get(word) {
                Word::Qualifier => {}
                Word::Reserved if role(word) == Word::Qualifier => self.reserved_word(word, self.span()),
                Word::Reserved if role(word) == Word::ForeignQualifier => {
                    self.reserved_word(word, self.span());
                    continue;
                }
                Word::ForeignQualifier => {
                    self.bump();
                    continue;
                }
                Word::Name if self.is_qualifier_of_other_version(word) => self.word_of_other_version(word, self.span()),
                _ => break,
            }
            self.qualifier(word);
        }
        if start == self.ast.qualifiers.len() { List::EMPTY } else { List::new(start, self.ast.qualifiers.len()) }
    }

    /// `smooth in vec3 x` or `layout(…)` where the version does not have the word.
    fn is_qualifier_of_other_version(&self, word: Symbol) -> bool {
        role(word) == Word::Qualifier
            && match self.peek_at(1) {
                T::LeftParen => word == kw::LAYOUT && self.open_blocks.is_empty(),
                next @ T::Ident(_) => !matches!(self.word_of(next), Word::Name | Word::Statement | Word::Bool),
                _ => false,
            }
    }

    fn qualifier(&mut self, word: Symbol) {
        let place = self.bump();
        let kind = match word {
            kw::CONST => QualifierKind::Const,
            kw::ATTRIBUTE => QualifierKind::Attribute,
            kw::VARYING => QualifierKind::Varying,
            kw::IN => QualifierKind::In,
            kw::OUT => QualifierKind::Out,
            kw::INOUT => QualifierKind::InOut,
            kw::UNIFORM => QualifierKind::Uniform,
            kw::BUFFER => QualifierKind::Buffer,
            kw::SHARED => QualifierKind::Shared,
            kw::CENTROID => QualifierKind::Centroid,
            kw::SAMPLE => QualifierKind::Sample,
            kw::PATCH => QualifierKind::Patch,
            kw::FLAT => QualifierKind::Flat,
            kw::SMOOTH => QualifierKind::Smooth,
            kw::NOPERSPECTIVE => QualifierKind::NoPerspective,
            kw::LOWP => QualifierKind::Precision(Precision::Low),
            kw::MEDIUMP => QualifierKind::Precision(Precision::Medium),
            kw::HIGHP => QualifierKind::Precision(Precision::High),
            kw::INVARIANT => QualifierKind::Invariant,
            kw::PRECISE => QualifierKind::Precise,
            kw::COHERENT => QualifierKind::Coherent,
            kw::VOLATILE => QualifierKind::Volatile,
            kw::RESTRICT => QualifierKind::Restrict,
            kw::READONLY => QualifierKind::ReadOnly,
            kw::WRITEONLY => QualifierKind::WriteOnly,
            kw::PERVERTEXEXT => QualifierKind::PerVertex,
            kw::PERPRIMITIVEEXT => QualifierKind::PerPrimitive,
            kw::RAYPAYLOADEXT | kw::RAYPAYLOADNV => QualifierKind::Passed(Passed::RayPayload),
            kw::RAYPAYLOADINEXT | kw::RAYPAYLOADINNV => QualifierKind::Passed(Passed::RayPayloadIn),
            kw::HITATTRIBUTEEXT | kw::HITATTRIBUTENV => QualifierKind::Passed(Passed::HitAttribute),
            kw::CALLABLEDATAEXT | kw::CALLABLEDATANV => QualifierKind::Passed(Passed::CallableData),
            kw::CALLABLEDATAINEXT | kw::CALLABLEDATAINNV => QualifierKind::Passed(Passed::CallableDataIn),
            kw::TASKPAYLOADSHAREDEXT => QualifierKind::Passed(Passed::TaskPayload),
            kw::SHADERCALLCOHERENT
            | kw::DEVICECOHERENT
            | kw::QUEUEFAMILYCOHERENT
            | kw::WORKGROUPCOHERENT
            | kw::SUBGROUPCOHERENT => QualifierKind::Coherent,
            kw::NONPRIVATE => QualifierKind::NonPrivate,
            kw::NONUNIFORMEXT => QualifierKind::NonUniform,
            kw::LAYOUT => QualifierKind::Layout(self.layout_items()),
            // The only qualifier that is left; see `role`.
            _ => self.subroutine(place),
        };
        let span = place.to(self.previous());
        self.ast.qualifiers.push(Qualifier { kind, span });
    }

    fn subroutine(&mut self, place: Span) -> QualifierKind {
        let diagnostic = Diagnostic::error(Code::E0206, place, "subroutines are not supported")
            .help("choose between the functions with `if` or `switch` on a uniform");
        self.report_apart(diagnostic);
        if self.peek() == T::LeftParen {
            let open = self.bump();
            self.skip_to(|kind| kind == T::Semicolon);
            self.close(open, T::RightParen, "`,`");
        }
        QualifierKind::Subroutine
    }

    /// Behind `layout`: `(name, name = value)`.
    fn layout_items(&mut self) -> List<LayoutItem> {
        if self.peek() != T::LeftParen {
            self.expected("`(` after `layout`");
            return List::EMPTY;
        }
        let open = self.bump();
        let start = self.ast.layout_items.len();
        loop {
            // Any word will do: `shared` is both a keyword and a layout.
            let T::Ident(symbol) = self.peek() else {
                self.expected("a layout such as `location = 0`");
                break;
            };
            let name = Name { symbol, span: self.bump() };
            let value = self.eat(T::Equal).then(|| self.constant_expression());
            self.ast.layout_items.push(LayoutItem { name, value, span: name.span.to(self.previous()) });
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.close(open, T::RightParen, "`,`");
        List::new(start, self.ast.layout_items.len())
    }

    // ------------------------------------------------------------------------------------------ types

    /// A type without qualifiers, with its dimensions. Unknown names are taken for types.
    pub(super) fn type_specifier(&mut self) -> TypeId {
        let start = self.pos;
        let base = self.type_base();
        let dims = if base == TypeBase::Error && self.pos == start { List::EMPTY } else { self.type_dimensions() };
        let span = if self.pos == start { self.span() } else { self.span_from(start) };
        self.add_type(base, dims, span)
    }

    fn type_base(&mut self) -> TypeBase {
        let T::Ident(symbol) = self.peek() else {
            self.expected("a type");
            return TypeBase::Error;
        };
        match self.words.get(symbol) {
            Word::Type | Word::Contextual => {
                self.bump();
                TypeBase::Builtin(symbol)
            }
            Word::StructKeyword => self.struct_specifier(),
            Word::Struct => {
                self.bump();
                TypeBase::Named(symbol)
            }
            Word::Name => self.unknown_type(symbol),
            Word::Reserved => {
                self.reserved_word(symbol, self.span());
                let word = self.words.get(symbol);
                self.bump();
                match word {
                    Word::Type => return TypeBase::Builtin(symbol),
                    Word::ForeignType => {}
                    // `enum`, `class`, `goto`, …: the grammar does not cover the rest.
                    _ => self.mute(),
                }
                TypeBase::Error
            }
            Word::ForeignType => {
                self.bump();
                TypeBase::Error
            }
            _ => {
                self.expected("a type");
                TypeBase::Error
            }
        }
    }

    /// A name where a type is expected: an undeclared struct (reported by the type checker), or a type of another
    /// version or language.
    /// version, or of another language.
    fn unknown_type(&mut self, symbol: Symbol) -> TypeBase {
        let text = self.text(symbol);
        let span = self.span();
        if role(symbol) == Word::Type {
            self.word_of_other_version(symbol, span);
            self.bump();
            return TypeBase::Builtin(symbol);
        }
        if let Some((glsl, word)) = foreign::type_instead_of(text) {
            let diagnostic = Diagnostic::error(Code::E0301, span, format!("unknown type `{text}`"))
                .label("not a type of GLSL")
                .help(format!("in GLSL it is `{glsl}`"))
                .fix(span, glsl);
            self.report_apart(diagnostic);
            self.bump();
            return TypeBase::Builtin(word);
        }
        if let Some(help) = foreign::instead_of_declaring_word(text) {
            let diagnostic = Diagnostic::error(Code::E0201, span, format!("`{text}` is not a word of GLSL"))
                .label("expected a type")
                .help(help);
            self.report_apart(diagnostic);
            self.bump();
            return TypeBase::Error;
        }
        self.bump();
        TypeBase::Named(symbol)
    }

    /// Dimensions of a type.
    fn type_dimensions(&mut self) -> List<Dim> {
        if self.peek() != T::LeftBracket {
            return List::EMPTY;
        }
        let start = self.pos;
        let dims = self.dimensions();
        if !self.version.at_least(300, 120) {
            self.size_after_type(start);
        }
        dims
    }

    #[cold]
    fn size_after_type(&mut self, start: usize) {
        let diagnostic = self
            .other_version_diagnostic(self.span_from(start), "a size after the type is", 300, 120)
            .help("put the size after the name: `float a[2];`");
        self.report_apart(diagnostic);
    }

    /// Any number of `[size]` and `[]`.
    pub(super) fn dimensions(&mut self) -> List<Dim> {
        let mark = self.scratch.dims.len();
        while self.peek() == T::LeftBracket {
            if !self.descend() {
                self.skip_to(|kind| matches!(kind, T::Semicolon | T::LeftBrace));
                self.mute();
                break;
            }
            let open = self.bump();
            let size = (self.peek() != T::RightBracket).then(|| self.constant_expression());
            self.close(open, T::RightBracket, "an operator");
            self.ascend();
            self.scratch.dims.push(Dim { size, span: open.to(self.previous()) });
        }
        flush(&mut self.scratch.dims, mark, &mut self.ast.dims)
    }

    // ------------------------------------------------------------------------------------------ structs

    fn struct_specifier(&mut self) -> TypeBase {
        let start = self.pos;
        self.bump();
        let name = if self.peek() == T::LeftBrace { None } else { self.name("the name of the struct or `{`") };
        if self.peek() != T::LeftBrace {
            return self.no_struct(start, name);
        }
        let what = name.map_or(String::from("struct"), |name| format!("struct `{}`", self.text(name.symbol)));
        let Some(members) = self.members(&what, false) else { return TypeBase::Error };
        if let Some(name) = name {
            self.words.declare_struct(name.symbol);
        }
        let span = self.span_from(start);
        let id = StructId::new(self.ast.structs.len());
        self.ast.structs.push(StructSpec { name, members, span });
        TypeBase::Struct(id)
    }

    /// `struct` without members.
    #[cold]
    fn no_struct(&mut self, start: usize, name: Option<Name>) -> TypeBase {
        let Some(name) = name.filter(|name| self.words.get(name.symbol) == Word::Struct) else {
            self.expected("`{` and the members of the struct");
            return TypeBase::Error;
        };
        let diagnostic = Diagnostic::error(Code::E0201, self.span_from(start), "`struct` only begins a definition")
            .label("not in front of a type that exists")
            .help(format!("write `{}` alone", self.text(name.symbol)));
        self.report_apart(diagnostic);
        TypeBase::Named(name.symbol)
    }

    /// `{ members }` of a struct or block; `None` if it is nested too deep.
    pub(super) fn members(&mut self, what: &str, of_block: bool) -> Option<List<Member>> {
        if !self.descend() {
            self.skip_block();
            self.mute();
            return None;
        }
        let open = self.bump();
        let mark = self.scratch.members.len();
        while !matches!(self.peek(), T::RightBrace | T::Eof) {
            let before = self.pos;
            if self.is_members_end(of_block) {
                self.members_not_closed(open, what);
                self.ascend();
                return Some(flush(&mut self.scratch.members, mark, &mut self.ast.members));
            }
            let member = self.member();
            self.scratch.members.push(member);
            if self.pos == before {
                self.bump();
            }
        }
        if self.scratch.members.len() == mark && self.peek() == T::RightBrace {
            self.no_members(open, what);
        }
        self.close(open, T::RightBrace, "a member");
        self.ascend();
        Some(flush(&mut self.scratch.members, mark, &mut self.ast.members))
    }

    #[cold]
    fn members_not_closed(&mut self, open: Span, what: &str) {
        let place = self.previous().after();
        let diagnostic = Diagnostic::error(Code::E0202, place, format!("missing `}}` after the members of the {what}"))
            .label("expected `}`")
            .also(open, "this `{` is not closed")
            .fix(place, "}");
        self.report(diagnostic);
    }

    #[cold]
    fn no_members(&mut self, open: Span, what: &str) {
        let place = open.to(self.span());
        let diagnostic = Diagnostic::error(Code::E0201, place, format!("the {what} has no members"))
            .label("at least one member is needed");
        self.report_apart(diagnostic);
    }

    /// Whether the next token cannot begin a member: the `}` before it is missing.
    fn is_members_end(&self, of_block: bool) -> bool {
        match self.peek() {
            // Members of a block may repeat its `uniform`.
            T::Ident(kw::UNIFORM) if of_block => false,
            T::Semicolon => self.next_brace() != T::RightBrace,
            // The name of an instance.
            T::Ident(_) if self.peek_at(1) == T::Semicolon => self.next_brace() != T::RightBrace,
            T::Ident(kw::UNIFORM | kw::VARYING | kw::ATTRIBUTE | kw::PRECISION | kw::VOID) => self.at_new_declaration(),
            _ => false,
        }
    }

    /// Recursion: at most `MAX_NESTING` levels of structs, which `members` counts.
    fn member(&mut self) -> Member {
        let start = self.pos;
        let qualifiers = self.qualifiers();
        let ty = self.type_specifier();
        let first = self.ast.declarators.len();
        if self.pos > start && !self.is_reported() {
            self.member_declarators();
        }
        let declarators: List<Declarator> = List::new(first, self.ast.declarators.len());
        self.end_member(declarators);
        Member { qualifiers, ty, declarators, span: self.span_from(start) }
    }

    fn end_member(&mut self, declarators: List<Declarator>) {
        if self.peek() == T::LeftParen && !self.is_reported() {
            let diagnostic = Diagnostic::error(Code::E0201, self.span(), "structs of GLSL have no methods")
                .label("expected `;`")
                .help("write a function outside that takes the struct as a parameter");
            self.report(diagnostic);
            self.skip_statement(true);
        } else {
            self.semicolon(|parser| match parser.ast[declarators].last() {
                Some(last) => format!("the member `{}`", parser.text(last.name.symbol)),
                None => String::from("the member"),
            });
        }
    }

    fn member_declarators(&mut self) {
        loop {
            let start = self.pos;
            let Some(name) = self.name("the name of the member") else { return };
            let dims = self.dimensions();
            if self.peek() == T::Equal {
                let diagnostic =
                    Diagnostic::error(Code::E0201, self.span(), "members of structs cannot be initialized")
                        .label("expected `;` or `,`")
                        .help("give the values where a variable of the struct is declared");
                self.report_apart(diagnostic);
                self.bump();
                self.initializer();
            }
            let span = self.span_from(start);
            self.ast.declarators.push(Declarator { name, dims, init: None, span });
            if !self.eat(T::Comma) {
                return;
            }
        }
    }
}

/// Whether a token can follow a declared name, so that the keyword before it was intended as one.
fn ends_declarator(kind: T) -> bool {
    matches!(kind, T::Semicolon | T::Comma | T::Equal | T::LeftBracket | T::RightParen | T::LeftParen)
}
