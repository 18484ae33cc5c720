//! Parses a module in the text form. A first pass reads all but the bodies of functions, a second one the bodies, so
//! that functions may be used before their declaration.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::lex::{Cursor, Parsed, Token};
use super::parse_body::parse_body;
use super::parse_value::{MAX_REPEATED, Reader, in_brackets};
use super::words::{
    DEPTHS, DERIVATIVE_GROUPS, DIRECTIONS, INTERLOCKS, LOCAL_SIZE_IDS, PRIMITIVES, SPACINGS, WINDINGS, Words, thing_of,
};
use crate::custom::{CustomEffect, CustomOpData};
use crate::decoration::Name;
use crate::diagnostic::Diagnostic;
use crate::entity::{Data, Elem, Func, Memory, Table, Value, Var};
use crate::facts::Facts;
use crate::function::{Direction, Param, ResultType};
use crate::module::{
    DataSegment, ElemItem, ElemSegment, EntryPoint, Import, Language, Linkage, MemoryData, Module, Offset, Stage,
    StageProperties, TableData,
};
use crate::source::{SourceFile, SourceMap, Span};
use crate::spirv::{SpirvInstruction, SpirvMode, SpirvOperand};
use crate::types::{AddressSpace, MAX_TYPE_NESTING, Member, StructType, TypeKind};

/// Parses a module in the text form.
///
/// Spans of nodes and declarations are locations in `file`. The resulting nodes are typed, but the module need not be
/// valid: see [`crate::verify::verify`].
///
/// # Errors
/// All errors in the text (code `E0901`), in the order of the text, at most 200.
///
/// # Example
/// ```
/// use planish_ir::source::SourceMap;
/// let text = "module ir\n\nfn @twice(%0 x: f32) -> (f32) {\nb0:\n  %1 = add %0, %0\n  return %1\n}\n";
/// let file = SourceMap::new().add("twice.ir", text).unwrap();
/// let module = planish_ir::text::parse(&file).unwrap();
/// assert_eq!(planish_ir::text::print(&module), text);
/// ```
pub fn parse(file: &SourceFile) -> Result<Module, Vec<Diagnostic>> {
    let mut parser = Parser::new(file);
    parser.parse_module();
    if parser.read.cursor.diagnostics.is_empty() {
        return Ok(parser.module);
    }
    parser.read.cursor.diagnostics.sort_by_key(|d| d.span.start);
    Err(parser.read.cursor.diagnostics)
}

/// Like [`parse`], for a text that is not part of a larger compilation.
///
/// # Errors
/// See [`parse`]; also if the text exceeds 4 GiB.
pub fn parse_str(text: &str) -> Result<Module, Vec<Diagnostic>> {
    match SourceMap::new().add("text.ir", text) {
        Ok(file) => parse(&file),
        Err(_) => Err(vec![Diagnostic::error(crate::diagnostic::Code::E0901, Span::NONE, "the text is too large")]),
    }
}

/// A function whose body has not been parsed.
pub(super) struct Pending<'a> {
    pub(super) func: Func,
    /// Labels of the parameters.
    pub(super) params: Vec<&'a str>,
    pub(super) floating: bool,
    /// Position of the token after the opening brace.
    position: usize,
}

pub(super) struct Parser<'a> {
    pub(super) read: Reader<'a>,
    pub(super) module: Module,
    pending: Vec<Pending<'a>>,
    /// Items of element segments, resolved when all functions are known.
    elem_items: Vec<Vec<Option<(&'a str, Span)>>>,
    /// Functions of computed initial values, resolved when all functions are known.
    computed: Vec<(&'a str, Span, Var)>,
    start: Option<(&'a str, Span)>,
    imports: Vec<(&'a str, Span, Import)>,
    entries: Vec<(&'a str, Span, EntryPoint)>,
}

const ITEMS: [&str; 15] = [
    "module",
    "with",
    "without",
    "extension",
    "struct",
    "op",
    "var",
    "memory",
    "table",
    "data",
    "elem",
    "start",
    "fn",
    "import",
    "entry",
];

impl<'a> Parser<'a> {
    fn new(file: &'a SourceFile) -> Self {
        Parser {
            read: Reader {
                cursor: Cursor::new(file),
                structs: FxHashMap::default(),
                globals: FxHashMap::default(),
                repeated_left: MAX_REPEATED,
            },
            module: Module::new(Language::Ir),
            pending: Vec::new(),
            elem_items: Vec::new(),
            computed: Vec::new(),
            start: None,
            imports: Vec::new(),
            entries: Vec::new(),
        }
    }

    fn parse_module(&mut self) {
        while self.read.cursor.peek() != Token::End {
            if self.read.cursor.peek() == Token::Line {
                self.read.cursor.bump();
            } else if self.parse_item().is_err() {
                self.skip_to_item();
            }
        }
        self.resolve();
        for pending in std::mem::take(&mut self.pending) {
            self.read.cursor.go_to(pending.position);
            parse_body(&mut self.read, &mut self.module, &pending);
        }
    }

    /// Skips to the next line that begins a declaration in the first column.
    fn skip_to_item(&mut self) {
        loop {
            self.read.cursor.skip_line();
            let first = self.read.cursor.peek() == Token::Word && self.read.cursor.is_first_column();
            if first && is_item(self.read.cursor.text()) || self.read.cursor.peek() == Token::End {
                return;
            }
        }
    }

    fn parse_item(&mut self) -> Parsed<()> {
        let here = self.read.cursor.here();
        let word = self.read.cursor.take(Token::Word, "a declaration")?;
        match word {
            "module" => self.parse_language()?,
            "with" | "without" => {
                let here = self.read.cursor.here();
                let name = self.read.cursor.take(Token::Word, "a fact about the program")?;
                let Some(fact) = self.module.facts.get_mut(name) else {
                    let near = self.read.near(name, Facts::NAMES.iter().copied());
                    return Err(self.read.unknown(here, "fact", name, near));
                };
                *fact = word == "with";
            }
            "extension" => {
                let name = self.read.cursor.string()?;
                self.module.extensions.push(name.into());
            }
            "needs" => self.parse_needs()?,
            "struct" => self.parse_struct(here)?,
            "op" => self.parse_custom_op(here)?,
            "var" => {
                let (label, var) = self.read.parse_var(&mut self.module, here)?;
                if self.module.vars[var].space == AddressSpace::Function {
                    return Err(self.read.cursor.error(here, "a variable of the module needs an address space"));
                }
                self.define_global(here, label, var.into())?;
                self.parse_linkage(var)?;
            }
            "start" => {
                let here = self.read.cursor.here();
                self.start = Some((self.read.cursor.label(Token::Global, "the label of a function")?, here));
            }
            "memory" => self.parse_memory()?,
            "table" => self.parse_table()?,
            "data" => self.parse_data()?,
            "elem" => self.parse_elem()?,
            "fn" => self.parse_signature(here)?,
            "import" => {
                let here = self.read.cursor.here();
                let label = self.read.cursor.label(Token::Global, "the label of a function")?;
                let import = self.parse_import()?;
                self.imports.push((label, here, import));
            }
            "entry" | "export" => self.parse_entry(word)?,
            _ => {
                let near = self.read.near(word, ITEMS);
                return Err(self.read.unknown(here, "declaration", word, near));
            }
        }
        self.read.cursor.line()
    }

    fn define_global(&mut self, span: Span, label: &'a str, value: Value) -> Parsed<()> {
        match self.read.globals.insert(label, value) {
            None => Ok(()),
            Some(_) => Err(self.read.cursor.error(span, format!("`@{label}` is defined twice"))),
        }
    }

    fn parse_language(&mut self) -> Parsed<()> {
        let here = self.read.cursor.here();
        let word = self.read.cursor.take(Token::Word, "a language")?;
        self.module.language = match word {
            "ir" => Language::Ir,
            "glsl" => {
                let here = self.read.cursor.here();
                let Ok(version) = u16::try_from(self.read.cursor.u32()?) else {
                    return Err(self.read.cursor.error(here, "there is no such version"));
                };
                Language::Glsl { version, es: self.read.cursor.eat_word("es") }
            }
            "wgsl" => Language::Wgsl,
            "spirv" => Language::Spirv,
            "wasm" => Language::Wasm,
            "vl" => Language::Vl,
            _ => return Err(self.read.unknown(here, "language", word, None)),
        };
        self.module.facts = self.module.language.facts();
        Ok(())
    }

    fn parse_struct(&mut self, here: Span) -> Parsed<()> {
        let label = self.read.cursor.label(Token::Struct, "the label of a struct")?;
        let name = self.read.parse_name_of(label)?;
        let is_block = self.read.cursor.eat_word("block");
        self.read.cursor.mark(b'{')?;
        self.read.cursor.line()?;
        let mut members = Vec::new();
        while !self.read.cursor.eat(b'}') {
            let name = self.read.parse_name()?;
            self.read.cursor.mark(b':')?;
            let ty = self.read.parse_type(&mut self.module)?;
            let precision = self.read.parse_precision();
            let decorations = self.read.parse_decorations()?;
            self.read.cursor.line()?;
            members.push(Member { name, ty, precision, decorations });
        }
        let ty = self.module.types.intern(TypeKind::Struct(Arc::new(StructType { name, members, is_block })));
        if self.module.types.nesting(ty) > MAX_TYPE_NESTING {
            return Err(self.read.cursor.error(here, format!("types may be nested {MAX_TYPE_NESTING} deep")));
        }
        match self.read.structs.insert(label, ty) {
            None => Ok(()),
            Some(_) => Err(self.read.cursor.error(here, format!("`${label}` is defined twice"))),
        }
    }

    /// `needs spirv 1.4 vulkan capability 4479 extension "SPV_KHR_ray_tracing"`
    fn parse_needs(&mut self) -> Parsed<()> {
        let cursor = &mut self.read.cursor;
        if !cursor.eat_word("spirv") {
            return Err(cursor.expected("`spirv`"));
        }
        let here = cursor.here();
        let version = cursor.take(Token::Number, "a version")?;
        let Some(minor) = version.strip_prefix("1.").and_then(|minor| minor.parse().ok()).filter(|minor| *minor <= 6)
        else {
            return Err(cursor.error(here, "expected one of 1.0 to 1.6"));
        };
        let needs = &mut self.module.spirv_needs;
        needs.minor_version = minor;
        needs.vulkan_memory_model = cursor.eat_word("vulkan");
        loop {
            if cursor.eat_word("capability") {
                needs.capabilities.push(cursor.u32()?);
            } else if cursor.eat_word("extension") {
                needs.extensions.push(cursor.string()?.into());
            } else {
                return Ok(());
            }
        }
    }

    /// `3 of "SPV_AMD_shader_trinary_minmax" [_, _, 2, type f32] ends`, after the word `spirv`.
    fn parse_spirv_instruction(&mut self) -> Parsed<SpirvInstruction> {
        let opcode = self.read.cursor.u32()?;
        let set = if self.read.cursor.eat_word("of") { Some(self.read.cursor.string()?.into()) } else { None };
        self.read.cursor.mark(b'[')?;
        let mut operands = Vec::new();
        while !self.read.cursor.eat(b']') {
            if !operands.is_empty() {
                self.read.cursor.mark(b',')?;
            }
            operands.push(if self.read.cursor.eat_word("_") {
                SpirvOperand::Value
            } else if self.read.cursor.eat_word("image") {
                SpirvOperand::Image
            } else if self.read.cursor.eat_word("texel") {
                SpirvOperand::Texel(self.read.parse_type(&mut self.module)?)
            } else if self.read.cursor.eat_word("type") {
                SpirvOperand::Type(self.read.parse_type(&mut self.module)?)
            } else {
                SpirvOperand::Literal(self.read.cursor.u32()?)
            });
        }
        Ok(SpirvInstruction { opcode, set, operands, ends: self.read.cursor.eat_word("ends") })
    }

    /// `op twice fn(f32) -> (f32) pure cost 1 phase scalars`
    fn parse_custom_op(&mut self, here: Span) -> Parsed<()> {
        let mut row = CustomOpData::new(&self.read.parse_name()?);
        if self.read.cursor.peek() == Token::Word && self.read.cursor.text() == "fn" {
            row.signature = Some(self.read.parse_type(&mut self.module)?);
        }
        let place = self.read.cursor.here();
        let word = self.read.cursor.take(Token::Word, "an effect")?;
        let Some(effect) = CustomEffect::ALL.into_iter().find(|effect| effect.name() == word) else {
            let near = self.read.near(word, CustomEffect::ALL.map(CustomEffect::name));
            return Err(self.read.unknown(place, "effect", word, near));
        };
        row.effect = effect;
        if self.read.cursor.eat_word("cost") {
            row.cost = self.read.cursor.u32()?;
        }
        if self.read.cursor.eat_word("phase") {
            row.phase = self.read.parse_name()?;
        }
        if self.read.cursor.eat_word("spirv") {
            row.spirv = Some(self.parse_spirv_instruction()?);
        }
        if self.module.custom_op(&row.name).is_some() {
            return Err(self.read.cursor.error(here, format!("the op `{}` is declared twice", row.name)));
        }
        self.module.custom_ops.push(row);
        Ok(())
    }

    fn parse_import(&mut self) -> Parsed<Import> {
        Ok(Import { module: self.read.cursor.string()?.into(), name: self.read.cursor.string()?.into() })
    }

    /// `name` and the next index of its kind.
    fn parse_next_id(&mut self, next: &str) -> Parsed<()> {
        if self.read.cursor.eat_word(next) { Ok(()) } else { Err(self.read.cursor.expected(&format!("`{next}`"))) }
    }

    fn parse_limits(&mut self) -> Parsed<(u32, Option<u32>)> {
        if !self.read.cursor.eat_word("min") {
            return Err(self.read.cursor.expected("`min`"));
        }
        let min = self.read.cursor.u32()?;
        let max = if self.read.cursor.eat_word("max") { Some(self.read.cursor.u32()?) } else { None };
        Ok((min, max))
    }

    fn parse_outside(&mut self) -> Parsed<(Option<Import>, Vec<Arc<str>>)> {
        let import = if self.read.cursor.eat_word("import") { Some(self.parse_import()?) } else { None };
        let mut exports = Vec::new();
        while self.read.cursor.eat_word("export") {
            exports.push(self.read.cursor.string()?.into());
        }
        Ok((import, exports))
    }

    /// Parses import, export and computed initial value of a variable, if present.
    fn parse_linkage(&mut self, var: Var) -> Parsed<()> {
        let (import, exports) = self.parse_outside()?;
        let computed = self.read.cursor.eat_word("computed");
        if computed {
            let here = self.read.cursor.here();
            self.computed.push((self.read.cursor.label(Token::Global, "the label of a function")?, here, var));
        }
        if computed || import.is_some() || !exports.is_empty() {
            self.module.vars[var].linkage = Some(Box::new(Linkage { import, exports, computed: None }));
        }
        Ok(())
    }

    fn parse_memory(&mut self) -> Parsed<()> {
        self.parse_next_id(&self.module.memories.next_key().to_string())?;
        let (min_pages, max_pages) = self.parse_limits()?;
        let (import, exports) = self.parse_outside()?;
        self.module.memories.push(MemoryData { min_pages, max_pages, import, exports });
        Ok(())
    }

    fn parse_table(&mut self) -> Parsed<()> {
        self.parse_next_id(&self.module.tables.next_key().to_string())?;
        let element = self.read.parse_type(&mut self.module)?;
        let (min, max) = self.parse_limits()?;
        let (import, exports) = self.parse_outside()?;
        self.module.tables.push(TableData { element, min, max, import, exports });
        Ok(())
    }

    /// `in memory0 at 8`
    fn parse_active(&mut self, kind: &str) -> Parsed<Option<(u32, Offset)>> {
        if !self.read.cursor.eat_word("in") {
            return Ok(None);
        }
        let index = self.read.parse_index(kind)?;
        if !self.read.cursor.eat_word("at") {
            return Err(self.read.cursor.expected("`at`"));
        }
        if self.read.cursor.peek() == Token::Number {
            return Ok(Some((index, Offset::Const(self.read.cursor.u32()?))));
        }
        let here = self.read.cursor.here();
        let label = self.read.cursor.label(Token::Global, "an offset")?;
        match self.read.globals.get(label).and_then(|v| v.as_var()) {
            Some(var) => Ok(Some((index, Offset::Var(var)))),
            None => Err(self.read.unknown(here, "variable", label, None)),
        }
    }

    fn parse_data(&mut self) -> Parsed<()> {
        let id: Data = self.module.data.next_key();
        self.parse_next_id(&id.to_string())?;
        let active = self.parse_active("memory")?.map(|(m, offset)| (Memory::from_u32(m), offset));
        let bytes = self.read.cursor.bytes()?.into();
        self.module.data.push(DataSegment { active, bytes });
        Ok(())
    }

    fn parse_elem(&mut self) -> Parsed<()> {
        let id: Elem = self.module.elems.next_key();
        self.parse_next_id(&id.to_string())?;
        let element = self.read.parse_type(&mut self.module)?;
        let active = self.parse_active("table")?.map(|(t, offset)| (Table::from_u32(t), offset));
        self.read.cursor.mark(b'[')?;
        let mut items = Vec::new();
        while !self.read.cursor.eat(b']') {
            if !items.is_empty() {
                self.read.cursor.mark(b',')?;
            }
            let here = self.read.cursor.here();
            items.push(if self.read.cursor.eat_word("null") {
                None
            } else {
                Some((self.read.cursor.label(Token::Global, "a function, a variable or `null`")?, here))
            });
        }
        self.module.elems.push(ElemSegment { element, active, items: vec![] });
        self.elem_items.push(items);
        Ok(())
    }

    fn parse_signature(&mut self, here: Span) -> Parsed<()> {
        let source = self.read.parse_source();
        let label = self.read.cursor.label(Token::Global, "the label of a function")?;
        let name = self.read.parse_name_of(label)?;
        let mut labels = Vec::new();
        let mut params = Vec::new();
        self.read.cursor.mark(b'(')?;
        while !self.read.cursor.eat(b')') {
            if !params.is_empty() {
                self.read.cursor.mark(b',')?;
            }
            let (label, param) = self.parse_param()?;
            labels.push(label);
            params.push(param);
        }
        let mut results = Vec::new();
        if self.read.cursor.peek() == Token::Arrow {
            self.read.cursor.bump();
            self.read.cursor.mark(b'(')?;
            while !self.read.cursor.eat(b')') {
                if !results.is_empty() {
                    self.read.cursor.mark(b',')?;
                }
                results.push(ResultType {
                    ty: self.read.parse_type(&mut self.module)?,
                    precision: self.read.parse_precision(),
                });
            }
        }
        let signature = self.read.cursor.eat_word("shape").then(|| self.read.parse_signature()).transpose()?;
        let decorations = self.read.parse_decorations()?;
        let span = here.to(self.read.cursor.before());
        let func = self.module.add_func(Name::new(name, source), params, results, span);
        self.module.funcs[func].decorations = decorations;
        self.module.funcs[func].signature = signature.map(Arc::new);
        self.define_global(here, label, func.into())?;
        let floating = self.read.cursor.eat_word("floating");
        if self.read.cursor.eat(b'{') {
            self.pending.push(Pending { func, params: labels, floating, position: self.read.cursor.position() });
            self.skip_body();
        } else if floating {
            return Err(self.read.cursor.expected("`{`"));
        }
        Ok(())
    }

    fn parse_param(&mut self) -> Parsed<(&'a str, Param)> {
        let here = self.read.cursor.here();
        let direction =
            match thing_of(DIRECTIONS, self.read.cursor.text()).filter(|_| self.read.cursor.peek() == Token::Word) {
                Some(direction) => {
                    self.read.cursor.bump();
                    direction
                }
                None => Direction::In,
            };
        let source = self.read.parse_source();
        let label = self.read.cursor.label(Token::Local, "the label of a parameter")?;
        let name = if self.read.cursor.peek() == Token::Mark(b':') { "".into() } else { self.read.parse_name()? };
        self.read.cursor.mark(b':')?;
        let ty = self.read.parse_type(&mut self.module)?;
        let precision = self.read.parse_precision();
        let span = here.to(self.read.cursor.before());
        Ok((label, Param { name: Name::new(name, source), ty, precision, direction, span }))
    }

    /// Skips past the closing brace, or to the next declaration if that comes first.
    fn skip_body(&mut self) {
        let mut depth = 1;
        loop {
            match self.read.cursor.peek() {
                Token::Mark(b'{') => depth += 1,
                Token::Mark(b'}') => depth -= 1,
                Token::End => return,
                // A closing brace is missing: reported by the second pass.
                Token::Word if self.read.cursor.is_first_column() && is_item(self.read.cursor.text()) => {
                    self.read.cursor.go_to(self.read.cursor.position() - 1);
                    return;
                }
                _ => {}
            }
            self.read.cursor.bump();
            if depth == 0 {
                return;
            }
        }
    }

    fn parse_entry(&mut self, word: &str) -> Parsed<()> {
        let mut stage = None;
        if word == "entry" {
            let here = self.read.cursor.here();
            let name = self.read.cursor.take(Token::Word, "a stage")?;
            stage = Stage::ALL.into_iter().find(|s| s.name() == name);
            if stage.is_none() {
                let near = self.read.near(name, Stage::ALL.map(|s| s.name()));
                return Err(self.read.unknown(here, "stage", name, near));
            }
        }
        let here = self.read.cursor.here();
        let label = self.read.cursor.label(Token::Global, "the label of a function")?;
        let mut names = Vec::new();
        while self.read.cursor.peek() == Token::Text {
            names.push(self.read.cursor.string()?.into());
        }
        let properties = self.parse_properties()?;
        // The function is resolved when all are known.
        self.entries.push((label, here, EntryPoint { names, func: Func::from_u32(0), stage, properties }));
        Ok(())
    }

    fn parse_properties(&mut self) -> Parsed<StageProperties> {
        let mut p = StageProperties::default();
        while self.read.cursor.peek() == Token::Word {
            let here = self.read.cursor.here();
            let word = self.read.cursor.bump();
            match word {
                "early_fragment_tests" => p.early_fragment_tests = true,
                "origin_upper_left" => p.origin_upper_left = true,
                "pixel_center_integer" => p.pixel_center_integer = true,
                "depth" => p.depth = Some(self.parse_word_of(DEPTHS)?),
                "interlock" => p.interlock = Some(self.parse_word_of(INTERLOCKS)?),
                "local_size" => p.local_size = Some(self.parse_local_size()?),
                _ if let Some(axis) = LOCAL_SIZE_IDS.iter().position(|w| *w == word) => {
                    p.local_size_ids[axis] = Some(in_brackets(&mut self.read.cursor, Cursor::u32)?);
                }
                "input_primitive" => p.input_primitive = Some(self.parse_word_of(PRIMITIVES)?),
                "output_primitive" => p.output_primitive = Some(self.parse_word_of(PRIMITIVES)?),
                "max_vertices" => p.max_vertices = Some(in_brackets(&mut self.read.cursor, Cursor::u32)?),
                "invocations" => p.invocations = Some(in_brackets(&mut self.read.cursor, Cursor::u32)?),
                "vertices" => p.vertices = Some(in_brackets(&mut self.read.cursor, Cursor::u32)?),
                "spacing" => p.spacing = Some(self.parse_word_of(SPACINGS)?),
                "winding" => p.winding = Some(self.parse_word_of(WINDINGS)?),
                "point_mode" => p.point_mode = true,
                "xfb_stride" => {
                    let (buffer, stride) = in_brackets(&mut self.read.cursor, |c| {
                        let buffer = c.u32()?;
                        c.mark(b',')?;
                        Ok((buffer, c.u32()?))
                    })?;
                    match p.xfb_strides.get_mut(buffer as usize) {
                        Some(place) => *place = Some(stride),
                        None => return Err(self.read.unknown(here, "buffer of captured outputs", word, None)),
                    }
                }
                "derivative_group" => p.derivative_group = Some(self.parse_word_of(DERIVATIVE_GROUPS)?),
                "mode" => {
                    let words = in_brackets(&mut self.read.cursor, Cursor::numbers)?;
                    p.spirv_modes.push(SpirvMode { mode: words[0], operands: words[1..].to_vec() });
                }
                "num_views" => p.num_views = Some(in_brackets(&mut self.read.cursor, Cursor::u32)?),
                "blend" => p.blend_equations = in_brackets(&mut self.read.cursor, Cursor::u32)?,
                _ => return Err(self.read.unknown(here, "property of a stage", word, None)),
            }
        }
        Ok(p)
    }

    fn parse_local_size(&mut self) -> Parsed<[u32; 3]> {
        in_brackets(&mut self.read.cursor, |c| {
            let x = c.u32()?;
            c.mark(b',')?;
            let y = c.u32()?;
            c.mark(b',')?;
            Ok([x, y, c.u32()?])
        })
    }

    fn parse_word_of<T: Copy>(&mut self, words: Words<T>) -> Parsed<T> {
        in_brackets(&mut self.read.cursor, |c| {
            let here = c.here();
            let word = c.take(Token::Word, "a word")?;
            thing_of(words, word).ok_or_else(|| c.error(here, format!("`{word}` does not belong here")))
        })
    }

    /// Resolves the functions of segments, imports and entry points.
    fn resolve(&mut self) {
        for (i, items) in std::mem::take(&mut self.elem_items).into_iter().enumerate() {
            let found = items.into_iter().map(|item| self.item(item)).collect();
            self.module.elems[Elem::from_u32(i as u32)].items = found;
        }
        for (label, span, var) in std::mem::take(&mut self.computed) {
            if let (Some(func), Some(linkage)) = (self.function(label, span), &mut self.module.vars[var].linkage) {
                linkage.computed = Some(func);
            }
        }
        if let Some((label, span)) = self.start.take() {
            self.module.start = self.function(label, span);
        }
        for (label, span, import) in std::mem::take(&mut self.imports) {
            if let Some(func) = self.function(label, span) {
                self.module.func_imports.push((func, import));
            }
        }
        for (label, span, mut entry) in std::mem::take(&mut self.entries) {
            if let Some(func) = self.function(label, span) {
                entry.func = func;
                self.module.entry_points.push(entry);
            }
        }
    }

    fn item(&mut self, item: Option<(&str, Span)>) -> ElemItem {
        let Some((label, span)) = item else { return ElemItem::Null };
        match self.read.globals.get(label).and_then(|v| v.as_var()) {
            Some(var) => ElemItem::Var(var),
            None => self.function(label, span).map_or(ElemItem::Null, ElemItem::Func),
        }
    }

    fn function(&mut self, label: &str, span: Span) -> Option<Func> {
        let func = self.read.globals.get(label).and_then(|v| v.as_func());
        if func.is_none() {
            let near = self.read.near(label, self.read.globals.keys().copied());
            self.read.unknown(span, "function", label, near);
        }
        func
    }
}

/// Whether a declaration begins with this word.
pub(super) fn is_item(word: &str) -> bool {
    ITEMS.contains(&word) || word == "export"
}
