//! Vectors whose bits are seen: of those a computed NaN has to be the canonical one.
//!
//! A float op on lanes gives a NaN with any bits. They are seen where integers are computed of them, where they are stored to memory or
//! taken out of the lanes, and where they leave the program. Backwards from there, through all that moves bits, are the values that this
//! is about; the others, most of a shader, need no care.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Local, Value};
use planish_ir::function::{Body, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::{LaneShape, Op};
use planish_ir::types::TypeKind;

/// The vectors of a module whose bits are seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    by_func: SideTable<Func, Option<SideTable<Local, bool>>>,
}

impl Seen {
    /// Of a module; nothing is seen where the language leaves the bits of NaNs open.
    pub(crate) fn of(module: &Module) -> Seen {
        let mut seen = Seen::default();
        if module.facts.nan_bits {
            return seen;
        }
        for (func, function) in module.funcs.iter() {
            if let Some(body) = &function.body
                && has_vectors(module, body)
            {
                seen.by_func[func] = Some(of_body(module, body));
            }
        }
        seen
    }

    /// Whether the bits of a value are seen.
    pub(crate) fn has(&self, func: Func, value: Value) -> bool {
        let Some(locals) = &self.by_func[func] else { return false };
        value.as_local().is_some_and(|local| locals[local])
    }
}

fn has_vectors(module: &Module, body: &Body) -> bool {
    body.nodes().any(|(node, _)| body.results(node).any(|local| is_vector(module, body, local)))
}

fn is_vector(module: &Module, body: &Body, local: Local) -> bool {
    matches!(module.types[body.local_type(local)], TypeKind::V128)
}

/// Whether an op computes floats in lanes, with a NaN of its own.
pub(crate) fn computes_floats(op: Op, shape: LaneShape) -> bool {
    match op {
        Op::SimdDemote | Op::SimdPromote => true,
        Op::SimdAdd | Op::SimdSubtract | Op::SimdMultiply | Op::SimdDivide => shape.is_float(),
        Op::SimdSqrt | Op::SimdCeil | Op::SimdFloor | Op::SimdTrunc | Op::SimdRoundEven => true,
        _ => false,
    }
}

/// Whether an op moves the bits of its operands to its result, as far as floats go.
fn moves(op: Op, shape: LaneShape) -> bool {
    match op {
        Op::SimdShuffle | Op::SimdSwizzle | Op::SimdInsert | Op::SimdSelect | Op::Select => true,
        Op::SimdAnd | Op::SimdAndNot | Op::SimdOr | Op::SimdXor | Op::SimdNot => true,
        Op::SimdAbs | Op::SimdNegate | Op::SimdPseudoMin | Op::SimdPseudoMax => shape.is_float(),
        _ => false,
    }
}

/// Whether an op takes vectors as floats, so that the bits of a NaN do not matter to it.
fn reads_floats(op: Op, shape: LaneShape) -> bool {
    let compares = matches!(
        op,
        Op::SimdEqual
            | Op::SimdNotEqual
            | Op::SimdLessThan
            | Op::SimdLessThanEqual
            | Op::SimdGreaterThan
            | Op::SimdGreaterThanEqual
            | Op::SimdMin
            | Op::SimdMax
    );
    computes_floats(op, shape) || compares && shape.is_float() || matches!(op, Op::SimdTruncate | Op::SimdTruncateLow)
}

fn of_body(module: &Module, body: &Body) -> SideTable<Local, bool> {
    let mut seen = SideTable::new();
    let mut work: Vec<Local> = Vec::new();
    let mut see = |value: Value, work: &mut Vec<Local>| {
        if let Some(local) = value.as_local()
            && is_vector(module, body, local)
            && !std::mem::replace(&mut seen[local], true)
        {
            work.push(local);
        }
    };
    for (node, data) in body.nodes() {
        let shape = data.imm.as_shape();
        if !(moves(data.op, shape) || reads_floats(data.op, shape)) {
            body.args(node).iter().for_each(|&arg| see(arg, &mut work));
        }
    }
    // (What blocks pass on may be seen in any of them.)
    for block in body.blocks.values() {
        block.exit.for_each_operand(|value| see(value, &mut work));
    }
    while let Some(local) = work.pop() {
        let LocalDef::Result(node, _) = body.local(local).def else { continue };
        let data = body.node(node);
        if moves(data.op, data.imm.as_shape()) {
            body.args(node).iter().for_each(|&arg| see(arg, &mut work));
        }
    }
    seen
}
