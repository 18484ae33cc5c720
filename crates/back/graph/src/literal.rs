//! Values of constants, and their formats.

use std::fmt::{self, Write};

use planish_ir::constant::{ConstValue, YUV_NAMES};
use planish_ir::entity::Const;
use planish_ir::meaning::{integer_value, shortest_half};
use planish_ir::module::Module;
use planish_ir::types::{Scalar, TypeKind};

use crate::shape::{Shape, Shapes, TypeId};

/// The value of a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Literal {
    /// A scalar: its bits, zero-extended.
    Bits(Scalar, u64),
    /// A YUV standard, by its name.
    Name(&'static str),
    /// Components, columns, elements or members.
    Parts(Vec<Literal>),
}

impl Literal {
    /// The value of a constant of the IR; `None` for references. Recursion is bounded by the nesting of the type.
    pub(crate) fn of(module: &Module, c: Const) -> Option<Literal> {
        let data = &module.consts[c];
        Some(match (&data.value, &module.types[data.ty]) {
            (ConstValue::Bits(bits), TypeKind::Scalar(s)) => Literal::Bits(*s, *bits),
            (ConstValue::Bits(bits), _) => Literal::Name(YUV_NAMES.get(*bits as usize)?),
            (ConstValue::Composite(parts), _) => {
                Literal::Parts(parts.iter().map(|&p| Literal::of(module, p)).collect::<Option<_>>()?)
            }
            (ConstValue::Null | ConstValue::Wide(_), _) => return None,
        })
    }

    /// Zero of a type; `None` for types without numbers.
    pub(crate) fn zero(shapes: &mut Shapes, ty: TypeId) -> Option<Literal> {
        let count = match *shapes.shape(ty) {
            Shape::Scalar(scalar) => return Some(Literal::Bits(scalar, 0)),
            Shape::Vector(_, n) => n.into(),
            Shape::Matrix { columns, .. } => columns.into(),
            Shape::Array(_, len) => len,
            Shape::Struct(ref members) => members.len() as u32,
            _ => return None,
        };
        let mut part = |i| {
            let part = shapes.part(ty, i)?;
            Literal::zero(shapes, part)
        };
        Some(Literal::Parts((0..count).map(&mut part).collect::<Option<_>>()?))
    }

    /// Writes JSON: numbers, booleans, arrays of them. Values that are not JSON numbers are strings: `"inf"`, `"-inf"`,
    /// `"nan_7fc00000"`, and 64-bit integers.
    pub(crate) fn write_json(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Literal::Bits(scalar, bits) => write_json_scalar(out, *scalar, *bits),
            Literal::Name(name) => write!(out, "\"{name}\""),
            Literal::Parts(parts) => {
                out.write_char('[')?;
                for (i, part) in parts.iter().enumerate() {
                    out.write_str(if i > 0 { "," } else { "" })?;
                    part.write_json(out)?;
                }
                out.write_char(']')
            }
        }
    }

    /// Writes a short form: `0.5`, `2u`, `(1.0, 0.0, 0.0)`; at most `most` parts.
    pub(crate) fn write_short(&self, out: &mut dyn Write, most: usize) -> fmt::Result {
        match self {
            Literal::Bits(scalar, bits) => match scalar {
                Scalar::Bool => write!(out, "{}", *bits != 0),
                Scalar::I8 => write!(out, "{}y", *bits as u8 as i8),
                Scalar::U8 => write!(out, "{}uy", *bits as u8),
                Scalar::I16 => write!(out, "{}s", *bits as u16 as i16),
                Scalar::U16 => write!(out, "{}us", *bits as u16),
                Scalar::I32 => write!(out, "{}", *bits as u32 as i32),
                Scalar::U32 => write!(out, "{}u", *bits as u32),
                Scalar::I64 => write!(out, "{}l", *bits as i64),
                Scalar::U64 => write!(out, "{bits}ul"),
                Scalar::F16 => write!(out, "{:?}h", shortest_half(*bits as u16)),
                Scalar::F32 => write!(out, "{:?}", f32::from_bits(*bits as u32)),
                Scalar::F64 => write!(out, "{:?}d", f64::from_bits(*bits)),
            },
            Literal::Name(name) => out.write_str(name),
            Literal::Parts(parts) => {
                out.write_char('(')?;
                for (i, part) in parts.iter().take(most).enumerate() {
                    out.write_str(if i > 0 { ", " } else { "" })?;
                    part.write_short(out, most)?;
                }
                out.write_str(if parts.len() > most { ", …)" } else { ")" })
            }
        }
    }
}

fn write_json_scalar(out: &mut dyn Write, scalar: Scalar, bits: u64) -> fmt::Result {
    match scalar {
        Scalar::Bool => write!(out, "{}", bits != 0),
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::I32 | Scalar::U32 => {
            write!(out, "{}", integer_value(scalar, bits))
        }
        Scalar::I64 => write!(out, "\"{}\"", bits as i64),
        Scalar::U64 => write!(out, "\"{bits}\""),
        Scalar::F16 => match shortest_half(bits as u16) {
            x if x.is_nan() => write!(out, "\"nan_{bits:04x}\""),
            x if x.is_infinite() => write!(out, "\"{x}\""),
            x => write!(out, "{x:?}"),
        },
        Scalar::F32 => match f32::from_bits(bits as u32) {
            x if x.is_nan() => write!(out, "\"nan_{:08x}\"", bits as u32),
            x if x.is_infinite() => write!(out, "\"{x}\""),
            x => {
                // Readers parse to `f64` and round to `f32`. All digits are written if the double rounding would change
                // the value.
                let short = format!("{x:?}");
                let twice = short.parse::<f64>().map(|d| d as f32);
                if twice.is_ok_and(|t| t.to_bits() == x.to_bits()) {
                    out.write_str(&short)
                } else {
                    write!(out, "{:?}", f64::from(x))
                }
            }
        },
        Scalar::F64 => match f64::from_bits(bits) {
            x if x.is_nan() => write!(out, "\"nan_{bits:016x}\""),
            x if x.is_infinite() => write!(out, "\"{x}\""),
            x => write!(out, "{x:?}"),
        },
    }
}

/// Writes a string as JSON.
pub(crate) fn write_string(out: &mut dyn Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(out, "\\{c}")?,
            c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32)?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}
