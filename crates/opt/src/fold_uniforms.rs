//! Loads of uniforms whose values are known become constants: for a program that is compiled for one drawing.
//!
//! ```text
//! before: %1 = access_struct_field[2] @light     after: (with @light known)
//!         %2 = load %1                                  %3 = multiply %x, vec3{1.0, 0.5, 0.25}
//!         %3 = multiply %x, %2
//! ```
//!
//! Left alone: what is accessed by an index that is computed, for which the uniform gets its value as initializer. Holds before: a valid
//! module, whose uniforms nothing else sets.

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::entity::{Const, Func, Node, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::restage::{Stage, copy_node, restage};

/// Runs on every function; `values` are the known uniforms, each with a constant of its type.
pub fn run(module: &mut Module, values: &[(Var, Const)]) {
    for &(var, value) in values {
        module.vars[var].initializer = Some(value);
    }
    let mut stage = FoldUniforms { values: values.iter().copied().collect() };
    let funcs: Vec<Func> = module.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
    for func in funcs {
        restage(module, func, Policy::PLAIN, &mut stage);
    }
}

struct FoldUniforms {
    values: FxHashMap<Var, Const>,
}

impl Stage for FoldUniforms {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        if old.node(node).op == Op::Load
            && let Some(value) = self.known(builder, args[0])
        {
            return smallvec![value.into()];
        }
        copy_node(old, node, args, builder)
    }
}

impl FoldUniforms {
    /// The constant behind a pointer, if it is known.
    fn known(&self, b: &Builder<'_, '_>, pointer: Value) -> Option<Const> {
        let mut path = Vec::new();
        let mut pointer = pointer;
        let var = loop {
            if let Some(var) = pointer.as_var() {
                break var;
            }
            let (op, imm, args) = b.definition(pointer)?;
            path.push(match op {
                Op::AccessStructField | Op::AccessVectorComponent => u64::from(imm.as_index()),
                Op::AccessArrayElement | Op::AccessMatrixColumn | Op::AccessVectorComponentDynamic => {
                    b.module.consts.as_bits(args[1].as_const()?)?
                }
                _ => return None,
            });
            pointer = args[0];
        };
        let mut value = *self.values.get(&var)?;
        for index in path.into_iter().rev() {
            let parts = b.module.consts.as_parts(value)?;
            value = parts[planish_ir::meaning::clamp_index(index, parts.len() as u32) as usize];
        }
        Some(value)
    }
}
