//! The reference meaning of every pure op, on bits. The folder and the evaluator both come here, so that a constant is
//! folded to what would have been computed.
//!
//! A value is the concatenation of its components, depth first, each the bits of a scalar, zero-extended: a `vec3` is
//! three words, a `mat2` four (by columns), a struct those of its members in order. The rules, with their reasons, stand
//! in `docs/numerics.md`.
//!
//! # Example
//! ```
//! use planish_ir::entity::Type;
//! use planish_ir::meaning::{Operand, evaluate};
//! use planish_ir::ops::{Imm, Op};
//! use planish_ir::types::Types;
//!
//! let types = Types::new();
//! let (x, y) = ([7u64], [u64::from(-2i32 as u32)]);
//! let args = [Operand { ty: Type::I32, bits: &x }, Operand { ty: Type::I32, bits: &y }];
//! let mut out = Vec::new();
//! evaluate(&types, Op::Divide, Imm::NONE, &args, Type::I32, &mut out).unwrap();
//! assert_eq!(out[0] as u32 as i32, -3);
//! ```

mod arith;
mod bits;
mod convert;
mod float;
mod fold;
mod half;
mod kernel;
mod matrix;
mod pack;
mod part;
mod reduction;
mod simd;

use crate::entity::Type;
use crate::function::TrapKind;
use crate::ops::{Imm, Meaning, Op};
use crate::types::{Scalar, TypeKind, Types};

pub use convert::{convert, float_bits, float_value, integer_value, parse_scalar, parse_value};
pub use fold::fold;
pub use half::{from_half, shortest_half, to_half};
pub use kernel::{Binary, Kernel, Many3, NAN_F16, NAN_F32, NAN_F64, Ternary, Unary};
pub use part::{clamp_index, place};
pub use reduction::reduction;

/// An operand: its type and its components.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// The type.
    pub ty: Type,
    /// The components' bits.
    pub bits: &'a [u64],
}

/// Why there is no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The op's meaning is not a function of its operands' bits, or they do not fit it.
    NoMeaning,
    /// The op traps on these operands.
    Trap(TrapKind),
}

/// Number of components of types.
pub trait Shape {
    /// Number of components of a value; what cannot be divided (a pointer, an image, a reference) counts one. `None` for
    /// `void` and runtime-sized arrays, and where the number does not fit.
    fn components(&self, ty: Type) -> Option<usize>;
    /// Calls `f` with the component type and the number of components of each run of equal components, in order. False
    /// if the type holds anything but numbers and booleans.
    fn for_each_run(&self, ty: Type, f: &mut dyn FnMut(Scalar, usize)) -> bool;
}

impl Shape for Types {
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn components(&self, ty: Type) -> Option<usize> {
        match &self[ty] {
            TypeKind::Void | TypeKind::RuntimeArray { .. } => None,
            TypeKind::V128 => Some(2),
            &TypeKind::Vector(_, n) => Some(n.into()),
            &TypeKind::Matrix { columns, rows, .. } => Some(columns as usize * rows as usize),
            &TypeKind::Array { element, len } => self.components(element)?.checked_mul(len as usize),
            TypeKind::Struct(s) => s.members.iter().try_fold(0usize, |sum, m| sum.checked_add(self.components(m.ty)?)),
            _ => Some(1),
        }
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn for_each_run(&self, ty: Type, f: &mut dyn FnMut(Scalar, usize)) -> bool {
        match &self[ty] {
            &TypeKind::Scalar(s) => f(s, 1),
            &TypeKind::Vector(s, n) => f(s, n.into()),
            &TypeKind::Matrix { scalar, columns, rows } => f(scalar, columns as usize * rows as usize),
            &TypeKind::Array { element, len } => {
                if let (Some(s), Some(n)) = (self.scalar_of(element), self.components(ty)) {
                    f(s, n);
                    return true;
                }
                return (0..len).all(|_| self.for_each_run(element, f));
            }
            TypeKind::Struct(s) => return s.members.iter().all(|m| self.for_each_run(m.ty, f)),
            _ => return false,
        }
        true
    }
}

/// The function that a componentwise op applies to each component, where operand 0 has components of type `scalar` (for
/// `Select` any). An operand with one component is used for every component of the others. `None` for other ops, and for
/// types the op does not take.
pub fn kernel(op: Op, scalar: Scalar) -> Option<Kernel> {
    if !op.is_componentwise() {
        return None;
    }
    if op == Op::Select {
        return arith::select();
    }
    if let Some(kernel) = arith::comparison(op, scalar) {
        return Some(kernel);
    }
    match scalar {
        Scalar::Bool => arith::boolean(op),
        Scalar::F16 | Scalar::F32 | Scalar::F64 if op == Op::Ldexp => float::load_exponent(scalar),
        scalar if scalar.is_integer() => {
            arith::integer(op, scalar).or_else(|| bits::bitwise(op, scalar)).or_else(|| bits::fields(op, scalar))
        }
        _ => float::arithmetic(op, scalar)
            .or_else(|| float::choice(op, scalar))
            .or_else(|| float::rounding(op, scalar))
            .or_else(|| float::function(op, scalar)),
    }
}

/// Appends to `out` the components of all results of `op` on `args`; `result` is the type of the first.
///
/// # Errors
/// [`Fault::Trap`] if the op traps on these operands; [`Fault::NoMeaning`] for ops with an effect and ops on pointers,
/// images, references and tokens, and for operands that do not fit the op.
pub fn evaluate(
    types: &Types,
    op: Op,
    imm: Imm,
    args: &[Operand<'_>],
    result: Type,
    out: &mut Vec<u64>,
) -> Result<(), Fault> {
    let scalar = args.first().and_then(|a| types.scalar_of(a.ty));
    let need = |scalar: Option<Scalar>| scalar.ok_or(Fault::NoMeaning);
    match op.info().meaning {
        Meaning::Componentwise | Meaning::Transcendental => {
            let kernel = kernel(op, scalar.unwrap_or(Scalar::Bool)).ok_or(Fault::NoMeaning)?;
            return apply(kernel, args, out);
        }
        Meaning::TrappingDivision => {
            let [x, y] = args else { return Err(Fault::NoMeaning) };
            for (&x, &y) in x.bits.iter().zip(y.bits) {
                out.push(arith::trapping(x, y, need(scalar)?, op == Op::RemainderTrapping)?);
            }
        }
        Meaning::TrappingTruncation => {
            let to = need(types.scalar_of(result))?;
            let [x] = args else { return Err(Fault::NoMeaning) };
            out.push(convert::truncate(x.bits[0], need(scalar)?, to)?);
        }
        Meaning::TwoWords => {
            let [x, y] = args else { return Err(Fault::NoMeaning) };
            let scalar = need(scalar)?;
            two_results(x.bits.len(), out, |i| arith::two_words(op, x.bits[i], y.bits[i], scalar))?;
        }
        Meaning::SplitFloat => {
            let [x] = args else { return Err(Fault::NoMeaning) };
            let scalar = need(scalar)?;
            two_results(x.bits.len(), out, |i| {
                Some(if op == Op::Modf {
                    float::fraction(x.bits[i], scalar)
                } else {
                    let (m, e) = float::significand(x.bits[i], scalar);
                    (m, e as u32 as u64)
                })
            })?;
        }
        Meaning::Reduction => {
            let [x] = args else { return Err(Fault::NoMeaning) };
            let mut components = x.bits.iter().map(|&b| b != 0);
            out.push(if op == Op::Any { components.any(|b| b) } else { components.all(|b| b) } as u64);
        }
        Meaning::AggregateEqual => {
            let [x, y] = args else { return Err(Fault::NoMeaning) };
            out.push(equal(types, x.ty, x.bits, y.bits).ok_or(Fault::NoMeaning)? as u64);
        }
        Meaning::Algebra => return matrix::algebra(types, op, args, out),
        Meaning::Pack => {
            let [x] = args else { return Err(Fault::NoMeaning) };
            pack::pack(op, x.bits, out).ok_or(Fault::NoMeaning)?;
        }
        Meaning::Yuv => {
            let [x, standard] = args else { return Err(Fault::NoMeaning) };
            let f = if op == Op::RgbToYuv { pack::rgb_to_yuv } else { pack::yuv_to_rgb };
            out.extend(f(x.bits, standard.bits[0]));
        }
        Meaning::Construct => return part::construct(types, op, args, result, out),
        Meaning::Bitcast => {
            let [x] = args else { return Err(Fault::NoMeaning) };
            out.extend_from_slice(x.bits);
        }
        Meaning::Part => return part::part(types, op, imm, args, out),
        Meaning::Simd => return simd::evaluate(types, op, imm, args, out).ok_or(Fault::NoMeaning),
        Meaning::Outside => return Err(Fault::NoMeaning),
    }
    Ok(())
}

/// First results of all components, then second ones.
fn two_results(n: usize, out: &mut Vec<u64>, f: impl Fn(usize) -> Option<(u64, u64)>) -> Result<(), Fault> {
    let start = out.len();
    out.resize(start + 2 * n, 0);
    for i in 0..n {
        (out[start + i], out[start + n + i]) = f(i).ok_or(Fault::NoMeaning)?;
    }
    Ok(())
}

/// A kernel on each component; operands with one component count for all.
fn apply(kernel: Kernel, args: &[Operand<'_>], out: &mut Vec<u64>) -> Result<(), Fault> {
    let n = args.iter().map(|a| a.bits.len()).max().unwrap_or(0);
    let at = |a: &Operand<'_>, i: usize| if let [one] = *a.bits { one } else { a.bits[i] };
    match (kernel, args) {
        (Kernel::Unary(f), [a]) => out.extend(a.bits.iter().map(|&a| (f.one)(a))),
        (Kernel::Binary(f), [a, b]) => out.extend((0..n).map(|i| (f.one)(at(a, i), at(b, i)))),
        (Kernel::Ternary(f), [a, b, c]) => out.extend((0..n).map(|i| (f.one)(at(a, i), at(b, i), at(c, i)))),
        (Kernel::Quaternary(f), [a, b, c, d]) => {
            out.extend((0..n).map(|i| f(at(a, i), at(b, i), at(c, i), at(d, i))));
        }
        _ => return Err(Fault::NoMeaning),
    }
    Ok(())
}

/// Whether all components of two values of type `ty` are equal (floats as IEEE compares them); `None` for types that
/// hold anything but numbers and booleans.
pub fn equal(types: &Types, ty: Type, x: &[u64], y: &[u64]) -> Option<bool> {
    let (mut at, mut same) = (0, true);
    let numbers = types.for_each_run(ty, &mut |scalar, n| {
        if let Some(Kernel::Binary(f)) = arith::comparison(Op::Equal, scalar) {
            same = same && (at..at + n).all(|i| (f.one)(x[i], y[i]) != 0);
        }
        at += n;
    });
    numbers.then_some(same)
}

#[cfg(test)]
mod tests;
