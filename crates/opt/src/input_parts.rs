//! Loads of parts of an input whose value a pass computes: the path from the input to the part, and the part of the value.

use planish_ir::builder::Builder;
use planish_ir::entity::Value;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};

/// The steps of an address, innermost first: the op, its immediate, and a computed index.
pub(crate) type Path = Vec<(Op, Imm, Option<Value>)>;

/// The input that a pointer leads to, and the path to its part; `None` if it leads to none.
pub(crate) fn path_to(
    b: &Builder<'_, '_>,
    pointer: Value,
    is_input: &dyn Fn(&Module, Value) -> bool,
) -> Option<(Value, Path)> {
    let mut path = Vec::new();
    let mut input = pointer;
    while !is_input(b.module, input) {
        let (op, imm, args) = b.definition(input)?;
        path.push((op, imm, args.get(1).copied()));
        input = *args.first()?;
    }
    Some((input, path))
}

/// The part of a vector at the end of a path; `None` if a step is not into a vector.
pub(crate) fn part_of(b: &mut Builder<'_, '_>, whole: Value, path: Path) -> Option<Value> {
    let mut value = whole;
    for (op, imm, index) in path.into_iter().rev() {
        value = match (op, index) {
            (Op::AccessVectorComponent, _) => b.op_imm(Op::ExtractVectorComponent, imm, &[value]),
            (Op::AccessVectorComponentMulti, _) => b.op_imm(Op::ExtractVectorComponentMulti, imm, &[value]),
            (Op::AccessVectorComponentDynamic, Some(at)) => b.op(Op::ExtractVectorComponentDynamic, &[value, at]),
            _ => return None,
        };
    }
    Some(value)
}
