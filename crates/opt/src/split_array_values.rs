//! Moves arrays element by element, for targets that have no values of arrays (GLSL ES 1.00).
//!
//! ```text
//! before: %1 = load %p                                  after: %1 = load &%p[0]    %2 = load &%p[1]
//!         %2 = extract_array_element %1, 0                     %3 = add %1, 1.0
//!         %3 = add %2, 1.0                                     store &%q[0], %3
//!         %4 = extract_array_element %1, 1                     store &%q[1], %2
//!         %5 = construct_array %3, %4
//!         store %q, %5
//! ```
//!
//! Such values come from the optimizer, which keeps `inout` arrays in values. Holds before: a valid module in the
//! placed form. Left alone: arrays of more than [`MOST_PARTS`] elements, those that control flow chooses, and arguments of calls.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::entity::{Func, Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::TypeKind;
use rustc_hash::FxHashSet;
use smallvec::smallvec;

use crate::context::Context;
use crate::eliminate_dead_code;
use crate::restage::{Stage, copy_node, restage};

/// Elements that are moved one by one at most.
const MOST_PARTS: u32 = 64;

/// Runs on every function that loads or stores an array as a whole.
pub fn run(module: &mut Module, context: &mut Context) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = module.funcs[func].body.as_ref().filter(|body| moves_arrays(module, body)) else { continue };
        let policy = Policy { form: body.form, ..Policy::PLAIN };
        let mut split = Split { whole: used_whole(body) };
        context.changed();
        restage(module, func, policy, &mut split);
    }
    eliminate_dead_code::run(module, context);
}

/// Whether a function of the module loads or stores an array as a whole.
pub fn is_needed(module: &Module) -> bool {
    module.funcs.values().any(|f| f.body.as_ref().is_some_and(|body| moves_arrays(module, body)))
}

fn moves_arrays(module: &Module, body: &Body) -> bool {
    body.nodes().any(|(node, data)| {
        let moved = match data.op {
            Op::Load => body.result(node).map(|result| body.local_type(result)),
            Op::Store => Some(module.type_of(body, body.args(node)[1])),
            _ => None,
        };
        moved.is_some_and(|ty| splits(module, ty))
    })
}

/// Whether a type is an array, or a struct that holds one, and small; types with textures have no values.
fn splits(module: &Module, ty: Type) -> bool {
    let types = &module.types;
    let is_array = types.contains(ty, &mut |kind| matches!(kind, TypeKind::Array { .. }));
    let others = |kind: &TypeKind| match kind {
        TypeKind::Array { len, .. } => *len > MOST_PARTS,
        other => matches!(other, TypeKind::Image(_) | TypeKind::Sampler { .. }),
    };
    is_array && !types.contains(ty, &mut |kind| others(kind))
}

struct Split {
    /// Values that something takes as they are, such as arguments of calls: ES 1.00 passes arrays, and has none made of parts.
    whole: FxHashSet<Local>,
}

fn used_whole(body: &Body) -> FxHashSet<Local> {
    let takes_apart = |op: Op| {
        matches!(
            op,
            Op::ExtractArrayElement | Op::ExtractStructField | Op::Store | Op::ConstructArray | Op::ConstructStruct
        )
    };
    let users = body.nodes().filter(|(_, data)| !takes_apart(data.op));
    users.flat_map(|(node, _)| body.args(node).iter().filter_map(|arg| arg.as_local())).collect()
}

impl Stage for Split {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        match (old.node(node).op, args) {
            (Op::Load, &[pointer]) => {
                let result = old.result(node).filter(|result| !self.whole.contains(result));
                let ty = result.map(|result| old.local_type(result));
                if let Some(ty) = ty.filter(|&ty| splits(builder.module, ty)) {
                    return smallvec![load(builder, pointer, ty)];
                }
            }
            (Op::Store, &[pointer, value]) => {
                let ty = builder.type_of(value);
                if splits(builder.module, ty) {
                    store(builder, pointer, value, ty);
                    return Results::new();
                }
            }
            (Op::ExtractArrayElement, &[array, index]) => {
                let index = index.as_const().and_then(|c| builder.module.consts.as_bits(c));
                let count = builder.module.types.part_count(builder.type_of(array)).unwrap_or(0);
                if let Some(index) = index.filter(|_| count > 0) {
                    return smallvec![part(builder, array, planish_ir::meaning::clamp_index(index, count))];
                }
            }
            (Op::ExtractStructField, &[structure]) => {
                return smallvec![part(builder, structure, old.node(node).imm.as_index())];
            }
            _ => {}
        }
        copy_node(old, node, args, builder)
    }
}

fn is_struct(builder: &Builder<'_, '_>, ty: Type) -> bool {
    matches!(builder.module.types[ty], TypeKind::Struct(_))
}

/// The pointer to part number `i`.
fn access(builder: &mut Builder<'_, '_>, pointer: Value, ty: Type, i: u32) -> Value {
    if is_struct(builder, ty) {
        return builder.op_imm(Op::AccessStructField, Imm::index(i), &[pointer]);
    }
    let index = builder.i32(i as i32);
    builder.op(Op::AccessArrayElement, &[pointer, index])
}

/// Part number `i` of a value: the operand of its constructor, if known.
fn part(builder: &mut Builder<'_, '_>, whole: Value, i: u32) -> Value {
    if let Some(parts) = whole.as_const().and_then(|c| builder.module.consts.as_parts(c)) {
        return parts[i as usize].into();
    }
    if let Some((Op::ConstructArray | Op::ConstructStruct, _, parts)) = builder.definition(whole) {
        return parts[i as usize];
    }
    if is_struct(builder, builder.type_of(whole)) {
        return builder.op_imm(Op::ExtractStructField, Imm::index(i), &[whole]);
    }
    let index = builder.i32(i as i32);
    builder.op(Op::ExtractArrayElement, &[whole, index])
}

/// The parts of a type with their numbers. (Types nest as deep as the program's text at most.)
fn parts_of(builder: &mut Builder<'_, '_>, ty: Type) -> Vec<Type> {
    let types = &mut builder.module.types;
    let count = types.part_count(ty).unwrap_or(0);
    (0..count).filter_map(|i| types.part(ty, i)).collect()
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn load(builder: &mut Builder<'_, '_>, pointer: Value, ty: Type) -> Value {
    if !splits(builder.module, ty) {
        return builder.load(pointer);
    }
    let mut values = Vec::new();
    for (i, part) in parts_of(builder, ty).into_iter().enumerate() {
        let pointer = access(builder, pointer, ty, i as u32);
        values.push(load(builder, pointer, part));
    }
    let op = if is_struct(builder, ty) { Op::ConstructStruct } else { Op::ConstructArray };
    builder.make(Request::new(op, &values).ty(ty))
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn store(builder: &mut Builder<'_, '_>, pointer: Value, value: Value, ty: Type) {
    if !splits(builder.module, ty) {
        return builder.store(pointer, value);
    }
    for i in 0..parts_of(builder, ty).len() as u32 {
        let (to, value) = (access(builder, pointer, ty, i), part(builder, value, i));
        let ty = builder.type_of(value);
        store(builder, to, value, ty);
    }
}
