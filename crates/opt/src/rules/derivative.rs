//! Derivatives of values that do not change over the quad, and of sums with them.

use planish_ir::entity::{Value, ValueKind};
use planish_ir::ops::{Effect, Op};
use planish_ir::types::AddressSpace;
use smallvec::SmallVec;

use super::Law::{Associative, Exact};
use super::{Rule, Site, rule};

const DERIVATIVES: &[Op] = &[
    Op::Dfdx,
    Op::Dfdy,
    Op::Fwidth,
    Op::DfdxFine,
    Op::DfdyFine,
    Op::FwidthFine,
    Op::DfdxCoarse,
    Op::DfdyCoarse,
    Op::FwidthCoarse,
];

/// Nodes that are looked at to find that a value is the same over the quad.
const MAX_LOOKED_AT: usize = 32;

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("derivative_of_uniform", DERIVATIVES, Exact, "dfdx(u) → 0.0 (u made of constants and uniforms only)", |s| {
        is_uniform(s, s.arg(0)).then(|| s.zero())
    }),
    rule(
        "derivative_of_sum",
        DERIVATIVES,
        Associative,
        "dfdx(x + u) → dfdx(x) (u made of constants and uniforms only)",
        |s| {
            let (op, _, &[x, u]) = s.def(s.arg(0))? else { return None };
            let rest = match op {
                Op::Add | Op::Subtract if is_uniform(s, u) => x,
                Op::Add if is_uniform(s, x) => u,
                _ => return None,
            };
            Some(s.make(s.op(), &[rest]))
        },
    ),
];

/// Whether a value is computed from constants and read-only memory only, which is the same for all invocations of a draw.
fn is_uniform(s: &Site<'_, '_, '_>, value: Value) -> bool {
    let module = &s.b.module;
    let mut pending: SmallVec<[Value; 8]> = SmallVec::from_slice(&[value]);
    let mut looked_at = 0;
    while let Some(value) = pending.pop() {
        match value.kind() {
            ValueKind::Const(_) | ValueKind::Func(_) => continue,
            ValueKind::Var(var) => {
                let space = module.vars[var].space;
                if !matches!(space, AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle)
                    && !module.vars[var].is_const
                {
                    return false;
                }
                continue;
            }
            ValueKind::Local(_) => {}
        }
        let Some((op, _, args)) = s.def(value) else { return false };
        let reads = op == Op::Load && is_read_only_pointer(s, args[0]);
        if !reads && op.info().effect != Effect::Pure || looked_at == MAX_LOOKED_AT {
            return false;
        }
        looked_at += 1;
        pending.extend_from_slice(args);
    }
    true
}

/// Whether the memory at a pointer cannot be written. A pointer's own indices are examined as its operands.
fn is_read_only_pointer(s: &Site<'_, '_, '_>, pointer: Value) -> bool {
    if let Some(var) = pointer.as_var() {
        let var = &s.b.module.vars[var];
        return var.is_const
            || matches!(var.space, AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle);
    }
    let space = s.b.module.types.pointee(s.type_of(pointer)).map(|(_, space)| space);
    matches!(space, Some(AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle))
}
