//! Folding: an op on constants as a constant.

use smallvec::SmallVec;

use super::{Fault, Operand, clamp_index, evaluate};
use crate::constant::{ConstData, ConstValue};
use crate::custom;
use crate::entity::{Const, Type};
use crate::module::Module;
use crate::ops::{Class, Imm, Op};
use crate::types::TypeKind;

/// Composites with more parts than this are not changed part by part, which would cost their size for each part.
const MAX_PARTS_TO_INSERT: usize = 64;

/// The constant that `op` gives on constants, or `None` where it gives none: it has an effect, takes things that have no
/// bits, or traps.
///
/// Costs the size of the operands and of the result; taking a part out of a constant and putting parts together cost
/// the number of direct parts at most.
pub fn fold(module: &mut Module, op: Op, imm: Imm, args: &[Const], ty: Type) -> Option<Const> {
    if op.info().class == Class::Custom {
        return custom::fold(module, imm, args, ty);
    }
    if let Some(c) = vector_of_parts(module, op, args, ty) {
        return Some(c);
    }
    match structural(module, op, imm, args, ty) {
        Structural::Done(c) => return Some(c),
        Structural::Declined => return None,
        Structural::Other => {}
    }
    let consts = &module.consts;
    let mut bits = Vec::new();
    let mut ends: SmallVec<[usize; 8]> = SmallVec::new();
    for &arg in args {
        if !consts.flatten(arg, &mut bits) {
            return None;
        }
        ends.push(bits.len());
    }
    let mut start = 0;
    let mut operands: SmallVec<[Operand<'_>; 8]> = SmallVec::new();
    for (&arg, &end) in args.iter().zip(&ends) {
        operands.push(Operand { ty: consts[arg].ty, bits: &bits[start..end] });
        start = end;
    }
    let mut out = Vec::new();
    match evaluate(&module.types, op, imm, &operands, ty, &mut out) {
        Ok(()) => {}
        Err(Fault::NoMeaning | Fault::Trap(_)) => return None,
    }
    if let (TypeKind::Scalar(_), &[bits]) = (&module.types[ty], &out[..]) {
        return Some(module.consts.bits(ty, bits));
    }
    module.consts.unflatten(&mut module.types, ty, &mut out.into_iter())
}

/// A vector of scalars that have its component type already, which most vectors of constants are: the scalars as they are.
fn vector_of_parts(module: &mut Module, op: Op, args: &[Const], ty: Type) -> Option<Const> {
    let TypeKind::Vector(scalar, size) = module.types[ty] else { return None };
    let count = match op {
        Op::ConstructVectorFromScalar => 1,
        Op::ConstructVectorFromMultiple => size as usize,
        _ => return None,
    };
    let component = module.types.scalar(scalar);
    if args.len() != count || args.iter().any(|&c| module.consts[c].ty != component) {
        return None;
    }
    let mut parts: SmallVec<[Const; 16]> = SmallVec::from_elem(args[0], size.into());
    parts[..count].copy_from_slice(args);
    Some(module.consts.composite(ty, &parts[..]))
}

enum Structural {
    /// The result.
    Done(Const),
    /// It is structural, but gives no constant.
    Declined,
    /// Not structural.
    Other,
}

/// Ops that only move parts, on the parts themselves.
fn structural(module: &mut Module, op: Op, imm: Imm, args: &[Const], ty: Type) -> Structural {
    let consts = &mut module.consts;
    let parts = args.first().and_then(|&c| consts.as_parts(c));
    let done = |c: Option<Const>| c.map_or(Structural::Declined, Structural::Done);
    let at = |consts: &crate::constant::Consts, index: Const, count: usize| {
        consts.as_bits(index).map(|b| clamp_index(b, count as u32) as usize)
    };
    match op {
        Op::ConstructStruct | Op::ConstructArray => Structural::Done(consts.composite(ty, args)),
        Op::ExtractVectorComponent | Op::ExtractStructField => {
            done(parts.and_then(|p| p.get(imm.as_index() as usize)).copied())
        }
        Op::ExtractArrayElement | Op::ExtractMatrixColumn | Op::ExtractVectorComponentDynamic => {
            done(parts.and_then(|p| at(consts, args[1], p.len()).map(|i| p[i])))
        }
        Op::InsertVectorComponent
        | Op::InsertStructField
        | Op::InsertVectorComponentDynamic
        | Op::InsertMatrixColumn
        | Op::InsertArrayElement => {
            let Some(parts) = parts.filter(|p| p.len() <= MAX_PARTS_TO_INSERT) else { return Structural::Declined };
            let index = match args.get(2) {
                Some(&index) => at(consts, index, parts.len()),
                None => Some(imm.as_index() as usize),
            };
            let mut parts = parts.to_vec();
            let Some(part) = index.and_then(|i| parts.get_mut(i)) else { return Structural::Declined };
            *part = args[1];
            Structural::Done(consts.composite(ty, parts))
        }
        Op::Select => match consts[args[0]] {
            ConstData { value: ConstValue::Bits(b), .. } => Structural::Done(args[if b != 0 { 1 } else { 2 }]),
            _ => Structural::Other,
        },
        Op::Bitcast => match consts[args[0]].value {
            ConstValue::Bits(bits) if matches!(module.types[ty], TypeKind::Scalar(_)) => {
                Structural::Done(consts.bits(ty, bits))
            }
            _ => Structural::Other,
        },
        Op::RefIsNull => {
            let null = consts[args[0]].value == ConstValue::Null;
            if null { Structural::Done(Const::I32_ONE) } else { Structural::Declined }
        }
        _ => Structural::Other,
    }
}
