//! Syntax of types.

use std::fmt::Write;

use crate::entity::Type;
use crate::spirv::SpirvTypeOperand;
use crate::types::{AddressSpace, Dim, ImageKind, ImageType, Scalar, TypeKind, Types, is_vector_size};

/// The text form of a type, structs by name only: for messages.
pub fn type_text(types: &Types, ty: Type) -> String {
    let mut out = String::new();
    write_type(&mut out, types, ty, &|ty| match types.as_struct(ty) {
        Some(s) => format!("${}", s.name),
        None => "$?".into(),
    });
    out
}

/// Writes a type; `label` gives the label of a struct. Recursion is bounded by the nesting of the type.
pub(super) fn write_type(out: &mut String, types: &Types, ty: Type, label: &dyn Fn(Type) -> String) {
    if ty.as_u32() as usize >= types.len() {
        let _ = write!(out, "<no type {ty}>");
        return;
    }
    let _ = match &types[ty] {
        TypeKind::Void => write!(out, "void"),
        TypeKind::Scalar(s) => write!(out, "{}", s.name()),
        TypeKind::AtomicCounter => write!(out, "atomic_uint"),
        TypeKind::YuvCsc => write!(out, "yuv_csc"),
        TypeKind::Vector(s, n) => write!(out, "{}vec{n}", vector_prefix(*s)),
        TypeKind::Matrix { scalar, columns, rows } => {
            write!(out, "{}mat{columns}x{rows}", vector_prefix(*scalar))
        }
        TypeKind::Array { element, len } => {
            let _ = write!(out, "[{len} x ");
            write_type(out, types, *element, label);
            write!(out, "]")
        }
        TypeKind::RuntimeArray { element } => {
            out.push('[');
            write_type(out, types, *element, label);
            write!(out, "]")
        }
        TypeKind::Struct(_) => write!(out, "{}", label(ty)),
        TypeKind::Image(image) => write_image(out, *image),
        TypeKind::Sampler { comparison } => {
            write!(out, "{}", if *comparison { "sampler_comparison" } else { "sampler" })
        }
        TypeKind::Pointer { pointee, space } => {
            let _ = write!(out, "*{} ", space.name());
            write_type(out, types, *pointee, label);
            Ok(())
        }
        TypeKind::Function { params, results } => {
            out.push_str("fn(");
            write_list(out, types, params, label);
            out.push_str(") -> (");
            write_list(out, types, results, label);
            write!(out, ")")
        }
        TypeKind::V128 => write!(out, "v128"),
        TypeKind::FuncRef => write!(out, "funcref"),
        TypeKind::ExternRef => write!(out, "externref"),
        TypeKind::Token => write!(out, "token"),
        TypeKind::Spirv(ty) => {
            let _ = write!(out, "spirv<{} {}", ty.name, ty.opcode);
            for operand in &ty.operands {
                out.push_str(", ");
                let _ = match operand {
                    SpirvTypeOperand::Type(ty) => {
                        write_type(out, types, *ty, label);
                        Ok(())
                    }
                    SpirvTypeOperand::Constant(value) => write!(out, "const {value}"),
                    SpirvTypeOperand::Literal(word) => write!(out, "{word}"),
                };
            }
            write!(out, ">")
        }
    };
}

fn write_list(out: &mut String, types: &Types, list: &[Type], label: &dyn Fn(Type) -> String) {
    for (i, &ty) in list.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_type(out, types, ty, label);
    }
}

const fn vector_prefix(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "b",
        Scalar::I8 => "i8",
        Scalar::U8 => "u8",
        Scalar::I16 => "i16",
        Scalar::U16 => "u16",
        Scalar::I32 => "i",
        Scalar::U32 => "u",
        Scalar::I64 => "i64",
        Scalar::U64 => "u64",
        Scalar::F16 => "f16",
        Scalar::F32 => "",
        Scalar::F64 => "d",
    }
}

/// Dimensions and their names.
pub(super) const DIMS: [(Dim, &str); 9] = [
    (Dim::D1, "1d"),
    (Dim::D2, "2d"),
    (Dim::D3, "3d"),
    (Dim::Cube, "cube"),
    (Dim::Rect, "rect"),
    (Dim::Buffer, "buffer"),
    (Dim::Subpass, "subpass"),
    (Dim::External, "external"),
    (Dim::ExternalYuv, "external_yuv"),
];

/// The name of a dimension; shared with the dump.
pub(crate) fn dim_name(dim: Dim) -> &'static str {
    DIMS.iter().find(|(d, _)| *d == dim).map_or("?", |(_, name)| name)
}

fn write_image(out: &mut String, image: ImageType) -> std::fmt::Result {
    let (kind, format) = match image.kind {
        ImageKind::Combined => ("combined", None),
        ImageKind::Texture => ("texture", None),
        ImageKind::Storage(format) => ("image", Some(format)),
    };
    write!(out, "{kind}<{}", dim_name(image.dim))?;
    for (set, word) in [(image.arrayed, " array"), (image.multisampled, " ms"), (image.shadow, " shadow")] {
        out.push_str(if set { word } else { "" });
    }
    write!(out, " {}", image.sampled.name())?;
    if let Some(format) = format {
        write!(out, " {}", format.name())?;
    }
    out.push('>');
    Ok(())
}

/// The vector or matrix type with this name, as scalar, columns (1 for a vector) and rows.
pub(super) fn shape_of_name(name: &str) -> Option<(Scalar, u8, u8)> {
    let digit = |b: u8| (b'2'..=b'4').contains(&b).then_some(b - b'0');
    if let Some((prefix, rest)) = name.split_once("vec") {
        let scalar = Scalar::ALL.into_iter().find(|s| vector_prefix(*s) == prefix)?;
        let size = rest.parse().ok().filter(|&size| is_vector_size(size) && !rest.starts_with(['+', '0']))?;
        return Some((scalar, 1, size));
    }
    let (prefix, rest) = name.split_once("mat")?;
    let scalar = Scalar::ALL.into_iter().find(|s| s.is_float() && vector_prefix(*s) == prefix)?;
    let &[columns, b'x', rows] = rest.as_bytes() else { return None };
    Some((scalar, digit(columns)?, digit(rows)?))
}

/// The address space with this name.
pub(super) fn space_of_name(name: &str) -> Option<AddressSpace> {
    AddressSpace::ALL.into_iter().find(|s| s.name() == name)
}
