//! Lowering of a resolved call of a built-in function.

use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{GroupOperation, Imm, Op, Rule, TextureFlags};
use smallvec::{SmallVec, smallvec};

use super::{Action, Overload, TextureAction};
use crate::device::Last;

type Args = SmallVec<[Value; 8]>;

/// Builds the nodes of a call: `args` are the values of the `In` and `Const` parameters and the pointers of the others,
/// already of the overload's types. The result, if the function has one.
///
/// `precision` overrides that of the operands, for functions whose result has a precision of its own.
pub fn emit(
    b: &mut Builder<'_, '_>,
    overload: &Overload,
    args: &[Value],
    precision: Option<Precision>,
) -> Option<Value> {
    let request = |op, args| Request { op, imm: Imm::NONE, args, ty: None, precision };
    match overload.action {
        Action::Op(op) => {
            let args = broadcast(b, op, overload.result, args);
            let value = b.make_all(request(op, &args)).first().copied();
            // A number of a bit is an `int`, which functions of smaller integers give as one of these.
            value.map(|value| if op.info().rule.is_query() { b.convert(value, overload.result) } else { value })
        }
        Action::Reinterpret => Some(b.reinterpret(args[0], overload.result).expect("the sizes are equal")),
        Action::Counter(op) => b.make_all(request(op, args)).first().copied(),
        // `mix(x, y, a)` is y where a is true.
        Action::MixSelect => Some(b.make(request(Op::Select, &[args[2], args[1], args[0]]))),
        Action::Bitcast => Some(b.make(request(Op::Bitcast, args).ty(overload.result))),
        Action::PackFloats => {
            let pair = b.convert(args[0], Type::VEC2);
            Some(b.make(request(Op::PackHalf2x16, &[pair])))
        }
        Action::UnpackFloats => {
            let pair = b.make(request(Op::UnpackHalf2x16, args));
            Some(b.convert(pair, overload.result))
        }
        Action::TwoResults(op) => {
            let (pointer, operands) = args.split_last().expect("has an out parameter");
            let results = b.make_all(request(op, operands));
            b.store(*pointer, results[1]);
            Some(results[0])
        }
        Action::TwoOuts(op) => {
            let results = b.make_all(request(op, &args[..2]));
            b.store(args[2], results[0]);
            b.store(args[3], results[1]);
            None
        }
        Action::MemoryBarrier(which) => {
            b.make_all(request(Op::MemoryBarrier, &[]).imm(Imm(which.into())));
            None
        }
        Action::Barrier => {
            b.make_all(request(Op::ControlBarrier, &[]));
            None
        }
        Action::Subgroup(op, group) => b.make_all(request(op, args).imm(group)).first().copied(),
        Action::Clustered(op) => {
            let bits = args[1].as_const().and_then(|c| b.module.consts.as_bits(c));
            let size = bits.and_then(|bits| u32::try_from(bits).ok()).expect("the checker wants a small power of two");
            let request = request(op, &args[..1]).imm(GroupOperation::ClusteredReduce(size));
            b.make_all(request).first().copied()
        }
        // The checker lowers it, which knows the constants among the arguments.
        Action::Scoped(_) => None,
        Action::Device(instruction) if instruction.last == Last::Positions => {
            let (pointer, args) = args.split_last().expect("has an out parameter");
            let ty = b.module.types.array(Type::VEC3, 3);
            let positions = crate::device::emit(b, &instruction, args, ty).expect("it has a result");
            b.store(*pointer, positions);
            None
        }
        Action::Device(instruction) => crate::device::emit(b, &instruction, args, overload.result),
        Action::Texture(action) => Some(emit_texture(b, action, args, precision)),
        Action::TextureSize(level) => {
            let flags = if level { TextureFlags::LOD } else { TextureFlags::NONE };
            Some(b.make(request(Op::TextureSize, args).imm(flags)))
        }
        Action::Image(op, sample) => {
            let flags = if sample { TextureFlags::SAMPLE } else { TextureFlags::NONE };
            b.make_all(request(op, args).imm(flags)).first().copied()
        }
    }
}

/// Splats scalar operands of an op that needs operands of one type.
fn broadcast(b: &mut Builder<'_, '_>, op: Op, result: Type, args: &[Value]) -> Args {
    let size = b.module.types.vector_size(result).unwrap_or(1);
    if size == 1 || !matches!(op.info().rule, Rule::Same(..)) {
        return args.into();
    }
    args.iter()
        .map(|&arg| {
            let scalar = b.module.types.vector_size(b.type_of(arg)) == Some(1);
            if scalar { b.op_typed(Op::ConstructVectorFromScalar, &[arg], result) } else { arg }
        })
        .collect()
}

fn emit_texture(b: &mut Builder<'_, '_>, action: TextureAction, args: &[Value], precision: Option<Precision>) -> Value {
    let (image, glsl_coordinate) = (args[0], args[1]);
    let mut rest = args[2..].iter().copied();
    let mut take = || rest.next().expect("the overload has this parameter");
    let mut flags = action.flags;
    // GLSL order: compare, then lod or derivatives or sample, then offset, then bias or component.
    let compare_argument = action.compare_argument.then(&mut take);
    let explicit: SmallVec<[Value; 2]> = if flags.has(TextureFlags::GRAD) {
        smallvec![take(), take()]
    } else if flags.has(TextureFlags::LOD) || flags.has(TextureFlags::SAMPLE) {
        smallvec![take()]
    } else {
        smallvec![]
    };
    let offset = (flags.has(TextureFlags::OFFSET) || flags.has(TextureFlags::OFFSETS)).then(&mut take);
    let bias = flags.has(TextureFlags::BIAS).then(&mut take);
    if action.component_argument {
        let component = take();
        // The checker has ensured that this is a constant; one out of range counts as 0.
        let bits = component.as_const().and_then(|c| b.module.consts.as_bits(c)).unwrap_or(0);
        flags = flags.with_component(if bits < 4 { bits as u8 } else { 0 });
    }
    let coordinate = match action.coordinate_len {
        0 => glsl_coordinate,
        n => b.swizzle(glsl_coordinate, &action.coordinate[..n as usize]),
    };
    let compare = match action.compare {
        Some(lane) => Some(b.swizzle(glsl_coordinate, &[lane])),
        None => compare_argument,
    };
    let operands: Args =
        [image, coordinate].into_iter().chain(compare).chain(explicit).chain(bias).chain(offset).collect();
    let request = Request { op: action.op, imm: flags.into(), args: &operands, ty: None, precision };
    let sample = b.make(request);
    if action.splat { b.op_typed(Op::ConstructVectorFromScalar, &[sample], Type::VEC4) } else { sample }
}
