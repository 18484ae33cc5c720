//! Types: from type specifiers to types of the IR, and back to the words of GLSL.

use std::sync::Arc;

use planish_ir::decoration::Decorations;
use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::entity::Type;
use planish_ir::source::Span;
use planish_ir::types::{
    Dim as ImageDim, ImageFormat, ImageKind, ImageType, MAX_TYPE_NESTING, Member as IrMember, Scalar, StructType,
    TypeKind, Types,
};

use super::names::Entity;
use super::{Checked, Checker, Reported, builtin_variables};
use crate::ast::*;
use crate::device;
use crate::symbol::{Symbol, kw};

/// Maximum number of elements of an array, and of components of a type.
const MAX_ARRAY_LEN: u32 = 1 << 24;

/// The type of a keyword that names one.
pub(super) fn keyword_type(types: &mut Types, word: Symbol) -> Option<Type> {
    if let Some(ty) = plain_type(types, word) {
        return Some(ty);
    }
    let kind = match word {
        kw::ATOMIC_UINT => return Some(Type::ATOMIC_COUNTER),
        kw::SAMPLER => TypeKind::Sampler { comparison: false },
        kw::ACCELERATIONSTRUCTUREEXT | kw::ACCELERATIONSTRUCTURENV => {
            return Some(device::acceleration_structure(types));
        }
        kw::RAYQUERYEXT => return Some(device::ray_query(types)),
        kw::SAMPLERSHADOW => TypeKind::Sampler { comparison: true },
        _ => TypeKind::Image(image_type(word)?),
    };
    Some(types.intern(kind))
}

fn plain_type(types: &mut Types, word: Symbol) -> Option<Type> {
    let matrix = |types: &mut Types, scalar, columns, rows| Some(types.matrix(scalar, columns, rows));
    use Scalar::{F16, F64, I8, I16, I64, U8, U16, U64};
    Some(match word {
        kw::VOID => Type::VOID,
        kw::BOOL => Type::BOOL,
        kw::INT | kw::INT32_T => Type::I32,
        kw::UINT | kw::UINT32_T => Type::U32,
        kw::FLOAT | kw::FLOAT32_T => Type::F32,
        kw::VEC2 | kw::F32VEC2 => Type::VEC2,
        kw::VEC3 | kw::F32VEC3 => Type::VEC3,
        kw::VEC4 | kw::F32VEC4 => Type::VEC4,
        kw::IVEC2 => Type::IVEC2,
        kw::IVEC3 => Type::IVEC3,
        kw::IVEC4 => Type::IVEC4,
        kw::UVEC2 => Type::UVEC2,
        kw::UVEC3 => Type::UVEC3,
        kw::UVEC4 => Type::UVEC4,
        kw::BVEC2 => Type::BVEC2,
        kw::BVEC3 => Type::BVEC3,
        kw::BVEC4 => Type::BVEC4,
        kw::MAT2 | kw::MAT2X2 => Type::MAT2,
        kw::MAT3 | kw::MAT3X3 => Type::MAT3,
        kw::MAT4 | kw::MAT4X4 => Type::MAT4,
        kw::MAT2X3 => Type::MAT2X3,
        kw::MAT2X4 => Type::MAT2X4,
        kw::MAT3X2 => Type::MAT3X2,
        kw::MAT3X4 => Type::MAT3X4,
        kw::MAT4X2 => Type::MAT4X2,
        kw::MAT4X3 => Type::MAT4X3,
        kw::INT8_T => types.scalar(I8),
        kw::I8VEC2 => types.vector(I8, 2),
        kw::I8VEC3 => types.vector(I8, 3),
        kw::I8VEC4 => types.vector(I8, 4),
        kw::UINT8_T => types.scalar(U8),
        kw::U8VEC2 => types.vector(U8, 2),
        kw::U8VEC3 => types.vector(U8, 3),
        kw::U8VEC4 => types.vector(U8, 4),
        kw::INT16_T => types.scalar(I16),
        kw::I16VEC2 => types.vector(I16, 2),
        kw::I16VEC3 => types.vector(I16, 3),
        kw::I16VEC4 => types.vector(I16, 4),
        kw::UINT16_T => types.scalar(U16),
        kw::U16VEC2 => types.vector(U16, 2),
        kw::U16VEC3 => types.vector(U16, 3),
        kw::U16VEC4 => types.vector(U16, 4),
        kw::FLOAT16_T => types.scalar(F16),
        kw::F16VEC2 => types.vector(F16, 2),
        kw::F16VEC3 => types.vector(F16, 3),
        kw::F16VEC4 => types.vector(F16, 4),
        kw::F16MAT2 | kw::F16MAT2X2 => return matrix(types, F16, 2, 2),
        kw::F16MAT3 | kw::F16MAT3X3 => return matrix(types, F16, 3, 3),
        kw::F16MAT4 | kw::F16MAT4X4 => return matrix(types, F16, 4, 4),
        kw::F16MAT2X3 => return matrix(types, F16, 2, 3),
        kw::F16MAT2X4 => return matrix(types, F16, 2, 4),
        kw::F16MAT3X2 => return matrix(types, F16, 3, 2),
        kw::F16MAT3X4 => return matrix(types, F16, 3, 4),
        kw::F16MAT4X2 => return matrix(types, F16, 4, 2),
        kw::F16MAT4X3 => return matrix(types, F16, 4, 3),
        kw::DOUBLE | kw::FLOAT64_T => types.scalar(F64),
        kw::DVEC2 | kw::F64VEC2 => types.vector(F64, 2),
        kw::DVEC3 | kw::F64VEC3 => types.vector(F64, 3),
        kw::DVEC4 | kw::F64VEC4 => types.vector(F64, 4),
        kw::INT64_T => types.scalar(I64),
        kw::UINT64_T => types.scalar(U64),
        kw::I64VEC2 => types.vector(I64, 2),
        kw::I64VEC3 => types.vector(I64, 3),
        kw::I64VEC4 => types.vector(I64, 4),
        kw::U64VEC2 => types.vector(U64, 2),
        kw::U64VEC3 => types.vector(U64, 3),
        kw::U64VEC4 => types.vector(U64, 4),
        kw::DMAT2 | kw::DMAT2X2 => return matrix(types, F64, 2, 2),
        kw::DMAT3 | kw::DMAT3X3 => return matrix(types, F64, 3, 3),
        kw::DMAT4 | kw::DMAT4X4 => return matrix(types, F64, 4, 4),
        kw::DMAT2X3 => return matrix(types, F64, 2, 3),
        kw::DMAT2X4 => return matrix(types, F64, 2, 4),
        kw::DMAT3X2 => return matrix(types, F64, 3, 2),
        kw::DMAT3X4 => return matrix(types, F64, 3, 4),
        kw::DMAT4X2 => return matrix(types, F64, 4, 2),
        kw::DMAT4X3 => return matrix(types, F64, 4, 3),
        _ => return None,
    })
}

/// The image of a keyword, read off its spelling: `[iu](sampler|texture|image|subpassInput)DIM[MS][Array][Shadow]`.
fn image_type(word: Symbol) -> Option<ImageType> {
    let (name, ..) = crate::symbol::WORDS.get(word.index())?;
    image_type_named(name)
}

fn image_type_named(name: &str) -> Option<ImageType> {
    if name == "samplerExternalOES" {
        return Some(ImageType {
            kind: ImageKind::Combined,
            dim: ImageDim::External,
            arrayed: false,
            multisampled: false,
            shadow: false,
            sampled: Scalar::F32,
        });
    }
    let kinds = [
        ("sampler", ImageKind::Combined),
        ("texture", ImageKind::Texture),
        ("image", ImageKind::Storage(ImageFormat::Unknown)),
        ("subpassInput", ImageKind::Texture),
    ];
    let split = |text: &'_ str| {
        kinds.iter().find_map(|(prefix, kind)| Some((text.strip_prefix(prefix)?.len(), *kind, *prefix)))
    };
    let (sampled, rest) = match split(name) {
        Some(_) => (Scalar::F32, name),
        None if name.starts_with('i') => (Scalar::I32, &name[1..]),
        None if name.starts_with('u') => (Scalar::U32, &name[1..]),
        None => return None,
    };
    let (len, kind, prefix) = split(rest)?;
    let rest = &rest[rest.len() - len..];
    let (rest, shadow) = rest.strip_suffix("Shadow").map_or((rest, false), |r| (r, true));
    let (rest, arrayed) = rest.strip_suffix("Array").map_or((rest, false), |r| (r, true));
    let (rest, multisampled) = rest.strip_suffix("MS").map_or((rest, false), |r| (r, true));
    let dim = match rest {
        "1D" => ImageDim::D1,
        "2D" => ImageDim::D2,
        "3D" => ImageDim::D3,
        "Cube" => ImageDim::Cube,
        "2DRect" => ImageDim::Rect,
        "Buffer" => ImageDim::Buffer,
        "" if prefix == "subpassInput" => ImageDim::Subpass,
        _ => return None,
    };
    Some(ImageType { kind, dim, arrayed, multisampled, shadow, sampled })
}

/// The GLSL name of a type.
/// Recursion: once, for the element of an array.
pub(super) fn type_name(types: &Types, ty: Type) -> String {
    match &types[ty] {
        TypeKind::Array { .. } | TypeKind::RuntimeArray { .. } => {
            // GLSL writes the outermost dimension first, after the element's name.
            let mut dims = String::new();
            let mut element = ty;
            loop {
                match &types[element] {
                    TypeKind::Array { element: inner, len } => {
                        dims.push_str(&format!("[{len}]"));
                        element = *inner;
                    }
                    TypeKind::RuntimeArray { element: inner } => {
                        dims.push_str("[]");
                        element = *inner;
                    }
                    _ => return type_name(types, element) + &dims,
                }
            }
        }
        TypeKind::Void => "void".into(),
        TypeKind::Scalar(s) => scalar_name(*s).into(),
        TypeKind::Vector(s, n) => format!("{}vec{n}", vector_prefix(*s)),
        TypeKind::Matrix { scalar, columns, rows } => {
            let prefix = vector_prefix(*scalar);
            if columns == rows { format!("{prefix}mat{columns}") } else { format!("{prefix}mat{columns}x{rows}") }
        }
        TypeKind::Struct(s) if s.name.is_empty() => "struct".into(),
        TypeKind::Struct(s) => s.name.to_string(),
        TypeKind::Image(image) => image.glsl_name(),
        TypeKind::Sampler { comparison } => if *comparison { "samplerShadow" } else { "sampler" }.into(),
        TypeKind::AtomicCounter => "atomic_uint".into(),
        TypeKind::YuvCsc => "yuvCscStandardEXT".into(),
        TypeKind::Spirv(ty) => device::type_name(ty).into(),
        TypeKind::Pointer { pointee, .. } => type_name(types, *pointee),
        _ => "?".into(),
    }
}

/// The words of messages for numbers of 8 and 16 bits.
const fn plural(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F16 => "16-bit floats",
        Scalar::I8 | Scalar::U8 => "8-bit integers",
        _ => "16-bit integers",
    }
}

fn scalar_name(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool => "bool",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::I64 => "int64_t",
        Scalar::U64 => "uint64_t",
        Scalar::I8 => "int8_t",
        Scalar::U8 => "uint8_t",
        Scalar::I16 => "int16_t",
        Scalar::U16 => "uint16_t",
        Scalar::F16 => "float16_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

fn vector_prefix(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool => "b",
        Scalar::I32 => "i",
        Scalar::U32 => "u",
        Scalar::I64 => "i64",
        Scalar::U64 => "u64",
        Scalar::I8 => "i8",
        Scalar::U8 => "u8",
        Scalar::I16 => "i16",
        Scalar::U16 => "u16",
        Scalar::F16 => "f16",
        Scalar::F32 => "",
        Scalar::F64 => "d",
    }
}

impl Checker<'_, '_> {
    /// The GLSL name of a type.
    pub(super) fn type_name(&self, ty: Type) -> String {
        type_name(&self.b.module.types, ty)
    }

    pub(super) fn kind(&self, ty: Type) -> &TypeKind {
        &self.b.module.types[ty]
    }

    pub(super) fn is_opaque(&self, ty: Type) -> bool {
        let types = &self.b.module.types;
        types.is_opaque(ty) || device::is_device_type(types, ty)
    }

    /// The words of messages for parts of a type that are opaque.
    pub(super) fn opaque_words(&self, ty: Type) -> &'static str {
        let types = &self.b.module.types;
        match () {
            () if types.is_opaque(ty) => "samplers or images",
            () if device::is_ray_query(types, ty) => "ray queries",
            () => "acceleration structures",
        }
    }

    /// Whether the type is an array, of known or unknown length.
    pub(super) fn is_array(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Array { .. } | TypeKind::RuntimeArray { .. })
    }

    pub(super) fn contains_array(&self, ty: Type) -> bool {
        let test = &mut |k: &TypeKind| matches!(k, TypeKind::Array { .. } | TypeKind::RuntimeArray { .. });
        self.b.module.types.contains(ty, test)
    }

    /// Whether a dimension of the type is unknown.
    pub(super) fn is_unsized(&self, ty: Type) -> bool {
        self.b.module.types.contains(ty, &mut |k| matches!(k, TypeKind::RuntimeArray { .. }))
    }

    /// The type of a specifier, with its dimensions.
    pub(super) fn type_spec(&mut self, id: TypeId) -> Checked<Type> {
        let spec = self.ast[id];
        let base = match spec.base {
            TypeBase::Error => Err(Reported),
            TypeBase::Builtin(word) => match keyword_type(&mut self.b.module.types, word) {
                // The parser has reported words that the version does not have.
                Some(ty) if self.is_missing_double(ty) => Err(Reported),
                Some(ty) => Ok(ty),
                None => {
                    let text = self.text(word);
                    Err(self.fail(Code::E0508, spec.span, format!("the type `{text}` is not supported")))
                }
            },
            TypeBase::Named(symbol) => self.named_type(symbol, spec.span),
            TypeBase::Struct(id) => self.struct_type(id),
        };
        let ty = base?;
        self.with_dims(ty, spec.dims)
    }

    /// Whether the program may compute with numbers of a type, rather than only store them: of 8 and 16 bits by an extension.
    pub(super) fn computes_with(&self, scalar: Scalar) -> bool {
        let extensions = crate::builtins::extensions_of(scalar);
        extensions.is_empty() || extensions.iter().any(|extension| self.has_extension(extension))
    }

    /// Reports that something needs numbers of a type of 8 or 16 bits, if the program may not compute with them. `what` is the subject of the
    /// message; in it, `#` stands for their name in the plural.
    pub(super) fn needs_numbers(&mut self, scalar: Scalar, what: &str, span: Span) -> Checked<()> {
        if self.computes_with(scalar) {
            return Ok(());
        }
        let extension = crate::builtins::extensions_of(scalar)[0];
        let numbers = plural(scalar);
        let message = format!("{} needs the extension `{extension}`", what.replace('#', numbers));
        Err(self.error(
            Diagnostic::error(Code::E0508, span, message)
                .help(format!("begin with `#extension {extension} : require`, if the device has {numbers}")),
        ))
    }

    /// As [`Checker::needs_numbers`], of values of a type, for an operation.
    pub(super) fn needs_numbers_of(&mut self, ty: Type, what: &str, span: Span) -> Checked<()> {
        match self.b.module.types.scalar_of(ty) {
            Some(scalar) => self.needs_numbers(scalar, what, span),
            None => Ok(()),
        }
    }

    /// Refuses numbers of 8 and 16 bits outside of blocks, where the program may only store them.
    pub(super) fn check_stored(&mut self, ty: Type, span: Span) -> Checked<()> {
        for scalar in Scalar::SMALL {
            let is_one = |kind: &TypeKind| match kind {
                TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } => *s == scalar,
                _ => false,
            };
            // Without an extension, the name of the type is wrong already.
            let storage = if scalar.bits() == 8 { "GL_EXT_shader_8bit_storage" } else { "GL_EXT_shader_16bit_storage" };
            let may_store = self.has_extension(storage);
            if may_store && !self.computes_with(scalar) && self.b.module.types.contains(ty, &mut |kind| is_one(kind)) {
                let what = match scalar {
                    Scalar::F16 => "a 16-bit float that is no member of a block",
                    Scalar::I8 | Scalar::U8 => "an 8-bit integer that is no member of a block",
                    _ => "a 16-bit integer that is no member of a block",
                };
                return self.needs_numbers(scalar, what, span);
            }
        }
        Ok(())
    }

    pub(super) fn is_missing_double(&self, ty: Type) -> bool {
        let extensions = ["GL_ARB_gpu_shader_fp64", "GL_EXT_shader_explicit_arithmetic_types_float64"];
        self.b.module.types.scalar_of(ty) == Some(Scalar::F64)
            && !self.version.has_doubles()
            && !extensions.iter().any(|e| self.has_extension(e))
    }

    fn named_type(&mut self, symbol: Symbol, span: Span) -> Checked<Type> {
        match self.scopes.lookup(symbol) {
            Some(binding) => {
                binding.used = true;
                match binding.entity {
                    Entity::Struct(ty) => Ok(ty),
                    Entity::Error => Err(Reported),
                    _ => {
                        let text = self.text(symbol);
                        Err(self.fail(Code::E0316, span, format!("`{text}` is not a type")))
                    }
                }
            }
            None => {
                // Types of images may be names in some versions.
                let known = keyword_type(&mut self.b.module.types, symbol);
                let text = self.text(symbol);
                if let Some(ty) = known {
                    self.needs_numbers_of(ty, &format!("`{text}`"), span)?;
                    return Ok(ty);
                }
                if let Some(ty) = builtin_variables::structure(self, text) {
                    return Ok(ty);
                }
                let mut d = Diagnostic::error(Code::E0301, span, format!("unknown type `{text}`")).label("not a type");
                let known =
                    ["float", "vec2", "vec3", "vec4", "int", "bool", "mat3", "mat4", "sampler2D", "samplerCube"];
                if let Some(near) = did_you_mean(text, known) {
                    d = d.help(format!("did you mean `{near}`?")).fix(span, near);
                }
                Err(self.error(d))
            }
        }
    }

    /// The type with array dimensions around it, outermost first.
    pub(super) fn with_dims(&mut self, base: Type, dims: List<Dim>) -> Checked<Type> {
        if dims.is_empty() {
            return Ok(base);
        }
        let ast = self.ast;
        let mut ty = base;
        if base == Type::VOID {
            return Err(self.fail(Code::E0312, ast[dims][0].span, "there are no arrays of `void`"));
        }
        if dims.len() > 1 || self.is_array(base) {
            self.check_arrays_of_arrays(ast[dims][0].span);
        }
        for dim in ast[dims].iter().rev() {
            ty = match dim.size {
                Some(size) => {
                    let len = self.array_size(size)?;
                    self.array_of(ty, len, dim.span)?
                }
                None => self.b.module.types.intern(TypeKind::RuntimeArray { element: ty }),
            };
        }
        Ok(ty)
    }

    fn check_arrays_of_arrays(&mut self, span: Span) {
        if !self.version.at_least(310, 430) && !self.has_extension("GL_ARB_arrays_of_arrays") {
            let version = self.version;
            let needed = if self.is_es() { "GLSL ES 3.10" } else { "GLSL 4.30" };
            self.error(
                Diagnostic::error(Code::E0317, span, format!("{version} has no arrays of arrays"))
                    .note(format!("they need {needed}")),
            );
        }
    }

    /// An array of a size that may have to be too large.
    pub(super) fn array_of(&mut self, element: Type, len: u32, span: Span) -> Checked<Type> {
        let total = u64::from(len) * self.component_count(element);
        if total > u64::from(MAX_ARRAY_LEN) {
            return Err(self.error(
                Diagnostic::error(Code::E0506, span, "the array is too large")
                    .note(format!("the limit is {MAX_ARRAY_LEN} components in all")),
            ));
        }
        let ty = self.b.module.types.array(element, len);
        self.bounded(ty, span)
    }

    /// A type that does not nest too deep.
    fn bounded(&mut self, ty: Type, span: Span) -> Checked<Type> {
        if self.b.module.types.nesting(ty) <= MAX_TYPE_NESTING {
            return Ok(ty);
        }
        let message = format!("types are nested more than {MAX_TYPE_NESTING} levels deep here");
        Err(self.error(Diagnostic::error(Code::E0204, span, message)))
    }

    /// Components of a type in all.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn component_count(&self, ty: Type) -> u64 {
        let types = &self.b.module.types;
        match &types[ty] {
            TypeKind::Vector(_, n) => u64::from(*n),
            TypeKind::Matrix { columns, rows, .. } => u64::from(*columns) * u64::from(*rows),
            TypeKind::Array { element, len } => u64::from(*len) * self.component_count(*element),
            TypeKind::Struct(s) => s.members.iter().map(|m| self.component_count(m.ty)).sum(),
            _ => 1,
        }
    }

    /// The size of an array: a constant integer above zero.
    pub(super) fn array_size(&mut self, size: ExprId) -> Checked<u32> {
        let span = self.span_of(size);
        let value = self.constant_integer(size, "the size of an array")?;
        if value < 1 {
            return Err(self.error(
                Diagnostic::error(Code::E0317, span, format!("an array of size {value}"))
                    .note("an array has at least one element"),
            ));
        }
        Ok(u32::try_from(value).unwrap_or(u32::MAX))
    }

    // ------------------------------------------------------------------------------------------ structs

    fn struct_type(&mut self, id: StructId) -> Checked<Type> {
        let spec = self.ast[id];
        let members = self.struct_members(spec.members);
        let Ok(members) = members else {
            if let Some(name) = spec.name {
                self.declare_name(name, Entity::Error, false);
            }
            return Err(Reported);
        };
        let text = spec.name.map_or("", |n| self.text(n.symbol));
        let name = self.unique_struct_name(text);
        let data = StructType { name, members, is_block: false };
        let ty = self.b.module.types.intern(TypeKind::Struct(Arc::new(data)));
        let ty = self.bounded(ty, spec.name.map_or(spec.span, |n| n.span));
        if let Ok(ty) = ty {
            self.webgl_struct(ty, spec.name.map_or(spec.span, |n| n.span));
        }
        if let Some(name) = spec.name {
            self.declare_name(name, ty.map_or(Entity::Error, Entity::Struct), false);
        }
        ty
    }

    /// A name that no other struct of the module has.
    pub(super) fn unique_struct_name(&mut self, wanted: &str) -> Arc<str> {
        let mut name: Arc<str> = wanted.into();
        let mut number = 0;
        while name.is_empty() || !self.struct_names.insert(name.clone()) {
            number += 1;
            name = if wanted.is_empty() { format!("Struct{number}") } else { format!("{wanted}_{number}") }.into();
        }
        name
    }

    /// Recursion: as deep as structs are defined in structs, which the parser bounds (`MAX_NESTING`).
    fn struct_members(&mut self, members: List<Member>) -> Checked<Vec<IrMember>> {
        let ast = self.ast;
        let mut out: Vec<IrMember> = vec![];
        let mut result = Ok(());
        for member in &ast[members] {
            // (GLSL 1.20.8 and GLSL ES 1.00.17, section 4.1.8.)
            if matches!(ast[member.ty].base, TypeBase::Struct(_)) && self.version.at_least(100, 120) {
                result = Err(self.error(
                    Diagnostic::error(Code::E0409, ast[member.ty].span, "a struct is defined in a struct")
                        .help("define it before"),
                ));
            }
            let base = self.type_spec(member.ty);
            let precision = self.member_precision(member);
            self.check_member_qualifiers(member);
            for declarator in &ast[member.declarators] {
                let ty = match base {
                    Ok(base) => self.with_dims(base, declarator.dims),
                    Err(Reported) => Err(Reported),
                };
                match ty.and_then(|ty| self.check_member_type(ty, declarator)) {
                    Ok(ty) => {
                        let precision = self.precision_for(ty, precision, declarator.name.span);
                        let name: Arc<str> = self.text(declarator.name.symbol).into();
                        if out.iter().any(|m| m.name == name) {
                            let span = declarator.name.span;
                            result = Err(self.fail(Code::E0304, span, format!("two members are named `{name}`")));
                            continue;
                        }
                        out.push(IrMember { name, ty, precision, decorations: Decorations::new() });
                    }
                    Err(Reported) => result = Err(Reported),
                }
            }
        }
        result.map(|()| out)
    }

    /// Members of structs have no qualifiers but precision (GLSL ES 3.20.8 and GLSL 4.60.8, section 4.1.8).
    fn check_member_qualifiers(&mut self, member: &Member) {
        let other = |q: &&Qualifier| !matches!(q.kind, QualifierKind::Precision(_));
        if let Some(&Qualifier { span, .. }) = self.ast[member.qualifiers].iter().find(other) {
            self.error(
                Diagnostic::error(Code::E0401, span, "a member of a struct has no qualifier but its precision")
                    .help("put the qualifier on the variable"),
            );
        }
    }

    fn check_member_type(&mut self, ty: Type, declarator: &Declarator) -> Checked<Type> {
        let span = declarator.name.span;
        if ty == Type::VOID {
            return Err(self.fail(Code::E0312, span, "a member cannot be `void`"));
        }
        let types = &self.b.module.types;
        if device::is_device_type(types, ty) && !device::is_ray_query(types, ty) {
            let name = self.type_name(ty);
            return Err(self.error(
                Diagnostic::error(Code::E0405, span, format!("a member of a struct cannot be `{name}`"))
                    .help("declare a variable of its own"),
            ));
        }
        if self.is_unsized(ty) {
            return Err(self.error(
                Diagnostic::error(Code::E0317, span, "a member of a struct is an array without a size")
                    .label("the size is missing"),
            ));
        }
        Ok(ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_read_back() {
        let mut types = Types::new();
        for (index, (name, ..)) in crate::symbol::WORDS.iter().enumerate() {
            if let Some(ty) = keyword_type(&mut types, Symbol(index as u32)) {
                let printed = type_name(&types, ty);
                let square = name.ends_with("2x2") || name.ends_with("3x3") || name.ends_with("4x4");
                let sized = name.ends_with("_t") || name.starts_with("f32") || name.starts_with("f64");
                // A second name of a type of another extension.
                let second = name.ends_with("NV");
                if !square && !sized && !second {
                    assert_eq!(&printed, name);
                }
            }
        }
    }
}
