//! The spelling of HLSL.

use std::fmt::Write;

use planish_back_shading::globals::{Declared, DeclaredType, Kind, Leaf, Tree};
use planish_back_text::number::{float16, float32, float64};
use planish_back_text::syntax::Casts;
use planish_back_text::tree::{Decl, Symbol};
use planish_back_text::{Style, Written};
use planish_ir::constant::ConstValue;
use planish_ir::entity::{Const, Type};
use planish_ir::function::Direction;
use planish_ir::types::{ImageKind, Scalar, TypeKind};

use crate::helpers;
use crate::language::Writer;

/// Conversions look like constructors.
pub(crate) const STYLE: Style = Style { casts: Casts::Call, ..Style::C };

fn scalar_name(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool => "bool",
        // Those of 8 bits are lowered before.
        Scalar::I8 | Scalar::I16 => "int16_t",
        Scalar::U8 | Scalar::U16 => "uint16_t",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::F16 => "float16_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::I64 => "int64_t",
        Scalar::U64 => "uint64_t",
    }
}

/// The name of a type that is no array, and the sizes that follow the name of a variable.
/// Recursion: one level, from a pointer to what it leads to.
pub(crate) fn type_parts(w: &Writer<'_>, mut ty: Type) -> (String, String) {
    let mut sizes = String::new();
    while let TypeKind::Array { element, len } = w.module.types[ty] {
        let _ = write!(sizes, "[{len}]");
        ty = element;
    }
    let base = match &w.module.types[ty] {
        TypeKind::Scalar(s) => scalar_name(*s).to_owned(),
        TypeKind::Vector(s, n) => format!("{}{n}", scalar_name(*s)),
        // Rows of HLSL are columns of the program.
        TypeKind::Matrix { scalar, columns, rows } => format!("{}{columns}x{rows}", scalar_name(*scalar)),
        TypeKind::Struct(s) => match w.known_struct(ty) {
            Some(symbol) => w.name(symbol).to_string(),
            None => s.name.to_string(),
        },
        TypeKind::Pointer { pointee, .. } => return type_parts(w, *pointee),
        TypeKind::Void => "void".to_owned(),
        // Reported when the type was checked.
        _ => "int".to_owned(),
    };
    (base, sizes)
}

/// A type where no name follows: that of an array has a name of its own.
pub(crate) fn type_name(w: &Writer<'_>, ty: Type) -> String {
    if let Some((_, symbol)) = w.language.arrays.iter().find(|a| a.0 == ty) {
        return w.name(*symbol).to_string();
    }
    let (base, sizes) = type_parts(w, ty);
    base + &sizes
}

/// Whether values of a type have no constructor.
pub(crate) fn is_aggregate(w: &Writer<'_>, ty: Type) -> bool {
    matches!(w.module.types[ty], TypeKind::Struct(_) | TypeKind::Array { .. })
}

/// Structs and arrays are lists in braces, which only initializers may be.
pub(crate) fn constructor(w: &Writer<'_>, ty: Type, out: &mut String) -> &'static str {
    if is_aggregate(w, ty) {
        out.push_str(if w.minify { "{" } else { "{ " });
        return if w.minify { "}" } else { " }" };
    }
    out.push_str(&type_name(w, ty));
    out.push('(');
    ")"
}

pub(crate) fn function_head(w: &Writer<'_>, function: &Written, out: &mut String) {
    let data = &w.module.funcs[function.func];
    let name = w.known_func(function.func).map(|s| w.name(s)).unwrap_or_default();
    let result = data.results.first().map_or_else(|| "void".to_owned(), |r| type_name(w, r.ty));
    let mut params = vec![];
    for (param, &symbol) in data.params.iter().zip(&function.params) {
        let inner = w.module.types.pointee(param.ty).map_or(param.ty, |p| p.0);
        if w.module.types.is_opaque(inner) {
            if let Some(tree) = w.param_trees.get(&symbol) {
                opaque_params(w, tree, inner, &mut params);
            }
            continue;
        }
        let direction = match param.direction {
            Direction::In => "",
            Direction::Out => "out ",
            Direction::InOut | Direction::NoAlias => "inout ",
        };
        let (base, sizes) = type_parts(w, inner);
        params.push(format!("{direction}{base} {}{sizes}", w.name(symbol)));
    }
    for (i, &symbol) in function.result_params.iter().enumerate() {
        let (base, sizes) = type_parts(w, data.results[i + 1].ty);
        params.push(format!("out {base} {}{sizes}", w.name(symbol)));
    }
    let _ = write!(out, "{result} {name}({})", params.join(w.comma()));
}

fn sampler(comparison: bool) -> &'static str {
    if comparison { "SamplerComparisonState" } else { "SamplerState" }
}

/// Textures and samplers of a parameter. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn opaque_params(w: &Writer<'_>, tree: &Tree, ty: Type, out: &mut Vec<String>) {
    match (tree, &w.module.types[ty]) {
        (Tree::Leaf(Leaf { texture, sampler: with, .. }), kind) => {
            let mut comparison = false;
            if let TypeKind::Image(image) = kind {
                comparison = image.shadow;
                if let Some(texture) = texture {
                    let written = matches!(image.kind, ImageKind::Storage(_));
                    out.push(format!("{} {}", helpers::texture(*image, written), w.name(*texture)));
                }
            }
            if let TypeKind::Sampler { comparison: compares } = kind {
                comparison = *compares;
            }
            if let Some(with) = with {
                out.push(format!("{} {}", sampler(comparison), w.name(*with)));
            }
        }
        (Tree::Array(parts), TypeKind::Array { element, .. }) => {
            parts.iter().for_each(|p| opaque_params(w, p, *element, out));
        }
        _ => {}
    }
}

pub(crate) fn declaration_head(w: &Writer<'_>, decl: &Decl, out: &mut String) {
    if decl.is_const {
        out.push_str("const ");
    }
    if decl.precise {
        out.push_str("precise ");
    }
    out.push_str(&type_parts(w, decl.ty).0);
    out.push(' ');
}

pub(crate) fn declaration_name(w: &Writer<'_>, decl: &Decl, out: &mut String) {
    out.push_str(&w.name(decl.symbol));
    out.push_str(&type_parts(w, decl.ty).1);
}

/// A declaration of module scope, as lines; those that begin with `#` keep their line breaks.
pub(crate) fn declaration(w: &Writer<'_>, symbol: Symbol, declared: &Declared) -> Vec<String> {
    let name = w.name(symbol);
    let register = w.language.registers.iter().find(|r| r.0 == symbol).map(|r| r.1.to_string()).unwrap_or_default();
    let initial = |out: &mut String| {
        if let Some(init) = declared.init {
            out.push_str(" = ");
            push_constant(w, init, out);
        }
    };
    let mut line = match (&declared.ty, declared.kind) {
        (DeclaredType::Texture { image, .. }, _) => {
            let written = matches!(image.kind, ImageKind::Storage(_));
            format!("{} {name} : {register}", helpers::texture(*image, written))
        }
        (DeclaredType::Sampler { comparison }, _) => format!("{} {name} : {register}", sampler(*comparison)),
        (DeclaredType::Type(_), Kind::Storage { read_only, .. }) => {
            format!("{}ByteAddressBuffer {name} : {register}", if read_only { "" } else { "RW" })
        }
        (DeclaredType::Type(ty), Kind::Uniform(_) | Kind::PushConstant) => {
            let is_struct = w.module.types.as_struct(*ty).is_some();
            let ty = type_name(w, *ty);
            if is_struct && w.language.version.has_spaces() {
                format!("ConstantBuffer<{ty}> {name} : {register}")
            } else {
                return vec![format!("cbuffer {name}_buffer : {register} {{ {ty} {name}; }};")];
            }
        }
        (DeclaredType::Type(ty), Kind::Override(_)) => {
            let (base, _) = type_parts(w, *ty);
            let mut default = String::new();
            declared.init.iter().for_each(|&c| push_constant(w, c, &mut default));
            let constant = format!("{}{name}", crate::MACRO);
            return vec![
                format!("#ifndef {constant}"),
                format!("#define {constant} {default}"),
                "#endif".to_owned(),
                format!("static const {base} {name} = {constant};"),
            ];
        }
        (DeclaredType::Type(ty), kind) => {
            let (base, sizes) = type_parts(w, *ty);
            let head = match kind {
                Kind::Workgroup => "groupshared",
                Kind::Const => "static const",
                _ => "static",
            };
            let mut line = format!("{head} {base} {name}{sizes}");
            initial(&mut line);
            line
        }
    };
    line.push(';');
    vec![line]
}

/// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn push_constant(w: &Writer<'_>, c: Const, out: &mut String) {
    let data = &w.module.consts[c];
    match &data.value {
        ConstValue::Bits(bits) => push_scalar(w, c, *bits, out),
        ConstValue::Null | ConstValue::Wide(_) => out.push('0'),
        ConstValue::Composite(parts) => {
            let end = constructor(w, data.ty, out);
            let all: Vec<Const> = match w.module.types[data.ty] {
                // All components, row by row of HLSL.
                TypeKind::Matrix { .. } => {
                    parts.iter().flat_map(|&p| w.module.consts.as_parts(p).unwrap_or(&[]).to_vec()).collect()
                }
                _ => parts.to_vec(),
            };
            for (i, &part) in all.iter().enumerate() {
                out.push_str(if i > 0 { w.comma() } else { "" });
                push_constant(w, part, out);
            }
            out.push_str(end);
        }
    }
}

fn push_scalar(w: &Writer<'_>, c: Const, bits: u64, out: &mut String) {
    let _ = match w.module.types[w.module.consts[c].ty] {
        TypeKind::Scalar(Scalar::Bool) => write!(out, "{}", bits != 0),
        // The positive number has no literal.
        TypeKind::Scalar(Scalar::I32) if bits as u32 == 1 << 31 => write!(out, "(-2147483647 - 1)"),
        TypeKind::Scalar(Scalar::I32) => write!(out, "{}", bits as u32 as i32),
        TypeKind::Scalar(Scalar::U32) => write!(out, "{bits}u"),
        TypeKind::Scalar(Scalar::I16) => write!(out, "int16_t({})", bits as u16 as i16),
        TypeKind::Scalar(Scalar::U16) => write!(out, "uint16_t({})", bits as u16),
        TypeKind::Scalar(Scalar::I64) if bits == 1 << 63 => write!(out, "(-9223372036854775807ll - 1ll)"),
        TypeKind::Scalar(Scalar::I64) => write!(out, "{}ll", bits as i64),
        TypeKind::Scalar(Scalar::U64) => write!(out, "{bits}ull"),
        TypeKind::Scalar(Scalar::F16) => match bits & 0x7c00 == 0x7c00 {
            false => write!(out, "{}h", float16(bits, w.minify)),
            true => write!(out, "float16_t(f16tof32({bits:#x}u))"),
        },
        TypeKind::Scalar(Scalar::F32) => {
            let value = f32::from_bits(bits as u32);
            match value.is_finite() {
                true => write!(out, "{}", float32(value, w.minify)),
                false => write!(out, "asfloat({:#x}u)", bits as u32),
            }
        }
        TypeKind::Scalar(Scalar::F64) => {
            let value = f64::from_bits(bits);
            match value.is_finite() {
                true => write!(out, "{}L", float64(value, w.minify)),
                false => write!(out, "asdouble({}u, {}u)", bits as u32, bits >> 32),
            }
        }
        _ => write!(out, "0"),
    };
}
