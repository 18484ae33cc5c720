//! Growable arrays of which nothing but the length is used, as counts.

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::entity::{Func, Node, Type, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::AddressSpace;
use planish_ir::walk;
use rustc_hash::FxHashSet;
use smallvec::smallvec;

use crate::context::Context;
use crate::restage::{Stage, copy_node, restage};

/// Makes counts of such arrays in a function; returns whether there were any.
pub(super) fn run(module: &mut Module, func: Func, context: &mut Context) -> bool {
    let Some(body) = &module.funcs[func].body else { return false };
    let declared = walk::blocks(body).flat_map(|block| &body.blocks[block].variables);
    let mut arrays: FxHashSet<Var> =
        declared.copied().filter(|&var| module.types.growable(module.vars[var].pointer).is_some()).collect();
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            let args = body.args(node);
            let counts = matches!(body.node(node).op, Op::Append | Op::ArrayLength);
            for var in args.iter().skip(usize::from(counts)).filter_map(|arg| arg.as_var()) {
                arrays.remove(&var);
            }
        }
    }
    if arrays.is_empty() {
        return false;
    }
    let zero = module.consts.i32(0);
    let pointer = module.types.pointer(Type::I32, AddressSpace::Function);
    for &var in &arrays {
        let data = &mut module.vars[var];
        (data.ty, data.pointer, data.initializer) = (Type::I32, pointer, Some(zero));
    }
    context.changed();
    context.count("ArraysCounted", arrays.len() as u64);
    restage(module, func, Policy::PLAIN, &mut Count(arrays));
    true
}

struct Count(FxHashSet<Var>);

impl Stage for Count {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        let is_count = args.first().and_then(|arg| arg.as_var()).is_some_and(|var| self.0.contains(&var));
        match old.node(node).op {
            Op::Append if is_count => {
                let (count, one) = (b.load(args[0]), b.i32(1));
                let more = b.op(Op::Add, &[count, one]);
                b.store(args[0], more);
                Results::new()
            }
            Op::ArrayLength if is_count => smallvec![b.load(args[0])],
            _ => copy_node(old, node, args, b),
        }
    }
}
