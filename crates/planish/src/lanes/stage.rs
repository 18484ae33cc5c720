//! Steps that all stages share: a shader made ready for widening, the widened one made ready for the machine, the host functions of
//! what is outlined.

use std::collections::HashSet;

use planish_eval::Evaluator;
use planish_ir::entity::{Const, Func, Node, Type, Value, Var};
use planish_ir::function::Body;
use planish_ir::host::{FuncType, ValType};
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use planish_opt::lower_to_scalars::{self, Addresses};
use planish_opt::widen::Outlined;
use planish_opt::{Context, approximate_functions, cost, fold_uniforms};
use planish_target::legal::TargetInfo;
use planish_vm::{Caller, Error, Linker, Val};

use super::{DrawError, LaneOptions};
use crate::Optimizer;

/// The host of running code.
pub(super) struct Host<'m> {
    /// Runs what is outlined.
    pub(super) evaluator: Evaluator<'m>,
}

/// An operation that the host runs.
#[derive(Clone, Debug)]
pub(super) struct Outside {
    name: String,
    /// Whether the second parameter is the mask of helper invocations.
    has_helpers: bool,
    /// The function over one invocation, in the widened module.
    func: Func,
    ty: FuncType,
    /// Scalars of the lanes that are parameters, the mask first, and results.
    params: Vec<Scalar>,
    results: Vec<Scalar>,
}

/// Cost of an unrolled loop beyond that of the loop: a branch of lanes is dear, and an array that a loop indexes is in memory. (More
/// loops, of those without arrays, have more values than there are registers.)
const UNROLL_GROWTH: u32 = 100;
const UNROLL_ARRAY_GROWTH: u32 = 400;

/// Bytes of a scalar in a lane.
pub(super) fn bytes(scalar: Scalar) -> u32 {
    if scalar.bits() == 64 { 8 } else { 4 }
}

/// The passes before widening and after; before, every call is inlined.
pub(super) fn optimizer(inline_all: bool) -> Optimizer {
    let mut optimizer = Optimizer::level("2").expect("it is a level");
    optimizer.options.inline_all = inline_all;
    optimizer.options.costs = Some((&cost::MACHINE).into());
    let limits = &mut optimizer.options.limits;
    (limits.unroll_growth, limits.unroll_array_growth) = (UNROLL_GROWTH, UNROLL_ARRAY_GROWTH);
    optimizer
}

/// A module with one entry point only, in which variables whose bits are known are constants. `lower` runs
/// on the optimized module, in which every call is inlined, and returns whether it has changed that.
pub(super) fn prepare<'v>(
    module: &Module,
    entry: &EntryPoint,
    known: impl Iterator<Item = &'v (Var, Vec<u64>)>,
    lower: impl FnOnce(&mut Module) -> bool,
) -> Module {
    let mut prepared = module.clone();
    prepared.entry_points = vec![entry.clone()];
    let mut values: Vec<(Var, Const)> = Vec::new();
    for (var, bits) in known {
        let ty = prepared.vars[*var].ty;
        let value = prepared.consts.unflatten(&mut prepared.types, ty, &mut bits.iter().copied());
        values.extend(value.map(|value| (*var, value)));
    }
    fold_uniforms::run(&mut prepared, &values);
    optimizer(true).run(&mut prepared, &mut |_, _| {});
    if lower(&mut prepared) {
        optimizer(true).run(&mut prepared, &mut |_, _| {});
    }
    prepared
}

/// Makes a function the only entry point of its module, under a name.
pub(super) fn export(module: &mut Module, func: Func, name: &str) {
    let names = vec![name.into()];
    module.entry_points = vec![EntryPoint { names, func, stage: None, properties: StageProperties::default() }];
}

/// The widened module as its one entry point needs it, before lowering.
pub(super) fn optimized(widened: &Module) -> Module {
    let mut lowered = widened.clone();
    optimizer(true).run(&mut lowered, &mut |_, _| {});
    lowered
}

/// Lowers a module for the machine; the addresses of its variables in memory.
/// `params` are the greatest magnitudes of parameters of a function.
pub(super) fn lower(
    module: &mut Module,
    lanes: u8,
    options: &LaneOptions,
    params: Option<(Func, &[f64])>,
) -> Result<Addresses, DrawError> {
    (module.facts.on_lanes, module.facts.scheduled) = (true, true);
    if !options.exact {
        approximate(module, lanes, params);
    }
    let mut context = Context::default();
    lower_to_scalars::run_on_lanes(module, &TargetInfo::EVERYTHING, &mut context, lanes).map_err(DrawError::Unsupported)
}

/// Lets machine code compute what languages leave open in its own way: bits of NaN, conversions of numbers that are out of range, elementary
/// functions within a few units in the last place.
pub(super) fn approximate(module: &mut Module, lanes: u8, params: Option<(Func, &[f64])>) {
    module.facts.any_nan = true;
    module.facts.open_conversions =
        module.funcs.values().filter_map(|func| func.body.as_ref()).all(|body| {
            body.nodes().all(|(node, data)| data.imm.is_open() || !is_float_to_integer(module, body, node))
        });
    approximate_functions::run_with(module, lanes, params);
}

/// Whether a node converts floats to integers.
fn is_float_to_integer(module: &Module, body: &Body, node: Node) -> bool {
    let is_conversion = matches!(
        body.node(node).op,
        Op::ConstructScalarFromScalar | Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple
    );
    let scalar = |ty: Type| module.types.scalar_of(ty);
    let of_arg = |arg: &Value| match arg.as_local() {
        Some(local) => scalar(body.local_type(local)),
        None => None,
    };
    is_conversion
        && body.result(node).is_some_and(|local| scalar(body.local_type(local)).is_some_and(Scalar::is_integer))
        && body.args(node).iter().any(|arg| of_arg(arg).is_some_and(Scalar::is_float))
}

/// Optimizes a module that was lowered, and drops the variables that lie in memory now.
pub(super) fn finish(module: &mut Module) {
    let bodies = module.funcs.values().filter_map(|func| func.body.as_ref());
    let named: HashSet<Var> = bodies.flat_map(|body| body.all_args().iter().filter_map(|arg| arg.as_var())).collect();
    let vars = &module.vars;
    module.globals.retain(|var| named.contains(var) || vars[*var].linkage.is_some());
    optimizer(false).run(module, &mut |_, _| {});
}

/// The operations that the host runs, of those that a module before lowering imports.
pub(super) fn outside(widened: &Module, used: &Module, outlined: &[Outlined], lanes: u8) -> Vec<Outside> {
    let names: Vec<&str> = used.func_imports.iter().map(|(_, import)| &*import.name).collect();
    let of = |outlined: &Outlined| {
        let import = &widened.funcs[outlined.import];
        let scalar = |ty: Type| widened.types.scalar_of(ty).expect("lanes");
        let params: Vec<Scalar> = import.params.iter().map(|p| scalar(p.ty)).collect();
        let results: Vec<Scalar> = import.results.iter().map(|r| scalar(r.ty)).collect();
        let wide = |scalars: &[Scalar]| -> Vec<ValType> {
            let parts = scalars.iter().map(|&s| u32::from(lanes) * bytes(s) / 16).sum::<u32>();
            vec![ValType::V128; parts as usize]
        };
        let ty = FuncType::new(wide(&params), wide(&results));
        let (name, has_helpers) = (outlined.name.clone(), outlined.has_helpers);
        Outside { name, has_helpers, func: outlined.func, ty, params, results }
    };
    outlined.iter().filter(|outlined| names.contains(&&*outlined.name)).map(of).collect()
}

/// Provides the outlined operations: the evaluator runs them in the active lanes.
pub(super) fn provide<'m>(linker: &mut Linker<Host<'m>>, outside: &[Outside], lanes: u8) {
    let lanes = usize::from(lanes);
    for outside in outside.iter().cloned() {
        let (name, ty) = (outside.name.clone(), outside.ty.clone());
        linker.func_new(
            planish_opt::widen::IMPORTS,
            &name,
            ty,
            move |mut caller: Caller<'_, Host<'m>>, args, results| {
                let mut columns = unpack(args, &outside.params, lanes);
                let mut mask = || columns.remove(0).into_iter().map(|word| word != 0).collect::<Vec<bool>>();
                let active = mask();
                let helpers = if outside.has_helpers { mask() } else { Vec::new() };
                let evaluator = &mut caller.data_mut().evaluator;
                let found = evaluator.call_active(outside.func, &active, &helpers, &columns).map_err(Error::host)?;
                pack(&found, &outside.results, results);
                Ok(())
            },
        );
    }
}

/// The lanes of 128-bit values, by component.
pub(super) fn unpack(values: &[Val], scalars: &[Scalar], lanes: usize) -> Vec<Vec<u64>> {
    let mut values = values.iter();
    let column = |&scalar: &Scalar| {
        let width = 16 / bytes(scalar) as usize;
        let mut column = Vec::with_capacity(lanes);
        while column.len() < lanes {
            let Some(&Val::V128(word)) = values.next() else { break };
            column.extend((0..width).map(|i| (word >> (128 / width * i)) as u64 & (u64::MAX >> (64 - 128 / width))));
        }
        column
    };
    scalars.iter().map(column).collect()
}

/// The reverse of [`unpack`].
pub(super) fn pack(columns: &[Vec<u64>], scalars: &[Scalar], values: &mut [Val]) {
    let mut values = values.iter_mut();
    for (column, &scalar) in columns.iter().zip(scalars) {
        let width = 16 / bytes(scalar) as usize;
        for chunk in column.chunks(width) {
            let lane = |bits: u64| if scalar == Scalar::Bool && bits != 0 { 0xffff_ffff } else { u128::from(bits) };
            let word = chunk.iter().rev().fold(0, |word, &bits| word << (128 / width) | lane(bits));
            if let Some(value) = values.next() {
                *value = Val::V128(word);
            }
        }
    }
}
