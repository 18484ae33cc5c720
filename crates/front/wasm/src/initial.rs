//! Constant expressions: initial values of globals, offsets of segments, items of element segments.

use planish_ir::decoration::Name;
use planish_ir::entity::{Const, Func, Type, Value, Var};
use planish_ir::function::{Exit, ResultType};
use planish_ir::module::{ElemItem, Module, Offset};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use wasmparser::{ConstExpr, Error, HeapType, Operator};

use crate::environment::Environment;
use crate::function;
use crate::liveness::Liveness;
use crate::scan::{Located, Scan};

/// A constant expression that was read.
#[derive(Debug)]
pub(crate) enum Initial<'a> {
    Const(Const),
    Func(Func),
    Global(u32),
    /// Several instructions.
    Computed(Vec<Located<'a>>),
}

/// Reads a constant expression at `span`.
pub(crate) fn read<'a>(
    module: &mut Module,
    env: &Environment,
    expression: &ConstExpr<'a>,
    span: Span,
) -> Result<Initial<'a>, Error> {
    let mut ops = vec![];
    let mut reader = expression.get_operators_reader();
    while !reader.eof() {
        ops.push(Located { op: reader.read()?, span });
    }
    let [Located { op, .. }, Located { op: Operator::End, .. }] = &ops[..] else { return Ok(Initial::Computed(ops)) };
    let values = &env.values;
    Ok(match *op {
        Operator::I32Const { value } => Initial::Const(module.consts.i32(value)),
        Operator::I64Const { value } => Initial::Const(module.consts.bits(values.i64[0], value as u64)),
        Operator::F32Const { value } => Initial::Const(module.consts.bits(Type::F32, value.bits().into())),
        Operator::F64Const { value } => Initial::Const(module.consts.bits(values.f64[0], value.bits())),
        Operator::V128Const { value } => Initial::Const(module.consts.wide(&mut module.types, value.i128() as u128)),
        Operator::RefNull { hty } => {
            let ty = if hty == HeapType::EXTERN { values.extern_ref[0] } else { values.func_ref[0] };
            Initial::Const(module.consts.zero(&mut module.types, ty).expect("references have a null"))
        }
        Operator::RefFunc { function_index } => Initial::Func(Func::from_u32(function_index)),
        Operator::GlobalGet { global_index } => Initial::Global(global_index),
        _ => Initial::Computed(ops),
    })
}

/// Gives a global its first value.
pub(crate) fn initialize(module: &mut Module, env: &Environment, var: Var, initial: Initial<'_>, span: Span) {
    let ty = module.vars[var].ty;
    match evaluate(module, env, initial, ty, span) {
        Ok(constant) => module.vars[var].initializer = Some(constant),
        Err(func) => module.vars[var].linkage.get_or_insert_default().computed = Some(func),
    }
}

/// The offset of a segment.
pub(crate) fn offset(module: &mut Module, env: &Environment, initial: Initial<'_>, span: Span) -> Offset {
    if let Initial::Global(global) = initial {
        return Offset::Var(env.globals[global as usize]);
    }
    match evaluate(module, env, initial, Type::I32, span) {
        Ok(constant) => Offset::Const(module.consts.as_bits(constant).unwrap_or(0) as u32),
        Err(func) => {
            let var = module.add_var(Name::temporary("offset"), Type::I32, AddressSpace::Private);
            module.vars[var].is_const = true;
            module.vars[var].linkage.get_or_insert_default().computed = Some(func);
            Offset::Var(var)
        }
    }
}

/// An item of an element segment; in version 2.0, a single instruction.
pub(crate) fn item(env: &Environment, initial: &Initial<'_>) -> ElemItem {
    match *initial {
        Initial::Func(func) => ElemItem::Func(func),
        Initial::Global(global) => ElemItem::Var(env.globals[global as usize]),
        Initial::Const(_) | Initial::Computed(_) => ElemItem::Null,
    }
}

/// The constant, or a new function without parameters that returns the value.
fn evaluate(module: &mut Module, env: &Environment, initial: Initial<'_>, ty: Type, span: Span) -> Result<Const, Func> {
    let ops = match initial {
        Initial::Const(constant) => return Ok(constant),
        Initial::Func(func) => vec![Operator::RefFunc { function_index: func.as_u32() }],
        Initial::Global(global_index) => vec![Operator::GlobalGet { global_index }],
        Initial::Computed(ops) => ops.into_iter().map(|located| located.op).collect(),
    };
    let ends = matches!(ops.last(), Some(Operator::End));
    let ops = ops.into_iter().chain((!ends).then_some(Operator::End));
    let mut scan = Scan::default();
    scan.ops.extend(ops.map(|op| Located { op, span }));
    let result = ResultType::new(ty);
    let func = module.add_func(Name::temporary("initial"), vec![], vec![result], span);
    let built = function::translate(
        module,
        env,
        func,
        (0, &[ty]),
        &scan,
        &Liveness::default(),
        &mut function::Scratch::default(),
    );
    debug_assert!(built.is_ok(), "there are no jumps in it");
    match constant_result(module, func) {
        Some(constant) => {
            // It was the last.
            module.funcs.truncate(module.funcs.len() - 1);
            Ok(constant)
        }
        None => Err(func),
    }
}

/// The result of a function that only returns a constant.
fn constant_result(module: &Module, func: Func) -> Option<Const> {
    let body = module.funcs[func].body.as_ref()?;
    match &body.blocks[body.entry].exit {
        Exit::Return(values) if body.node_count() == 0 => values.first().copied().and_then(Value::as_const),
        _ => None,
    }
}
