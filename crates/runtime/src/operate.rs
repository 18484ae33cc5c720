//! Operations without a function of their own, by their definition.

use std::sync::OnceLock;

use planish_ir::entity::Type;
use planish_ir::meaning::{Operand, evaluate};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind, Types};
use planish_machine::isa::{Kind, operands_of};

/// An operation, as objects describe it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Its immediate.
    pub imm: u64,
    /// Its number in the table of operations.
    pub op: u32,
    /// Number of operands.
    pub args: u32,
    /// Number of results.
    pub results: u32,
    /// Kind of the operands, by number.
    pub operand: u8,
    /// Kind of the results, by number.
    pub result: u8,
}

/// A function on words, as the tests call it.
#[cfg(test)]
#[derive(Clone, Copy)]
pub(crate) enum Function {
    Unary(extern "C" fn(u64) -> u64),
    Binary(extern "C" fn(u64, u64) -> u64),
    Ternary(extern "C" fn(u64, u64, u64) -> u64),
}

/// The types of operands.
fn types() -> &'static (Types, Type) {
    static TYPES: OnceLock<(Types, Type)> = OnceLock::new();
    TYPES.get_or_init(|| {
        let mut types = Types::new();
        let vector = types.intern(TypeKind::V128);
        Kind::ALL.into_iter().filter_map(Kind::scalar).for_each(|scalar| {
            types.scalar(scalar);
        });
        (types, vector)
    })
}

fn kind(number: u8) -> Kind {
    Kind::ALL.into_iter().find(|&kind| kind as u8 == number).unwrap_or_default()
}

fn type_of(kind: Kind) -> Type {
    let (types, vector) = types();
    if kind == Kind::V128 {
        return *vector;
    }
    // (References are words.)
    let scalar = kind.scalar().unwrap_or(Scalar::U64);
    types.iter().find(|(_, found)| **found == TypeKind::Scalar(scalar)).expect("all scalars were interned").0
}

impl Operation {
    fn op(&self) -> Op {
        Op::all().nth(self.op as usize).expect("the object is of this version")
    }

    /// Kinds and types of all operands, with the number of words of each.
    fn operands(&self) -> Vec<(Type, usize)> {
        let operands = operands_of(&types().0, (self.op(), Imm(self.imm)), kind(self.operand), self.args as usize);
        let of = operands
            .iter()
            .map(|of| (of.ty.unwrap_or_else(|| type_of(of.kind)), of.count * of.kind.words(64) as usize));
        of.collect()
    }

    /// Number of words of all operands, and of all results.
    pub(crate) fn words(&self) -> (usize, usize) {
        let operands = self.operands().iter().map(|operand| operand.1).sum();
        (operands, self.results as usize * kind(self.result).words(64) as usize)
    }
}

/// Does an operation: `words` has its operands, then its results.
///
/// # Panics
/// If it is not one of this version.
pub(crate) fn operate(operation: &Operation, words: &mut [u64]) {
    let operands = operation.operands();
    let mut left = &words[..];
    let mut args = Vec::with_capacity(operands.len());
    for (ty, count) in operands {
        let (bits, rest) = left.split_at(count);
        args.push(Operand { ty, bits });
        left = rest;
    }
    let mut results = Vec::new();
    let result = type_of(kind(operation.result));
    let op = operation.op();
    if let Err(fault) = evaluate(&types().0, op, Imm(operation.imm), &args, result, &mut results) {
        panic!("`{}` has no result: {fault:?}", op.text());
    }
    words[..results.len()].copy_from_slice(&results);
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_ir::meaning::{Kernel, kernel};

    /// Bits with which definitions may go wrong: zeros, infinities, NaN, subnormal and ordinary numbers.
    const F64: [u64; 8] = [
        0,
        1 << 63,
        0x7ff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        1,
        0x3ff8_0000_0000_0000,
        0xc004_0000_0000_0000,
        0x4059_0000_0000_0000,
    ];

    #[test]
    fn functions_have_the_bits_of_the_definitions() {
        let f32s: Vec<u64> = F64.iter().map(|&bits| u64::from((f64::from_bits(bits) as f32).to_bits())).collect();
        for &(op, scalar, function) in crate::exports::FUNCTIONS {
            let values = if scalar == Scalar::F32 { &f32s[..] } else { &F64[..] };
            for &x in values {
                for &y in values {
                    let y = if op == Op::Ldexp { y & 0xff } else { y };
                    match (kernel(op, scalar).expect("it is componentwise"), function) {
                        (Kernel::Unary(f), Function::Unary(g)) => assert_eq!((f.one)(x), g(x), "{op:?} {x:#x}"),
                        (Kernel::Binary(f), Function::Binary(g)) => {
                            assert_eq!((f.one)(x, y), g(x, y), "{op:?} {x:#x} {y:#x}")
                        }
                        (Kernel::Ternary(f), Function::Ternary(g)) => {
                            assert_eq!((f.one)(x, y, x), g(x, y, x), "{op:?} {x:#x} {y:#x}");
                        }
                        _ => panic!("{op:?} has another number of operands"),
                    }
                }
            }
        }
    }

    #[test]
    fn operations_read_operands_of_their_types() {
        let numbers = |op: Op| Op::all().position(|other| other == op).expect("it is in the table") as u32;
        let mut words = [u64::from(1.5f32.to_bits()), u64::from((-2.0f32).to_bits())];
        let pack = Operation {
            imm: 0,
            op: numbers(Op::PackHalf2x16),
            args: 1,
            results: 1,
            operand: Kind::F32 as u8,
            result: Kind::U32 as u8,
        };
        assert_eq!(pack.words(), (2, 1));
        operate(&pack, &mut words);
        assert_eq!(words[0], 0xc000_3e00);
    }
}
