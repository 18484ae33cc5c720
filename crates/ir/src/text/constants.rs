//! Syntax of constants: a literal with a type suffix, or parts in braces after the type.

use std::fmt::Write;

use super::print::Names;
use crate::constant::{ConstValue, YUV_NAMES};
use crate::entity::Const;
use crate::meaning::shortest_half;
use crate::module::Module;
use crate::types::{Scalar, TypeKind};

/// Longest run of equal parts that is written out; longer ones are written once, with their number.
const REPEAT: usize = 4;

/// A constant as the text form writes it, without the type of a composite: for messages.
pub fn const_text(module: &Module, c: Const) -> String {
    let mut out = String::new();
    write_parts(&mut out, module, c);
    out
}

/// Writes a constant as an operand.
pub(super) fn write_const(out: &mut String, module: &Module, names: &Names, c: Const) {
    if c >= module.consts.next_id() {
        let _ = write!(out, "<no constant {c}>");
        return;
    }
    if module.consts.as_parts(c).is_some() {
        names.write_type(out, module, module.consts[c].ty);
    }
    write_parts(out, module, c);
}

/// Writes a constant whose type follows from that of the composite. Recursion is bounded by the nesting of the type.
fn write_parts(out: &mut String, module: &Module, c: Const) {
    let data = &module.consts[c];
    let _ = match (&data.value, &module.types[data.ty]) {
        (ConstValue::Bits(bits), TypeKind::Scalar(s)) => write_scalar(out, *s, *bits),
        (ConstValue::Bits(bits), _) => write!(out, "{}", YUV_NAMES.get(*bits as usize).unwrap_or(&"yuv?")),
        (ConstValue::Wide(bits), _) => write!(out, "wide_{bits:032x}"),
        (ConstValue::Null, TypeKind::FuncRef) => write!(out, "null_func"),
        (ConstValue::Null, _) => write!(out, "null_extern"),
        (ConstValue::Composite(parts), _) => {
            out.push('{');
            match parts.first() {
                Some(&first) if parts.len() > REPEAT && parts.iter().all(|p| *p == first) => {
                    write_parts(out, module, first);
                    let _ = write!(out, "; {}", parts.len());
                }
                _ => {
                    for (i, &part) in parts.iter().enumerate() {
                        out.push_str(if i > 0 { ", " } else { "" });
                        write_parts(out, module, part);
                    }
                }
            }
            write!(out, "}}")
        }
    };
}

/// Writes a scalar. Floats are the shortest decimals that read back as the same bits; NaNs are written by their bits.
fn write_scalar(out: &mut String, scalar: Scalar, bits: u64) -> std::fmt::Result {
    match scalar {
        Scalar::Bool => write!(out, "{}", bits != 0),
        Scalar::I8 => write!(out, "{}y", bits as u8 as i8),
        Scalar::U8 => write!(out, "{}uy", bits as u8),
        Scalar::I16 => write!(out, "{}s", bits as u16 as i16),
        Scalar::U16 => write!(out, "{}us", bits as u16),
        Scalar::I32 => write!(out, "{}", bits as u32 as i32),
        Scalar::U32 => write!(out, "{}u", bits as u32),
        Scalar::I64 => write!(out, "{}l", bits as i64),
        Scalar::U64 => write!(out, "{bits}ul"),
        Scalar::F16 => {
            let value = shortest_half(bits as u16);
            if value.is_nan() { write!(out, "nanh_{:04x}", bits as u16) } else { write!(out, "{value:?}h") }
        }
        Scalar::F32 => {
            let value = f32::from_bits(bits as u32);
            if value.is_nan() { write!(out, "nan_{:08x}", bits as u32) } else { write!(out, "{value:?}") }
        }
        Scalar::F64 => {
            let value = f64::from_bits(bits);
            if value.is_nan() { write!(out, "nand_{bits:016x}") } else { write!(out, "{value:?}d") }
        }
    }
}
