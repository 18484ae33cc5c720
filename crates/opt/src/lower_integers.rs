//! Makes integers of 32 bits of those of 8 and 16, for targets without the latter, and wraps what leaves their range: every result stays as it is.
//!
//! ```text
//! before: fn @f(%x: i8, %y: i8) -> (i8)     after: fn @f(%x: i32, %y: i32) -> (i32)
//!           %1 = add %x, %y                          %1 = add %x, %y
//!           %2 = bitwise_xor %1, %x                  %2 = sign_extend8 %1
//!           return %2                                %3 = bitwise_xor %2, %x
//!                                                    return %3
//! ```
//!
//! A value is always in range: an unsigned one has zeros above its width, a signed one copies of its sign. Bitwise ops, `min`, `max`, shifts to the
//! right, remainders, comparisons and moves keep that; sums, products and the like are wrapped, once. Conversions of floats saturate at the width.
//!
//! Variables of the program, of its stages' inputs and outputs too, hold integers of 32 bits; what is loaded of an input is wrapped. **Not
//! lowered**, but an error (E0602): memory whose bytes the host sees, and ops on the bits of lanes and memories. Holds before: a valid module, whose
//! exported functions get numbers in range.

use planish_ir::builder::{Builder, Request, Results};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Imm, Op};
use planish_ir::types::{AddressSpace, Scalar};
use planish_target::legal::{Operation, Support, TargetInfo};
use planish_target::scalars::holds;
use smallvec::{SmallVec, smallvec};

use crate::context::Context;
use crate::legalize::{self, integer, number};
use crate::lower_small::obstacles;
use crate::restage::{Stage, copy_node};
use crate::retype::{self, Retyped};

/// Replaces integers of some types of 8 and 16 bits in the whole module.
///
/// # Errors
/// The places where the bytes of such an integer are visible.
pub fn run(
    module: &mut Module,
    target: &str,
    lacking: &[Scalar],
    context: &mut Context,
) -> Result<(), Vec<Diagnostic>> {
    let errors = obstacles(module, target, lacking);
    if !errors.is_empty() {
        return Err(errors);
    }
    let support = |operation: &Operation| support(operation, lacking);
    let steps = TargetInfo { name: target, support: &support, is_shading_language: false };
    legalize::run(module, &steps, context)?;
    let pairs: Vec<(Scalar, Scalar)> = lacking.iter().map(|&scalar| (scalar, scalar.widened())).collect();
    let mut lower = Lower { twins: Retyped::new(module, &pairs), lacking };
    retype::bodies(module, &mut lower);
    context.changed();
    Ok(())
}

/// Constructors convert their operands one by one, and what is several steps on words is expanded.
fn support(operation: &Operation, lacking: &[Scalar]) -> Support {
    let is_lacking = |scalar: Option<Scalar>| scalar.is_some_and(|scalar| lacking.contains(&scalar));
    let scalar = operation.scalar();
    match operation.op {
        Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple if is_lacking(operation.result.scalar) => {
            Support::Guard
        }
        Op::RotateLeft | Op::RotateRight | Op::BitReverse | Op::CountLeadingZeros | Op::CountTrailingZeros
            if is_lacking(scalar) =>
        {
            Support::Expand
        }
        Op::BitCount | Op::BitfieldExtract if is_lacking(scalar) && scalar.is_some_and(Scalar::is_signed) => {
            Support::Expand
        }
        _ => Support::Yes,
    }
}

/// Whether the result of an op on integers in range, computed in 32 bits, is in range.
fn is_closed(op: Op, imm: Imm, signed: bool) -> bool {
    match op {
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor | Op::Min | Op::Max | Op::Clamp | Op::Sign => true,
        Op::Remainder | Op::ShiftRight | Op::Select | Op::BitfieldExtract => true,
        // Only the least integer over -1 leaves the range.
        Op::Divide => !signed || imm.is_guarded(),
        Op::BitfieldInsert => !signed && imm.is_guarded(),
        Op::BitwiseNot | Op::SignExtend8 | Op::SignExtend16 | Op::SignExtend32 => signed,
        Op::Abs => !signed,
        _ => false,
    }
}

/// The stage.
struct Lower<'a> {
    twins: Retyped,
    lacking: &'a [Scalar],
}

impl Stage for Lower<'_> {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        let data = old.node(node);
        let Some(result) = old.result(node) else { return copy_node(old, node, args, b) };
        let before = old.local_type(result);
        let ty = self.twins.ty(before);
        b.set_precise(data.precise);
        let request = Request { op: data.op, imm: data.imm, args, ty: Some(ty), precision: Some(data.precision) };
        // The types of the twins are found by the source: those of the new operands are of 32 bits in both cases.
        let lacking = |scalar: Option<Scalar>| scalar.filter(|scalar| self.lacking.contains(scalar));
        let small = lacking(b.module.types.scalar_of(before));
        let from = old.args(node).first().and_then(|&arg| b.module.types.scalar_of(b.module.type_of(old, arg)));
        match data.op {
            Op::ConstructScalarFromScalar | Op::ConstructVectorFromMultiple if args.len() == 1 => {
                if let Some((from, to)) = from.zip(small) {
                    return smallvec![convert(b, request, from, to)];
                }
                let is_same = b.type_of(args[0]) == ty;
                return if is_same { smallvec![args[0]] } else { b.make_all(request) };
            }
            Op::Bitcast if small.is_some() || lacking(from).is_some() => {
                let to = b.module.types.scalar_of(before).expect("it has the bits of a number");
                return smallvec![bitcast(b, args[0], (from.expect("it has the bits of a number"), to), ty)];
            }
            Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement => {
                if let Some(scalar) = small {
                    return smallvec![increment(b, data.op, args[0], scalar)];
                }
            }
            Op::ShiftLeft | Op::ShiftRight if small.is_some() && !data.imm.is_guarded() => {
                let width = small.map_or(32, Scalar::bits);
                let last = integer(b, b.type_of(args[1]), u64::from(width) - 1);
                let amount = b.op(Op::BitwiseAnd, &[args[1], last]);
                let shifted = b.make(Request { imm: Imm::GUARDED, args: &[args[0], amount], ..request });
                let wraps = small.filter(|_| data.op == Op::ShiftLeft);
                return smallvec![wraps.map_or(shifted, |scalar| wrap(b, shifted, scalar))];
            }
            Op::BitwiseNot => {
                if let Some(scalar) = small.filter(|scalar| !scalar.is_signed()) {
                    let mask = integer(b, ty, u64::MAX >> (64 - scalar.bits()));
                    return smallvec![b.op(Op::BitwiseXor, &[args[0], mask])];
                }
            }
            _ => {}
        }
        let mut results = b.make_all(request);
        match data.op.info().class {
            // They move values.
            Class::Construct | Class::Extract | Class::Access | Class::Call => {}
            Class::Stage | Class::Memory => {
                let is_input = |value: Value| {
                    b.module.types.pointee(b.type_of(value)).is_some_and(|(_, space)| space == AddressSpace::Input)
                };
                if args.first().copied().is_some_and(is_input)
                    && self.lacking.iter().any(|&scalar| holds(b.module, before, scalar))
                {
                    results[0] = retype::map_numbers(b, before, results[0], &|b, scalar, value| {
                        if self.lacking.contains(&scalar) { wrap(b, value, scalar) } else { value }
                    });
                }
            }
            _ => {
                let wraps = small.filter(|scalar| !is_closed(data.op, data.imm, scalar.is_signed()));
                if let Some(scalar) = wraps {
                    results[0] = wrap(b, results[0], scalar);
                }
            }
        }
        results
    }

    fn input_type(&self, ty: Type) -> Type {
        self.twins.ty(ty)
    }

    fn outer_value(&mut self, value: Value) -> Value {
        self.twins.outer_value(value)
    }
}

/// The low bits of integers of 32 bits, extended by the sign of a type.
fn wrap(b: &mut Builder<'_, '_>, x: Value, scalar: Scalar) -> Value {
    match scalar {
        Scalar::I8 => b.op(Op::SignExtend8, &[x]),
        Scalar::I16 => b.op(Op::SignExtend16, &[x]),
        _ => {
            let mask = integer(b, b.type_of(x), u64::MAX >> (64 - scalar.bits()));
            b.op(Op::BitwiseAnd, &[x, mask])
        }
    }
}

/// The request, a conversion of numbers of a type to integers of another: in 32 bits, and then put in range.
fn convert(b: &mut Builder<'_, '_>, request: Request<'_>, from: Scalar, to: Scalar) -> Value {
    let is_same = request.ty == Some(b.type_of(request.args[0]));
    let value = if is_same { request.args[0] } else { b.make(request) };
    let magnitude = |scalar: Scalar| scalar.bits() - u32::from(scalar.is_signed());
    match from {
        Scalar::Bool => value,
        _ if from.is_float() => {
            let most = (1 << magnitude(to)) - 1;
            let ty = b.type_of(value);
            let high = number(b, ty, most);
            if to.is_signed() {
                let low = number(b, ty, -1 - most);
                b.op(Op::Clamp, &[value, low, high])
            } else {
                b.op(Op::Min, &[value, high])
            }
        }
        _ if magnitude(from) <= magnitude(to) && from.is_signed() <= to.is_signed() => value,
        _ => wrap(b, value, to),
    }
}

/// The bits of a number of one type as those of another of its width; one of them at least is lowered.
fn bitcast(b: &mut Builder<'_, '_>, x: Value, (from, to): (Scalar, Scalar), ty: Type) -> Value {
    if from == Scalar::F16 {
        let words = each_component(b, x, Scalar::U32, &mut |b, half| {
            let (single, zero) = (b.convert(half, Type::F32), number(b, Type::F32, 0));
            let pair = b.op_typed(Op::ConstructVectorFromMultiple, &[single, zero], Type::VEC2);
            b.op(Op::PackHalf2x16, &[pair])
        });
        if !to.is_signed() {
            return words;
        }
        let words = b.op_typed(Op::Bitcast, &[words], ty);
        return wrap(b, words, to);
    }
    if to == Scalar::F16 {
        return each_component(b, x, Scalar::F16, &mut |b, word| {
            let word = if b.type_of(word) == Type::U32 { word } else { b.op_typed(Op::Bitcast, &[word], Type::U32) };
            let pair = b.op(Op::UnpackHalf2x16, &[word]);
            let single = b.swizzle(pair, &[0]);
            let half = b.module.types.scalar(Scalar::F16);
            b.convert(single, half)
        });
    }
    if from == to {
        return x;
    }
    let words = b.op_typed(Op::Bitcast, &[x], ty);
    wrap(b, words, to)
}

/// A scalar or vector of the results of a function on each component.
fn each_component(
    b: &mut Builder<'_, '_>,
    x: Value,
    scalar: Scalar,
    f: &mut dyn FnMut(&mut Builder<'_, '_>, Value) -> Value,
) -> Value {
    let size = b.module.types.vector_size(b.type_of(x)).unwrap_or(1);
    if size == 1 {
        return f(b, x);
    }
    let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
    for lane in 0..size {
        let component = b.op_imm(Op::ExtractVectorComponent, Imm::index(lane.into()), &[x]);
        parts.push(f(b, component));
    }
    let ty = b.module.types.vector(scalar, size);
    b.op_typed(Op::ConstructVectorFromMultiple, &parts, ty)
}

/// One more or one less in memory.
fn increment(b: &mut Builder<'_, '_>, op: Op, pointer: Value, scalar: Scalar) -> Value {
    let old = b.load(pointer);
    let one = number(b, b.type_of(old), 1);
    let adds = matches!(op, Op::PrefixIncrement | Op::PostfixIncrement);
    let new = b.op(if adds { Op::Add } else { Op::Subtract }, &[old, one]);
    let new = wrap(b, new, scalar);
    b.store(pointer, new);
    if matches!(op, Op::PrefixIncrement | Op::PrefixDecrement) { new } else { old }
}
