//! Declarations, external and local.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::words::{Word, role};
use super::*;
use TokenKind as T;

impl Parser<'_> {
    /// A declaration outside of functions, or an error in its place.
    pub(super) fn external_declaration(&mut self) -> DeclId {
        let start = self.pos;
        let next = self.peek_at(1);
        let word = self.word_of(self.peek());
        match self.peek() {
            T::Semicolon => {
                let span = self.bump();
                self.add_decl(DeclKind::Empty, span)
            }
            T::RightBrace => self.stray_brace(),
            T::Ident(name) if word == Word::Name && next == T::LeftParen && role(name) == Word::Name => {
                self.function_without_type()
            }
            T::Ident(name) if word == Word::Name && is_foreign_beginning(self.text(name)) => self.foreign_declaration(),
            T::Ident(_) if !matches!(word, Word::Statement | Word::Bool) && !is_statement(word, next) => {
                self.declaration(true)
            }
            _ => self.stray_statement(start),
        }
    }

    /// A declaration among statements.
    pub(super) fn local_declaration(&mut self) -> DeclId {
        self.declaration(false)
    }

    fn declaration(&mut self, external: bool) -> DeclId {
        let start = self.pos;
        if let T::Ident(word) = self.peek()
            && role(word) == Word::PrecisionKeyword
            && matches!(self.words.get(word), Word::PrecisionKeyword | Word::Reserved)
        {
            return self.precision(start, word);
        }
        let qualifiers = self.qualifiers();
        if !qualifiers.is_empty() {
            if self.is_reported() {
                return self.no_declaration(start, external);
            }
            match (self.word_of(self.peek()), self.peek(), self.peek_at(1)) {
                (_, T::Semicolon, _) => return self.qualified_names(start, qualifiers),
                (Word::Name | Word::Struct, _, T::LeftBrace) | (_, T::LeftBrace, _) => {
                    return self.interface_block(start, qualifiers);
                }
                (Word::Struct, _, T::Semicolon) if self.are_of_references(qualifiers) => {
                    return self.qualified_names(start, qualifiers);
                }
                (Word::Name, _, T::Semicolon | T::Comma | T::Equal) => return self.qualified_names(start, qualifiers),
                _ => {}
            }
        }
        let at_type = self.pos;
        let ty = self.type_specifier();
        if self.pos == at_type {
            return self.no_declaration(start, external);
        }
        match (self.peek(), self.peek_at(1)) {
            (T::Ident(_), T::LeftParen) if !self.is_structs_end(ty) => self.function(start, qualifiers, ty, external),
            (T::Ident(name), _) if external && self.is_header_without_parenthesis() => {
                let message =
                    format!("expected `(` after `{}`, found {}", self.text(name), self.peek_at(1).describe(self.names));
                self.bump();
                let diagnostic = Diagnostic::error(Code::E0201, self.span(), message).label("expected `(`");
                self.report(diagnostic);
                self.no_declaration(start, external)
            }
            _ => self.variables(start, qualifiers, ty),
        }
    }

    /// `float f vec3 a, vec3 b) {`
    fn is_header_without_parenthesis(&self) -> bool {
        matches!(self.word_of(self.peek_at(1)), Word::Type | Word::Qualifier | Word::Struct)
            && !matches!(self.peek_at(2), T::LeftParen)
            && self.closes_unopened(1)
    }

    /// Placeholder for text that is no declaration, which has been reported.
    fn no_declaration(&mut self, start: usize, external: bool) -> DeclId {
        if external {
            self.skip_declaration();
        } else {
            self.skip_statement(true);
        }
        let span = self.span_from(start);
        self.add_decl(DeclKind::Error, span)
    }

    // ------------------------------------------------------------------------------------------ what is none

    fn stray_brace(&mut self) -> DeclId {
        if self.astray {
            // The end of the function that an earlier `}` closed too early, which has been reported.
            self.astray = false;
        } else {
            let diagnostic = self.stray_closer();
            self.report(diagnostic);
        }
        let span = self.bump();
        self.eat(T::Semicolon);
        self.add_decl(DeclKind::Error, span)
    }

    fn stray_statement(&mut self, start: usize) -> DeclId {
        if !self.astray {
            let diagnostic = self
                .expected_diagnostic("a declaration")
                .label("statements are allowed in functions only")
                .help("if it should be in the function above, an earlier `}` closes that one too soon");
            self.report(diagnostic);
            self.astray = true;
        }
        self.no_declaration(start, true)
    }

    /// `main() { … }`: the type of the result is missing; or a call that strayed from a function.
    fn function_without_type(&mut self) -> DeclId {
        let start = self.pos;
        if self.after_parentheses(1) != T::LeftBrace {
            return self.stray_statement(start);
        }
        let found = self.found();
        let diagnostic = Diagnostic::error(Code::E0201, self.span(), format!("expected a type before {found}"))
            .label("the type of the result is missing")
            .help("a function that returns nothing begins with `void`")
            .fix(Span::new(self.span().start, self.span().start), "void ");
        self.report_apart(diagnostic);
        let ty = self.add_type(TypeBase::Error, List::EMPTY, self.span());
        self.function(start, List::EMPTY, ty, true)
    }

    /// `fn main() -> vec4f { … }`
    fn foreign_declaration(&mut self) -> DeclId {
        let start = self.pos;
        // Reports the word.
        self.type_specifier();
        self.mute();
        self.no_declaration(start, true)
    }

    /// The token after the `( … )` that begins `ahead` tokens after the current one.
    fn after_parentheses(&self, ahead: usize) -> T {
        let mut depth = 0u32;
        for token in &self.tokens[(self.pos + ahead).min(self.tokens.len() - 1)..] {
            match token.kind {
                T::LeftParen => depth += 1,
                T::RightParen if depth > 0 => depth -= 1,
                T::LeftBrace | T::RightBrace | T::Eof if depth > 0 => return T::Eof,
                kind if depth == 0 => return kind,
                _ => {}
            }
        }
        T::Eof
    }

    // ------------------------------------------------------------------------------------------ small ones

    fn precision(&mut self, start: usize, word: Symbol) -> DeclId {
        if self.words.get(word) == Word::Reserved {
            self.reserved_word(word, self.span());
        }
        self.bump();
        let precision = match self.peek() {
            T::Ident(kw::LOWP) => Precision::Low,
            T::Ident(kw::MEDIUMP) => Precision::Medium,
            T::Ident(kw::HIGHP) => Precision::High,
            _ => {
                self.expected("`lowp`, `mediump` or `highp` after `precision`");
                self.skip_statement(true);
                let span = self.span_from(start);
                return self.add_decl(DeclKind::Error, span);
            }
        };
        self.bump();
        let ty = self.type_specifier();
        self.semicolon(|_| String::from("the precision statement"));
        let span = self.span_from(start);
        self.add_decl(DeclKind::Precision { precision, ty }, span)
    }

    /// Qualifiers without a type: of the whole shader, or of variables that exist.
    fn qualified_names(&mut self, start: usize, qualifiers: List<Qualifier>) -> DeclId {
        let again = |kind| matches!(kind, QualifierKind::Invariant | QualifierKind::Precise);
        let redeclares = self.ast[qualifiers].iter().any(|qualifier| again(qualifier.kind));
        let references = self.are_of_references(qualifiers);
        if self.peek() != T::Semicolon && !redeclares && !references {
            return self.missing_type(start, qualifiers);
        }
        let first = self.ast.names.len();
        if self.peek() != T::Semicolon {
            while let Some(name) = self.name("the name of a variable") {
                self.ast.names.push(name);
                if references {
                    self.words.declare_struct(name.symbol);
                }
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        let names = List::new(first, self.ast.names.len());
        self.semicolon(|_| String::from("the qualified names"));
        let span = self.span_from(start);
        self.add_decl(DeclKind::Qualifiers { qualifiers, names }, span)
    }

    /// Whether a declaration with these qualifiers is one of references to buffers, whose name is a type.
    fn are_of_references(&self, qualifiers: List<Qualifier>) -> bool {
        self.ast[qualifiers].iter().any(|qualifier| match qualifier.kind {
            QualifierKind::Layout(items) => {
                self.ast[items].iter().any(|item| self.text(item.name.symbol).eq_ignore_ascii_case("buffer_reference"))
            }
            _ => false,
        })
    }

    /// `uniform colour;`, `const x = 1.0;`
    fn missing_type(&mut self, start: usize, qualifiers: List<Qualifier>) -> DeclId {
        let found = self.found();
        let last = self.ast[qualifiers].last().map_or(Span::NONE, |qualifier| qualifier.span);
        let diagnostic = Diagnostic::error(Code::E0201, self.span(), format!("expected a type before {found}"))
            .label("this is the name; its type is missing")
            .also(last, "qualifiers are no type");
        self.report_apart(diagnostic);
        let ty = self.add_type(TypeBase::Error, List::EMPTY, self.span());
        self.variables(start, qualifiers, ty)
    }

    // ------------------------------------------------------------------------------------------ blocks

    fn interface_block(&mut self, start: usize, qualifiers: List<Qualifier>) -> DeclId {
        let name = if self.peek() == T::LeftBrace {
            let diagnostic = self.expected_diagnostic("the name of the block");
            self.report_apart(diagnostic);
            None
        } else {
            self.name("the name of the block")
        };
        if !self.version.at_least(300, 140) && self.words.get(kw::LAYOUT) != Word::Qualifier {
            let place = name.map_or(self.span(), |name| name.span);
            self.other_version(place, "a block of variables is", 300, 140);
        }
        let what = name.map_or(String::from("block"), |name| format!("block `{}`", self.text(name.symbol)));
        let members = self.members(&what, true).unwrap_or(List::EMPTY);
        if let Some(name) = name.filter(|_| self.are_of_references(qualifiers)) {
            self.words.declare_struct(name.symbol);
        }
        let next = self.peek_at(1);
        let instance = match self.word_of(self.peek()) {
            Word::Name | Word::Struct | Word::Contextual | Word::Reserved if !matches!(next, T::Ident(_)) => {
                self.name("the name of the instance")
            }
            _ => None,
        };
        let dims = if instance.is_some() { self.dimensions() } else { List::EMPTY };
        if let Some(instance) = instance {
            self.words.declare_variable(instance.symbol);
        }
        self.semicolon(|_| format!("the {what}"));
        let span = self.span_from(start);
        let Some(name) = name else { return self.add_decl(DeclKind::Error, span) };
        let id = BlockId::new(self.ast.blocks.len());
        self.ast.blocks.push(InterfaceBlock { qualifiers, name, members, instance, dims, span });
        self.add_decl(DeclKind::Block(id), span)
    }

    // ------------------------------------------------------------------------------------------ variables

    /// After the type: `a, b[2] = …;`, or only the `;`.
    pub(super) fn variables(&mut self, start: usize, qualifiers: List<Qualifier>, ty: TypeId) -> DeclId {
        let first = self.ast.declarators.len();
        if self.peek() != T::Semicolon && !self.is_structs_end(ty) && !self.is_reported() {
            self.declarators(ty);
        }
        let declarators: List<Declarator> = List::new(first, self.ast.declarators.len());
        self.semicolon(|parser| match parser.ast[declarators].last() {
            Some(last) => format!("the declaration of `{}`", parser.text(last.name.symbol)),
            None if matches!(parser.ast[ty].base, TypeBase::Struct(_)) => String::from("the struct"),
            None => String::from("the declaration"),
        });
        let span = self.span_from(start);
        self.add_decl(DeclKind::Variables { qualifiers, ty, declarators }, span)
    }

    /// Whether a struct was defined and the next token cannot continue the declaration: its `;` is missing.
    fn is_structs_end(&self, ty: TypeId) -> bool {
        if !matches!(self.ast[ty].base, TypeBase::Struct(_)) {
            return false;
        }
        match self.word_of(self.peek()) {
            Word::None => matches!(self.peek(), T::RightBrace | T::Eof),
            Word::Name | Word::Struct | Word::Contextual => matches!(self.peek_at(1), T::Ident(_)),
            _ => true,
        }
    }

    fn declarators(&mut self, ty: TypeId) {
        // The first declarator may be empty: `float, a;` (`single_declaration` of the grammar).
        if self.peek() == T::Comma && matches!(self.peek_at(1), T::Ident(_)) {
            self.bump();
        }
        loop {
            let start = self.pos;
            let Some(name) = self.name("a name after the type") else { return };
            let dims = self.dimensions();
            let init = self.initialization(name, ty);
            self.words.declare_variable(name.symbol);
            let span = self.span_from(start);
            self.ast.declarators.push(Declarator { name, dims, init, span });
            if !self.eat(T::Comma) {
                return;
            }
            if self.word_of(self.peek()) == Word::Type && matches!(self.peek_at(1), T::Ident(_)) {
                let message = format!("expected a name after `,`, found {}", self.found());
                let diagnostic = Diagnostic::error(Code::E0201, self.span(), message)
                    .label("a declaration has one type")
                    .help("leave out the type, or write `;` for the `,`");
                self.report_apart(diagnostic);
                self.bump();
            }
        }
    }

    /// `= value`, or what people write instead.
    fn initialization(&mut self, name: Name, ty: TypeId) -> Option<ExprId> {
        let kind = self.peek();
        let slip = match kind {
            T::Equal => false,
            T::EqualEqual | T::LeftParen | T::LeftBrace => true,
            T::Ident(word) if self.words.get(word) == Word::Type && self.peek_at(1) == T::LeftParen => true,
            T::Colon if !self.in_head => {
                // `let` and `var` are of another language; that has been reported.
                if self.ast[ty].base == TypeBase::Error {
                    self.bump();
                    if matches!(self.peek(), T::Ident(_)) {
                        self.bump();
                    }
                } else {
                    self.semantic(name);
                }
                return self.eat(T::Equal).then(|| self.initializer());
            }
            _ => return None,
        };
        if !slip {
            self.bump();
            return Some(self.initializer());
        }
        let text = self.text(name.symbol);
        let diagnostic = self
            .expected_diagnostic(&format!("`=`, `,` or `;` after `{text}`"))
            .help(format!("to initialize it, write `{text} = …;`"));
        self.report_apart(diagnostic);
        match kind {
            T::LeftBrace => {
                self.skip_block();
                None
            }
            // `vec3 v(1.0)`, as C++ has it.
            T::LeftParen => {
                self.bump();
                self.skip_to(|kind| matches!(kind, T::Semicolon | T::LeftBrace));
                self.eat(T::RightParen);
                None
            }
            T::EqualEqual => {
                self.bump();
                Some(self.initializer())
            }
            _ => Some(self.initializer()),
        }
    }

    /// `float4 position : POSITION`, as HLSL has it, or `x: f32`, as WGSL has it.
    fn semantic(&mut self, name: Name) {
        let text = self.text(name.symbol);
        let diagnostic = Diagnostic::error(Code::E0201, self.span(), format!("unexpected `:` after `{text}`"))
            .label("GLSL has no semantics, and no types after names")
            .help("put the type before the name; for the location of an input or output write `layout(location = 0)`");
        self.report_apart(diagnostic);
        self.bump();
        if matches!(self.peek(), T::Ident(_)) {
            self.bump();
        }
    }

    /// `const type name = value` in the condition of a loop.
    pub(super) fn condition_declaration(&mut self) -> DeclId {
        let start = self.pos;
        let qualifiers = self.qualifiers();
        let ty = self.type_specifier();
        let first = self.ast.declarators.len();
        let at_name = self.pos;
        if let Some(name) = self.name("a name after the type") {
            let dims = self.dimensions();
            let init = self.initialization(name, ty);
            if init.is_none() {
                self.expected("`=` and the value of the condition");
            }
            self.words.declare_variable(name.symbol);
            let span = self.span_from(at_name);
            self.ast.declarators.push(Declarator { name, dims, init, span });
        }
        let declarators: List<Declarator> = List::new(first, self.ast.declarators.len());
        let span = self.span_from(start);
        self.add_decl(DeclKind::Variables { qualifiers, ty, declarators }, span)
    }

    // ------------------------------------------------------------------------------------------ functions

    fn function(&mut self, start: usize, qualifiers: List<Qualifier>, ty: TypeId, external: bool) -> DeclId {
        if !external {
            match self.after_parentheses(1) {
                T::LeftBrace => return self.function_in_function(start),
                _ if !self.begins_parameter(self.peek_at(2)) => return self.variables(start, qualifiers, ty),
                _ => {}
            }
        }
        let Some(name) = self.name("the name of a function") else { return self.no_declaration(start, external) };
        let scope = self.words.enter();
        let params = self.parameters();
        let span = self.span_from(start);
        let function = FunctionId::new(self.ast.functions.len());
        self.ast.functions.push(FunctionProto { qualifiers, ty, name, params, span });
        let decl = self.function_body(start, function);
        self.words.leave(scope);
        decl
    }

    fn function_body(&mut self, start: usize, function: FunctionId) -> DeclId {
        let name = self.ast[function].name;
        if self.peek() == T::Colon {
            self.semantic(name);
        }
        let body = match self.peek() {
            T::LeftBrace => {
                self.depth += 1;
                let body = self.block();
                self.depth -= 1;
                self.leave_function = false;
                Some(body)
            }
            T::Semicolon => {
                self.bump();
                None
            }
            _ => {
                let text = self.text(name.symbol);
                let what = format!("`{{` or `;` after the head of the function `{text}`");
                self.expected(&what);
                if !self.at_new_declaration() {
                    self.skip_declaration();
                }
                None
            }
        };
        let span = self.span_from(start);
        self.add_decl(DeclKind::Function { function, body }, span)
    }

    /// The definition of a function among statements: a `}` is missing before it. It is read again outside.
    fn function_in_function(&mut self, start: usize) -> DeclId {
        let place = self.span_from(start).to(self.span());
        let text = self.found();
        let open = self.open_blocks.last().copied().unwrap_or(Span::NONE);
        let diagnostic = Diagnostic::error(Code::E0202, place, format!("missing `}}` before the function {text}"))
            .label("a function cannot be defined within another")
            .also(open, "this `{` is not closed");
        self.report_apart(diagnostic);
        self.leave_function = true;
        self.astray = true;
        self.pos = start;
        self.add_decl(DeclKind::Error, place)
    }

    fn begins_parameter(&self, kind: T) -> bool {
        kind == T::RightParen
            || matches!(self.word_of(kind), Word::Type | Word::Struct | Word::Qualifier | Word::Contextual)
    }

    fn parameters(&mut self) -> List<Param> {
        let open = self.bump();
        let first = self.ast.params.len();
        if self.peek() == T::Ident(kw::VOID) && self.peek_at(1) == T::RightParen {
            self.bump();
        } else if self.peek() != T::RightParen {
            loop {
                let before = self.pos;
                let param = self.parameter();
                self.ast.params.push(param);
                if self.peek() == T::Semicolon && self.begins_parameter(self.peek_at(1)) {
                    let diagnostic = self.expected_diagnostic("`,` between parameters");
                    self.report_apart(diagnostic);
                    self.bump();
                } else if !self.eat(T::Comma) || self.pos == before {
                    break;
                }
            }
        }
        self.close(open, T::RightParen, "`,`");
        List::new(first, self.ast.params.len())
    }

    fn parameter(&mut self) -> Param {
        let start = self.pos;
        let qualifiers = self.qualifiers();
        let ty = self.type_specifier();
        let name = match self.peek() {
            T::Ident(_) => self.name("the name of the parameter"),
            _ => None,
        };
        let dims = if name.is_some() { self.dimensions() } else { List::EMPTY };
        if let Some(name) = name {
            self.words.declare_variable(name.symbol);
            if self.peek() == T::Colon {
                self.semantic(name);
            }
        }
        if self.peek() == T::Equal {
            let diagnostic = Diagnostic::error(Code::E0201, self.span(), "parameters have no default values")
                .label("expected `,` or `)`")
                .help("write a second function of the same name without this parameter");
            self.report_apart(diagnostic);
            self.bump();
            self.initializer();
        }
        Param { qualifiers, ty, name, dims, span: self.span_from(start) }
    }
}

/// Whether a text that begins with this word cannot be a declaration.
fn is_statement(word: Word, next: TokenKind) -> bool {
    match word {
        Word::Name | Word::Contextual => !matches!(next, T::Ident(_) | T::LeftParen),
        Word::Type | Word::Struct => matches!(next, T::LeftParen | T::Dot),
        _ => false,
    }
}

/// Keywords of other languages that begin functions and blocks, which cannot be parsed as GLSL.
fn is_foreign_beginning(text: &str) -> bool {
    matches!(text, "fn" | "func" | "function" | "def" | "cbuffer" | "tbuffer" | "import" | "module")
}
