//! Builds the vectors of a tree of tuples.

use planish_ir::builder::Request;
use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::lanes::{Entry, Shape, Tree, Tuple};
use super::site::{Manner, Site};

/// The replacement of a constructor of isomorphic scalars by a vector computation; `gathers` is the maximum number of
/// other constructors that it may need.
pub(super) fn constructor(site: &mut Site<'_, '_, '_, '_>, node: Node, gathers: usize) -> Option<Value> {
    let def = site.node(node);
    let result: Value = site.source.result(node)?.into();
    let scalar = site.scalar_of(result);
    if def.args.iter().any(|&part| site.size(part) != 1 || site.scalar_of(part) != scalar) {
        return None;
    }
    if def.args.len() != usize::from(site.size(result)) {
        return None;
    }
    let tree = Tree::new(site, &[Tuple::from_slice(def.args)]);
    let root = &tree.entries[tree.roots[0]];
    match root.shape {
        Shape::Gather(_) => return None,
        Shape::Spread => {
            let scalar = site.now(root.lanes[0]);
            let ty = site.ty(result);
            return Some(site.spread(scalar, ty, def.manner));
        }
        _ => {}
    }
    let balance = tree.balance(site, site.facts.is_uniform(result));
    // A swizzle instead of a constructor is no loss, even if the components have other users.
    let part = matches!(root.shape, Shape::Part(..));
    if !part && (balance.gathers > gathers || !balance.pays(1, 0)) {
        return None;
    }
    Some(weave(site, &tree, def.manner)[0])
}

/// The new vectors of the roots.
pub(super) fn weave(site: &mut Site<'_, '_, '_, '_>, tree: &Tree, manner: Manner) -> SmallVec<[Value; 2]> {
    let values = weave_all(site, tree, manner);
    tree.roots.iter().map(|&root| values[root].expect("roots are in the order")).collect()
}

/// The new vectors of all entries that the roots need.
pub(super) fn weave_all(site: &mut Site<'_, '_, '_, '_>, tree: &Tree, manner: Manner) -> Vec<Option<Value>> {
    let mut values: Vec<Option<Value>> = vec![None; tree.entries.len()];
    for &i in &tree.order {
        let value = entry(site, tree, &values, &tree.entries[i], manner);
        values[i] = Some(value);
    }
    values
}

fn entry(
    site: &mut Site<'_, '_, '_, '_>,
    tree: &Tree,
    values: &[Option<Value>],
    entry: &Entry,
    manner: Manner,
) -> Value {
    match &entry.shape {
        Shape::Constant => site.vector(&entry.lanes, manner),
        Shape::Spread => site.now(entry.lanes[0]),
        Shape::There(value) => *value,
        Shape::Part(vector, lanes) => {
            let vector = site.now(*vector);
            site.swizzle(vector, lanes, manner)
        }
        Shape::Gather(parts) => {
            let parts: SmallVec<[Value; 4]> = parts.iter().map(|&part| site.now(part)).collect();
            site.vector(&parts, manner)
        }
        Shape::Apply { op, imm, manner, operands } => {
            let mut args: SmallVec<[Value; 3]> = SmallVec::new();
            for (i, &operand) in operands.iter().enumerate() {
                let value = values[operand].expect("operands come first");
                // One condition for all lanes stays scalar.
                let one = *op == Op::Select && i == 0;
                args.push(if one { value } else { spread(site, value, tree.entries[operand].lanes.len(), *manner) });
            }
            let mut request = Request::new(*op, &args).imm(*imm);
            if *op == Op::ConstructScalarFromScalar {
                let scalar = site.scalar_of(entry.lanes[0]).expect("lanes are scalars");
                request.op = Op::ConstructVectorFromMultiple;
                request.ty = Some(site.b.module.types.vector(scalar, entry.lanes.len() as u8));
            }
            site.make(request, *manner)
        }
    }
}

/// The splat of a scalar to a size.
pub(super) fn spread(site: &mut Site<'_, '_, '_, '_>, value: Value, size: usize, manner: Manner) -> Value {
    if site.new_size(value) == size {
        return value;
    }
    let scalar = site.b.module.types.scalar_of(site.b.type_of(value)).expect("lanes are scalars");
    let ty = site.b.module.types.vector(scalar, size as u8);
    site.spread(value, ty, manner)
}
