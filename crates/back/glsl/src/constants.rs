//! Constants as GLSL expressions.

use std::fmt::Write;

use planish_back_text::Syntax;
use planish_back_text::number::{float16, float32, float64};
use planish_ir::constant::ConstValue;
use planish_ir::entity::Const;
use planish_ir::meaning::{convert, integer_value};
use planish_ir::types::{Scalar, TypeKind};

use crate::writer::Writer;

/// A constant as an expression that needs no parentheses in any operand place but that of a postfix operator.
pub(crate) fn constant(w: &Writer<'_>, c: Const) -> String {
    let mut text = String::new();
    push_constant(w, c, &mut text);
    text
}

/// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn push_constant(w: &Writer<'_>, c: Const, out: &mut String) {
    let data = &w.module.consts[c];
    match &data.value {
        ConstValue::Bits(bits) => push_scalar(w, c, *bits, out),
        ConstValue::Null | ConstValue::Wide(_) => out.push('0'),
        ConstValue::Composite(parts) => {
            out.push_str(&w.type_name(data.ty));
            out.push('(');
            match w.module.types[data.ty] {
                TypeKind::Vector(..) if parts.iter().all(|p| *p == parts[0]) => push_part(w, parts[0], out),
                TypeKind::Matrix { .. } => match diagonal(w, parts) {
                    Some(d) => push_part(w, d, out),
                    None => {
                        let all: Vec<Const> =
                            parts.iter().flat_map(|&p| w.module.consts.as_parts(p).unwrap_or(&[]).to_vec()).collect();
                        push_list(w, &all, true, out);
                    }
                },
                TypeKind::Vector(..) => push_list(w, parts, true, out),
                _ => push_list(w, parts, false, out),
            }
            out.push(')');
        }
    }
}

/// The parts of a constructor; `converts` if it takes integers for floats.
fn push_list(w: &Writer<'_>, parts: &[Const], converts: bool, out: &mut String) {
    for (i, &part) in parts.iter().enumerate() {
        if i > 0 {
            out.push_str(if w.minify { "," } else { ", " });
        }
        if converts {
            push_part(w, part, out);
        } else {
            push_constant(w, part, out);
        }
    }
}

/// A component; a constructor of floats takes integers, which are shorter.
pub(crate) fn push_part(w: &Writer<'_>, part: Const, out: &mut String) {
    if w.minify
        && let Some(bits) = w.module.consts.as_bits(part)
        && matches!(w.module.types[w.module.consts[part].ty], TypeKind::Scalar(Scalar::F32))
    {
        let value = f32::from_bits(bits as u32);
        if value.fract() == 0.0 && value.abs() < 10_000.0 && (value != 0.0 || bits == 0) {
            let _ = write!(out, "{value}");
            return;
        }
    }
    push_constant(w, part, out);
}

/// The value on the diagonal of a matrix that is zero elsewhere.
fn diagonal(w: &Writer<'_>, columns: &[Const]) -> Option<Const> {
    let consts = &w.module.consts;
    let first = *consts.as_parts(columns[0])?.first()?;
    for (c, &column) in columns.iter().enumerate() {
        for (r, &part) in consts.as_parts(column)?.iter().enumerate() {
            let fits = if c == r { part == first } else { consts.as_bits(part) == Some(0) };
            if !fits {
                return None;
            }
        }
    }
    // A shape with more columns than rows has no diagonal in its last column.
    Some(first)
}

fn push_scalar(w: &Writer<'_>, c: Const, bits: u64, out: &mut String) {
    let consts = &w.module.consts;
    match w.module.types[consts[c].ty] {
        TypeKind::Scalar(Scalar::Bool) => out.push_str(if bits != 0 { "true" } else { "false" }),
        TypeKind::Scalar(Scalar::I32) => push_i64(i64::from(bits as u32 as i32), i64::from(i32::MIN), "", out),
        TypeKind::Scalar(Scalar::U32) => {
            let _ = write!(out, "{bits}u");
        }
        // Those of 8 bits have no literals.
        TypeKind::Scalar(small) if small.is_small_integer() => {
            let value = integer_value(small, bits);
            let _ = match small {
                Scalar::U16 => write!(out, "{value}us"),
                Scalar::I16 if value >= 0 => write!(out, "{value}s"),
                _ => write!(out, "{}({value})", w.type_name(consts[c].ty)),
            };
        }
        TypeKind::Scalar(Scalar::I64) => push_i64(bits as i64, i64::MIN, "l", out),
        TypeKind::Scalar(Scalar::U64) => {
            let _ = write!(out, "{bits}ul");
        }
        TypeKind::Scalar(Scalar::F16) => push_half(w, bits, out),
        TypeKind::Scalar(Scalar::F32) => push_float(w, f32::from_bits(bits as u32), out),
        TypeKind::Scalar(Scalar::F64) => push_double(w, f64::from_bits(bits), out),
        TypeKind::YuvCsc => {
            out.push_str(planish_ir::constant::YUV_NAMES.get(bits as usize).copied().unwrap_or("itu_601"));
        }
        _ => out.push('0'),
    }
}

fn push_i64(value: i64, least: i64, suffix: &str, out: &mut String) {
    if value == least {
        // The positive number has no literal.
        let _ = write!(out, "({}{suffix} - 1{suffix})", value + 1);
    } else {
        let _ = write!(out, "{value}{suffix}");
    }
}

fn push_float(w: &Writer<'_>, value: f32, out: &mut String) {
    if value.is_finite() {
        out.push_str(&float32(value, w.minify));
    } else if w.target.at_least(300, 330) {
        let _ = write!(out, "uintBitsToFloat({:#x}u)", value.to_bits());
    } else {
        let text = match (value.is_nan(), value < 0.0) {
            (true, _) => "(0.0 / 0.0)",
            (false, true) => "(-1.0 / 0.0)",
            (false, false) => "(1.0 / 0.0)",
        };
        out.push_str(text);
    }
}

/// Infinities and NaN are conversions: there are no others of their bits.
fn push_half(w: &Writer<'_>, bits: u64, out: &mut String) {
    if bits & 0x7c00 == 0x7c00 {
        out.push_str("float16_t(");
        push_float(w, f32::from_bits(convert(bits, Scalar::F16, Scalar::F32) as u32), out);
        out.push(')');
    } else {
        out.push_str(&float16(bits, w.minify));
        out.push_str("hf");
    }
}

fn push_double(w: &Writer<'_>, value: f64, out: &mut String) {
    if value.is_finite() {
        out.push_str(&float64(value, w.minify));
        out.push_str("lf");
    } else {
        let bits = value.to_bits();
        let _ = write!(out, "packDouble2x32(uvec2({}u, {}u))", bits as u32, bits >> 32);
    }
}
