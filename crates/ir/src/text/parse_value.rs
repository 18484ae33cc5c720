//! Parses types, constants and the words of declarations.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::lex::{Cursor, Parsed, Token};
use super::types::{DIMS, shape_of_name, space_of_name};
use super::words::{DecorationWord, PRECISIONS, SOURCES, builtin_of, decoration_word, thing_of};
use crate::constant::{ConstData, ConstValue, YUV_NAMES};
use crate::decoration::{Decoration, Decorations, Name, NameSource, Precision, SliceLength};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::entity::{Const, Type, Value, Var};
use crate::meaning::{float_bits, from_half};
use crate::module::Module;
use crate::source::Span;
use crate::spirv::{SpirvType, SpirvTypeOperand};
use crate::types::{AddressSpace, ImageFormat, ImageKind, ImageType, Scalar, TypeKind};

/// Maximum nesting depth of types and constants.
const MAX_NESTING: u32 = crate::types::MAX_TYPE_NESTING;
/// Maximum number of components of a constant.
const MAX_PARTS: u32 = 1 << 20;
/// Maximum number of components, in all constants of a module, that come from repetitions.
pub(super) const MAX_REPEATED: u32 = 1 << 24;
/// Maximum length of a name for which another is suggested.
const MAX_SUGGESTED: usize = 64;
/// Maximum number of errors with suggestions.
const MAX_SUGGESTIONS: usize = 20;
/// Maximum number of names among which a suggestion is searched.
const MAX_KNOWN: usize = 10_000;

const TYPE_WORDS: [&str; 22] = [
    "v128",
    "void",
    "bool",
    "i32",
    "u32",
    "i64",
    "u64",
    "f32",
    "f64",
    "vec2",
    "vec3",
    "vec4",
    "mat2x2",
    "mat3x3",
    "mat4x4",
    "atomic_uint",
    "yuv_csc",
    "sampler",
    "sampler_comparison",
    "funcref",
    "externref",
    "token",
];

/// Parser state shared by declarations and bodies. The module, in which types and constants are interned, is a
/// parameter, because a builder may borrow it.
pub(super) struct Reader<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) structs: FxHashMap<&'a str, Type>,
    pub(super) globals: FxHashMap<&'a str, Value>,
    /// Remaining number of repeated components.
    pub(super) repeated_left: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn parse_type(&mut self, module: &mut Module) -> Parsed<Type> {
        self.parse_type_at(module, 0)
    }

    /// Recursion: at most [`MAX_NESTING`] levels.
    fn parse_type_at(&mut self, module: &mut Module, depth: u32) -> Parsed<Type> {
        let here = self.cursor.here();
        if depth > MAX_NESTING {
            return Err(self.cursor.error(here, format!("types may be nested {MAX_NESTING} deep")));
        }
        match self.cursor.peek() {
            Token::Word => self.parse_type_word(module, depth),
            Token::Struct => {
                let label = &self.cursor.bump()[1..];
                match self.structs.get(label) {
                    Some(&ty) => Ok(ty),
                    None => {
                        let near = self.near(label, self.structs.keys().copied());
                        Err(self.unknown(here, "struct", label, near))
                    }
                }
            }
            Token::Mark(b'[') => {
                self.cursor.bump();
                // `4 x f32`: the number may be followed by the word `x`.
                let len = (self.cursor.peek() == Token::Number).then(|| self.cursor.u32()).transpose()?;
                if len.is_some() && !self.cursor.eat_word("x") {
                    return Err(self.cursor.expected("`x`"));
                }
                let element = self.parse_type_at(module, depth + 1)?;
                self.cursor.mark(b']')?;
                match len {
                    Some(0) => Err(self.cursor.error(here, "an array has at least one element")),
                    Some(len) => Ok(module.types.array(element, len)),
                    None => Ok(module.types.intern(TypeKind::RuntimeArray { element })),
                }
            }
            Token::Mark(b'*') => {
                self.cursor.bump();
                let here = self.cursor.here();
                let word = self.cursor.take(Token::Word, "an address space")?;
                let Some(space) = space_of_name(word) else {
                    return Err(self.cursor.error(here, format!("there is no address space `{word}`")));
                };
                let pointee = self.parse_type_at(module, depth + 1)?;
                Ok(module.types.pointer(pointee, space))
            }
            _ => Err(self.cursor.expected("a type")),
        }
    }

    fn parse_type_word(&mut self, module: &mut Module, depth: u32) -> Parsed<Type> {
        let here = self.cursor.here();
        let word = self.cursor.bump();
        let types = &mut module.types;
        if let Some(scalar) = Scalar::ALL.into_iter().find(|s| s.name() == word) {
            return Ok(types.scalar(scalar));
        }
        if let Some((scalar, columns, rows)) = shape_of_name(word) {
            return Ok(if columns == 1 { types.vector(scalar, rows) } else { types.matrix(scalar, columns, rows) });
        }
        Ok(match word {
            "void" => Type::VOID,
            "atomic_uint" => Type::ATOMIC_COUNTER,
            "yuv_csc" => Type::YUV_CSC,
            "sampler" => types.intern(TypeKind::Sampler { comparison: false }),
            "sampler_comparison" => types.intern(TypeKind::Sampler { comparison: true }),
            "funcref" => types.intern(TypeKind::FuncRef),
            "v128" => types.intern(TypeKind::V128),
            "externref" => types.intern(TypeKind::ExternRef),
            "token" => types.intern(TypeKind::Token),
            "combined" | "texture" | "image" => return self.parse_image(module, word),
            "spirv" => return self.parse_spirv_type(module, depth),
            "fn" => {
                let params = self.parse_type_list(module, depth)?;
                self.cursor.take(Token::Arrow, "`->`")?;
                let results = self.parse_type_list(module, depth)?;
                module.types.function(&params, &results)
            }
            _ => {
                let near = self.near(word, TYPE_WORDS);
                return Err(self.unknown(here, "type", word, near));
            }
        })
    }

    /// `<TypeCooperativeMatrixKHR 4456, f32, const 3>`
    fn parse_spirv_type(&mut self, module: &mut Module, depth: u32) -> Parsed<Type> {
        self.cursor.mark(b'<')?;
        let name = self.cursor.take(Token::Word, "the name of a type")?.into();
        let here = self.cursor.here();
        let Ok(opcode) = u16::try_from(self.cursor.u32()?) else {
            return Err(self.cursor.error(here, "an instruction has a number below 2^16"));
        };
        let mut operands = Vec::new();
        while self.cursor.eat(b',') {
            operands.push(if self.cursor.eat_word("const") {
                SpirvTypeOperand::Constant(self.cursor.u32()?)
            } else if self.cursor.peek() == Token::Number {
                SpirvTypeOperand::Literal(self.cursor.u32()?)
            } else {
                SpirvTypeOperand::Type(self.parse_type_at(module, depth + 1)?)
            });
        }
        self.cursor.mark(b'>')?;
        Ok(module.types.intern(TypeKind::Spirv(Arc::new(SpirvType { name, opcode, operands }))))
    }

    fn parse_type_list(&mut self, module: &mut Module, depth: u32) -> Parsed<Vec<Type>> {
        self.cursor.mark(b'(')?;
        let mut list = Vec::new();
        while !self.cursor.eat(b')') {
            if !list.is_empty() {
                self.cursor.mark(b',')?;
            }
            list.push(self.parse_type_at(module, depth + 1)?);
        }
        Ok(list)
    }

    /// The rest of an image type, after its first word.
    fn parse_image(&mut self, module: &mut Module, kind: &str) -> Parsed<Type> {
        self.cursor.mark(b'<')?;
        let here = self.cursor.here();
        // `2d` is lexed as a number.
        let word = match self.cursor.peek() {
            Token::Word | Token::Number => self.cursor.bump(),
            _ => return Err(self.cursor.expected("a dimension")),
        };
        let Some(&(dim, _)) = DIMS.iter().find(|(_, name)| *name == word) else {
            return Err(self.cursor.error(here, format!("there is no dimension `{word}`")));
        };
        let arrayed = self.cursor.eat_word("array");
        let multisampled = self.cursor.eat_word("ms");
        let shadow = self.cursor.eat_word("shadow");
        let here = self.cursor.here();
        let word = self.cursor.take(Token::Word, "the type of a texel")?;
        let Some(sampled) = Scalar::ALL.into_iter().find(|s| s.name() == word) else {
            return Err(self.cursor.error(here, format!("`{word}` is no type of a texel")));
        };
        let kind = match kind {
            "combined" => ImageKind::Combined,
            "texture" => ImageKind::Texture,
            _ => {
                let here = self.cursor.here();
                let word = self.cursor.take(Token::Word, "a texel format")?;
                let known = ImageFormat::ALL.iter().copied().chain([ImageFormat::Unknown]);
                let Some(format) = known.into_iter().find(|f| f.name() == word) else {
                    return Err(self.cursor.error(here, format!("there is no texel format `{word}`")));
                };
                ImageKind::Storage(format)
            }
        };
        self.cursor.mark(b'>')?;
        let image = ImageType { kind, dim, arrayed, multisampled, shadow, sampled };
        Ok(module.types.intern(TypeKind::Image(image)))
    }

    /// The known name nearest to `name`. Limited to short names, few candidates, and the first errors, so that a text
    /// full of errors is not slow.
    pub(super) fn near<'k>(&self, name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
        let worth = name.len() <= MAX_SUGGESTED && self.cursor.diagnostics.len() < MAX_SUGGESTIONS;
        let known = known.into_iter().take(MAX_KNOWN).filter(|k| k.len() <= 2 * MAX_SUGGESTED);
        worth.then(|| did_you_mean(name, known).map(str::to_owned)).flatten()
    }

    /// "unknown …", with a suggestion.
    pub(super) fn unknown(&mut self, span: Span, what: &str, name: &str, near: Option<String>) -> super::lex::Failed {
        let mut diagnostic = Diagnostic::error(Code::E0901, span, format!("there is no {what} `{name}`"));
        if let Some(near) = near {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        self.cursor.report(diagnostic)
    }

    // Constants.

    /// A constant whose literal has a type suffix.
    pub(super) fn parse_const(&mut self, module: &mut Module) -> Parsed<Const> {
        self.parse_const_at(module, None, 0)
    }

    /// A constant of a known type.
    pub(super) fn parse_const_of(&mut self, module: &mut Module, ty: Type) -> Parsed<Const> {
        let here = self.cursor.here();
        let c = self.parse_const_at(module, Some(ty), 0)?;
        if module.consts[c].ty == ty {
            return Ok(c);
        }
        let types = &module.types;
        let (have, want) = (super::type_text(types, module.consts[c].ty), super::type_text(types, ty));
        Err(self.cursor.error(here, format!("expected a constant of type {want}, found one of type {have}")))
    }

    /// Recursion: at most [`MAX_NESTING`] levels.
    fn parse_const_at(&mut self, module: &mut Module, expected: Option<Type>, depth: u32) -> Parsed<Const> {
        let here = self.cursor.here();
        if depth > MAX_NESTING {
            return Err(self.cursor.error(here, format!("constants may be nested {MAX_NESTING} deep")));
        }
        match (self.cursor.peek(), expected) {
            (Token::Number, _) => {
                let text = self.cursor.bump();
                self.number(module, here, text)
            }
            (Token::Word, _) if self.is_const_word() => {
                let word = self.cursor.bump();
                self.const_word(module, here, word)
            }
            (Token::Mark(b'{'), Some(ty)) => self.parse_parts(module, ty, depth),
            _ => {
                let ty = self.parse_type(module)?;
                self.parse_parts(module, ty, depth)
            }
        }
    }

    fn is_const_word(&self) -> bool {
        let word = self.cursor.text();
        matches!(word, "true" | "false" | "inf" | "infd" | "infh" | "null_func" | "null_extern")
            || word.starts_with("nan")
            || word.starts_with("wide_")
            || YUV_NAMES.contains(&word)
    }

    fn const_word(&mut self, module: &mut Module, here: Span, word: &str) -> Parsed<Const> {
        let null = |kind: TypeKind, module: &mut Module| {
            let ty = module.types.intern(kind);
            module.consts.intern(ConstData { ty, value: ConstValue::Null })
        };
        Ok(match word {
            "true" => Const::TRUE,
            "false" => Const::FALSE,
            "null_func" => null(TypeKind::FuncRef, module),
            "null_extern" => null(TypeKind::ExternRef, module),
            _ if word.starts_with("wide_") => match u128::from_str_radix(&word[5..], 16) {
                Ok(bits) => module.consts.wide(&mut module.types, bits),
                Err(_) => return Err(self.cursor.error(here, "expected 32 hexadecimal digits after `wide_`")),
            },
            _ => match YUV_NAMES.iter().position(|n| *n == word) {
                Some(i) => module.consts.bits(Type::YUV_CSC, i as u64),
                None => return self.number(module, here, word),
            },
        })
    }

    fn number(&mut self, module: &mut Module, here: Span, text: &str) -> Parsed<Const> {
        match number_bits(text) {
            Some((scalar, bits)) => {
                let ty = module.types.scalar(scalar);
                Ok(module.consts.bits(ty, bits))
            }
            None => Err(self.cursor.error(here, format!("`{text}` is no number, or does not fit its type"))),
        }
    }

    /// `{…}` of a composite constant.
    fn parse_parts(&mut self, module: &mut Module, ty: Type, depth: u32) -> Parsed<Const> {
        let here = self.cursor.here();
        let Some(count) = module.types.part_count(ty) else {
            return Err(self.cursor.expected("a constant"));
        };
        if count > MAX_PARTS {
            return Err(self.cursor.error(here, format!("a constant may have {MAX_PARTS} parts")));
        }
        self.cursor.mark(b'{')?;
        let mut parts = Vec::new();
        while !self.cursor.eat(b'}') {
            if !parts.is_empty() {
                if parts.len() == 1 && self.cursor.eat(b';') {
                    let here = self.cursor.here();
                    let n = self.cursor.u32()?;
                    if n != count {
                        return Err(self.cursor.error(here, format!("the type has {count} parts, not {n}")));
                    }
                    let Some(left) = self.repeated_left.checked_sub(n) else {
                        let message = format!("repeated parts of constants may be {MAX_REPEATED} in all");
                        return Err(self.cursor.error(here, message));
                    };
                    self.repeated_left = left;
                    parts = vec![parts[0]; n as usize];
                    self.cursor.mark(b'}')?;
                    break;
                }
                self.cursor.mark(b',')?;
            }
            let here = self.cursor.here();
            let Some(part_ty) = module.types.part(ty, parts.len() as u32) else {
                return Err(self.cursor.error(here, format!("the type has only {count} parts")));
            };
            let part = self.parse_const_at(module, Some(part_ty), depth + 1)?;
            if module.consts[part].ty != part_ty {
                let want = super::type_text(&module.types, part_ty);
                return Err(self.cursor.error(here, format!("this part must have type {want}")));
            }
            parts.push(part);
        }
        if parts.len() != count as usize {
            return Err(self.cursor.error(here, format!("the type has {count} parts, not {}", parts.len())));
        }
        Ok(module.consts.composite(ty, parts))
    }

    // Words.

    pub(super) fn parse_source(&mut self) -> NameSource {
        match thing_of(SOURCES, self.cursor.text()).filter(|_| self.cursor.peek() == Token::Word) {
            Some(source) => {
                self.cursor.bump();
                source
            }
            None => NameSource::Temporary,
        }
    }

    pub(super) fn parse_precision(&mut self) -> Precision {
        match thing_of(PRECISIONS, self.cursor.text()).filter(|_| self.cursor.peek() == Token::Word) {
            Some(precision) => {
                self.cursor.bump();
                precision
            }
            None => Precision::None,
        }
    }

    /// Decorations up to the first other word.
    pub(super) fn parse_decorations(&mut self) -> Parsed<Decorations> {
        let mut decorations = Decorations::new();
        while self.cursor.peek() == Token::Word {
            let Some(word) = decoration_word(self.cursor.text()) else { break };
            self.cursor.bump();
            decorations.add(match word {
                DecorationWord::Plain(decoration) => decoration,
                DecorationWord::Numbered(make) => make(in_brackets(&mut self.cursor, Cursor::u32)?),
                DecorationWord::Length => {
                    let [param, memory, stride] = in_brackets(&mut self.cursor, |c| {
                        let param = c.u32()?;
                        c.mark(b',')?;
                        let memory = c.u32()?;
                        c.mark(b',')?;
                        Ok([param, memory, c.u32()?])
                    })?;
                    Decoration::Length(SliceLength { param, memory, stride })
                }
                DecorationWord::Spirv => {
                    let words = in_brackets(&mut self.cursor, Cursor::numbers)?;
                    match words[..] {
                        [number] => Decoration::Spirv(number, None),
                        [number, operand] => Decoration::Spirv(number, Some(operand)),
                        _ => return Err(self.cursor.expected("a number and at most one operand")),
                    }
                }
                DecorationWord::BuiltIn => {
                    let here = self.cursor.here();
                    let name = in_brackets(&mut self.cursor, |c| c.take(Token::Word, "the name of a built-in"))?;
                    match builtin_of(name) {
                        Some(builtin) => Decoration::BuiltIn(builtin),
                        None => return Err(self.unknown(here, "built-in", name, None)),
                    }
                }
            });
        }
        Ok(decorations)
    }

    /// A name, with or without quotes.
    pub(super) fn parse_name(&mut self) -> Parsed<Arc<str>> {
        match self.cursor.peek() {
            Token::Word => Ok(self.cursor.bump().into()),
            _ => Ok(self.cursor.string()?.into()),
        }
    }

    /// The name in quotes if it follows; otherwise the label.
    pub(super) fn parse_name_of(&mut self, label: &str) -> Parsed<Arc<str>> {
        if self.cursor.peek() == Token::Text { Ok(self.cursor.string()?.into()) } else { Ok(label.into()) }
    }

    /// A variable, after the word `var`. Without an address space it is local.
    pub(super) fn parse_var(&mut self, module: &mut Module, here: Span) -> Parsed<(&'a str, Var)> {
        let space = space_of_name(self.cursor.text()).filter(|_| self.cursor.peek() == Token::Word);
        if space.is_some() {
            self.cursor.bump();
        }
        let source = self.parse_source();
        let is_const = self.cursor.eat_word("const");
        let label = self.cursor.label(Token::Global, "the label of a variable")?;
        let name = self.parse_name_of(label)?;
        self.cursor.mark(b':')?;
        let ty = self.parse_type(module)?;
        let precision = self.parse_precision();
        let decorations = self.parse_decorations()?;
        let initializer = if self.cursor.eat(b'=') { Some(self.parse_const_of(module, ty)?) } else { None };
        let var = module.add_var(Name::new(name, source), ty, space.unwrap_or(AddressSpace::Function));
        let data = &mut module.vars[var];
        data.precision = precision;
        data.decorations = decorations;
        data.initializer = initializer;
        data.is_const = is_const;
        data.span = here.to(self.cursor.before());
        Ok((label, var))
    }

    /// `memory0` and similar: a word that ends with an index. The verifier checks that it exists.
    pub(super) fn parse_index(&mut self, kind: &str) -> Parsed<u32> {
        let here = self.cursor.here();
        let word = self.cursor.take(Token::Word, &format!("a {kind}"))?;
        let index = word.strip_prefix(kind).and_then(|n| n.parse().ok());
        index.ok_or_else(|| self.cursor.error(here, format!("expected a {kind}, such as `{kind}0`")))
    }
}

/// `(…)`
pub(super) fn in_brackets<'a, T>(
    cursor: &mut Cursor<'a>,
    inside: impl FnOnce(&mut Cursor<'a>) -> Parsed<T>,
) -> Parsed<T> {
    cursor.mark(b'(')?;
    let value = inside(cursor)?;
    cursor.mark(b')')?;
    Ok(value)
}

/// The type and the bits of a number.
fn number_bits(text: &str) -> Option<(Scalar, u64)> {
    if let Some(bits) = text.strip_prefix("nan_") {
        return u32::from_str_radix(bits, 16)
            .ok()
            .filter(|b| f32::from_bits(*b).is_nan())
            .map(|b| (Scalar::F32, b.into()));
    }
    if let Some(bits) = text.strip_prefix("nanh_") {
        let is_nan = |bits: &u16| from_half(*bits).is_nan();
        return u16::from_str_radix(bits, 16).ok().filter(is_nan).map(|b| (Scalar::F16, b.into()));
    }
    if let Some(bits) = text.strip_prefix("nand_") {
        return u64::from_str_radix(bits, 16).ok().filter(|b| f64::from_bits(*b).is_nan()).map(|b| (Scalar::F64, b));
    }
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        let (digits, scalar) = integer_suffix(hexadecimal);
        let bits = u64::from_str_radix(digits, 16).ok()?;
        return (scalar.bits() == 64 || bits >> scalar.bits() == 0).then_some((scalar, bits));
    }
    if text.contains(['.', 'e', 'i']) {
        let plain = |digits: &str| !digits.contains(['_', 'a', 'y']);
        let (digits, scalar) = match text.as_bytes().last() {
            Some(b'd') => (&text[..text.len() - 1], Scalar::F64),
            Some(b'h') => (&text[..text.len() - 1], Scalar::F16),
            _ => (text, Scalar::F32),
        };
        return match scalar {
            _ if !plain(digits) => None,
            Scalar::F32 => digits.parse::<f32>().ok().map(|f| (scalar, f.to_bits().into())),
            _ => digits.parse::<f64>().ok().map(|f| (scalar, float_bits(scalar, f))),
        };
    }
    let (digits, scalar) = integer_suffix(text);
    let bits = match scalar {
        Scalar::I8 => digits.parse::<i8>().ok()? as u8 as u64,
        Scalar::U8 => digits.parse::<u8>().ok()?.into(),
        Scalar::I16 => digits.parse::<i16>().ok()? as u16 as u64,
        Scalar::U16 => digits.parse::<u16>().ok()?.into(),
        Scalar::I32 => digits.parse::<i32>().ok()? as u32 as u64,
        Scalar::U32 => digits.parse::<u32>().ok()?.into(),
        Scalar::I64 => digits.parse::<i64>().ok()? as u64,
        _ => digits.parse::<u64>().ok()?,
    };
    Some((scalar, bits))
}

/// The suffixes of integers that have one; of two that end in the same letter the longer comes first.
const SUFFIXES: [(&str, Scalar); 7] = [
    ("ul", Scalar::U64),
    ("l", Scalar::I64),
    ("us", Scalar::U16),
    ("s", Scalar::I16),
    ("uy", Scalar::U8),
    ("y", Scalar::I8),
    ("u", Scalar::U32),
];

fn integer_suffix(text: &str) -> (&str, Scalar) {
    SUFFIXES
        .into_iter()
        .find_map(|(suffix, scalar)| text.strip_suffix(suffix).map(|digits| (digits, scalar)))
        .unwrap_or((text, Scalar::I32))
}
