//! Constants, and initial values of globals.

use planish_ir::entity::{Const, Func, Local, ValueKind, Var};
use planish_ir::function::Exit;
use planish_ir::module::Module;
use planish_ir::ops::{Effect, Op};
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use wasm_encoder::{HeapType, Ieee32, Ieee64, Instruction as I, ValType};

use crate::indices::Indices;
use crate::ops::{arithmetic, is_nothing};

/// The bits of a `v128`.
pub(crate) fn wide(module: &Module, constant: Const) -> Option<u128> {
    match module.consts[constant].value {
        planish_ir::constant::ConstValue::Wide(bits) => Some(bits),
        _ => None,
    }
}

/// The instruction that gives a constant; `None` for types that WebAssembly has not.
pub(crate) fn instruction(module: &Module, constant: Const) -> Option<I<'static>> {
    let bits = module.consts.as_bits(constant);
    Some(match module.types[module.consts[constant].ty] {
        TypeKind::Scalar(Scalar::Bool | Scalar::I32 | Scalar::U32) => I::I32Const(bits? as u32 as i32),
        TypeKind::Scalar(Scalar::I64 | Scalar::U64) => I::I64Const(bits? as i64),
        TypeKind::Scalar(Scalar::F32) => I::F32Const(Ieee32::new(bits? as u32)),
        TypeKind::Scalar(Scalar::F64) => I::F64Const(Ieee64::new(bits?)),
        TypeKind::V128 => I::V128Const(wide(module, constant)? as i128),
        TypeKind::FuncRef => I::RefNull(HeapType::FUNC),
        TypeKind::ExternRef => I::RefNull(HeapType::EXTERN),
        _ => return None,
    })
}

/// The zero of a type.
pub(crate) fn zero(ty: ValType) -> I<'static> {
    match ty {
        ValType::I32 => I::I32Const(0),
        ValType::I64 => I::I64Const(0),
        ValType::F32 => I::F32Const(0f32.into()),
        ValType::F64 => I::F64Const(0f64.into()),
        ValType::V128 => I::V128Const(0),
        ValType::Ref(reference) => I::RefNull(reference.heap_type),
    }
}

/// Instructions that a constant expression may have; more, and it is refused. A value that is read several times is
/// written as often.
const MAX_EXPRESSION: usize = 4096;

/// Maximum depth of initial values that are computed from those of other variables.
const MAX_DEPTH: u32 = 64;

/// The constant expression of a private variable's initial value; `None` if it has none.
pub(crate) fn initial(module: &Module, indices: &Indices, var: Var) -> Option<Vec<I<'static>>> {
    initial_at(module, indices, var, 0)
}

/// Only immutable imported globals may be read in such an expression by every engine. The initial values of others are
/// repeated: nothing can have changed them yet.
fn initial_at(module: &Module, indices: &Indices, var: Var, depth: u32) -> Option<Vec<I<'static>>> {
    let data = &module.vars[var];
    if data.linkage.as_ref().is_some_and(|l| l.import.is_some()) {
        return data.is_const.then(|| Some(vec![I::GlobalGet(indices.global(var)?)])).flatten();
    }
    if let Some(func) = data.linkage.as_ref().and_then(|l| l.computed) {
        return if depth < MAX_DEPTH { computed(module, indices, func, depth + 1) } else { None };
    }
    match data.initializer {
        Some(constant) => Some(vec![instruction(module, constant)?]),
        None => Some(vec![zero(crate::types::val_type(&module.types, data.ty)?)]),
    }
}

/// A function without parameters that is one straight line, as a constant expression.
/// Recursion: over initial values, at most [`MAX_DEPTH`] levels.
fn computed(module: &Module, indices: &Indices, func: Func, depth: u32) -> Option<Vec<I<'static>>> {
    let body = module.funcs[func].body.as_ref()?;
    let entry = &body.blocks[body.entry];
    let mut known: FxHashMap<Local, Vec<I<'static>>> = FxHashMap::default();
    let value = |known: &FxHashMap<Local, Vec<I<'static>>>, value: planish_ir::entity::Value| match value.kind() {
        ValueKind::Const(constant) => Some(vec![instruction(module, constant)?]),
        ValueKind::Local(local) => known.get(&local).cloned(),
        ValueKind::Var(_) | ValueKind::Func(_) => None,
    };
    let scalar = |v| module.types.scalar_of(module.type_of(body, v));
    let Exit::Return(returned) = &entry.exit else { return None };
    // Values without uses are skipped, so that time is bounded by the size of the result.
    let mut read: FxHashSet<Local> = returned.iter().filter_map(|v| v.as_local()).collect();
    for &node in entry.nodes.iter().rev() {
        if body.result(node).is_some_and(|result| read.contains(&result)) {
            read.extend(body.args(node).iter().filter_map(|v| v.as_local()));
        }
    }
    for &node in &entry.nodes {
        let (op, args) = (body.node(node).op, body.args(node));
        let result = body.result(node)?;
        if !read.contains(&result) && (op == Op::Load || op.info().effect == Effect::Pure) {
            continue;
        }
        let code = match op {
            Op::Load => initial_at(module, indices, args[0].as_var()?, depth)?,
            Op::RefFunc => vec![I::RefFunc(indices.func(args[0].as_func()?))],
            Op::Add | Op::Subtract | Op::Multiply if scalar(args[0]).is_some_and(|s| s.is_integer()) => {
                let mut code = value(&known, args[0])?;
                code.extend(value(&known, args[1])?);
                code.push(arithmetic(op, scalar(args[0])?)?);
                code
            }
            Op::Bitcast if is_nothing(op, scalar(args[0])?, scalar(result.into())?) => value(&known, args[0])?,
            _ => return None,
        };
        if code.len() > MAX_EXPRESSION {
            return None;
        }
        known.insert(result, code);
    }
    value(&known, *returned.first()?)
}
