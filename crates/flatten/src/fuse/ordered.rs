//! Sums of all components of a vector in order, the order of `horizontal_add` and `dot`: the same bits, so without
//! fast-math too.
//!
//! ```text
//! (v.x + v.y) + v.z                         → hadd(v)
//! (c.x * 0.299 + c.y * 0.587) + c.z * 0.114 → dot(c, (0.299, 0.587, 0.114))
//! (v.x * w.x + v.y * w.y) + v.z * w.z       → dot(v, w)
//! ```

use planish_ir::builder::Request;
use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::site::{Def, Site};

/// Factor of a component.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Factor {
    /// None.
    One,
    /// A constant.
    Constant(Value),
    /// The same component of a vector.
    Component(Value),
}

/// A component of a vector, times a factor.
#[derive(Clone, Copy)]
struct Step {
    vector: Value,
    index: u8,
    factor: Factor,
    /// Number of nodes that become dead.
    freed: usize,
}

/// The sum that ends with a node as one node.
pub(super) fn sum(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    let def = site.node(node);
    if !site.is_float(site.source.result(node)?.into()) {
        return None;
    }
    let steps = steps(site, def)?;
    let vector = steps[0].vector;
    let freed: usize = steps.iter().map(|s| s.freed).sum::<usize>() + steps.len() - 1;
    if freed < 2 {
        return None;
    }
    if steps.iter().all(|s| s.factor == Factor::One) {
        if !site.options.visible.hadd {
            return None;
        }
        let vector = site.now(vector);
        return Some(site.make(Request::new(Op::HorizontalAdd, &[vector]), def.manner));
    }
    if !site.options.visible.dot {
        return None;
    }
    let scalar = site.ty(site.source.result(node)?.into());
    let one = site.number(scalar, 1.0);
    let mut weights: SmallVec<[Value; 4]> = SmallVec::new();
    let mut other = None;
    for step in &steps {
        match step.factor {
            Factor::One => weights.push(one),
            Factor::Constant(c) => weights.push(c),
            Factor::Component(vector) => other = Some(vector),
        }
    }
    let other = match other {
        Some(vector) if steps.iter().all(|s| s.factor == Factor::Component(vector)) => site.now(vector),
        Some(_) => return None,
        None => site.vector(&weights, def.manner),
    };
    let vector = site.now(vector);
    Some(site.make(Request::new(Op::Dot, &[vector, other]), def.manner))
}

/// The steps of a sum, the first component first; of all components of one vector.
fn steps(site: &Site<'_, '_, '_, '_>, def: Def<'_>) -> Option<SmallVec<[Step; 4]>> {
    let mut steps: SmallVec<[Step; 4]> = SmallVec::new();
    let mut def = def;
    loop {
        if def.manner.precise {
            return None;
        }
        let wanted = steps.last().map(|s: &Step| (s.vector, s.index - 1));
        let fits = |s: &Step| wanted.map_or(s.index + 1 == site.size(s.vector), |w| w == (s.vector, s.index));
        let (step, rest) = match (def.op, def.args) {
            (Op::Add, &[x, y]) => match (step(site, y).filter(fits), step(site, x).filter(fits)) {
                (Some(found), _) => (found, x),
                (None, Some(found)) => (found, y),
                (None, None) => return None,
            },
            (Op::MultiplyAdd, &[a, b, c]) => (times(site, a, b).filter(fits)?, c),
            _ => return None,
        };
        steps.push(step);
        if step.index == 1 {
            let first = self::step(site, rest).filter(|s| (s.vector, s.index) == (step.vector, 0))?;
            steps.push(first);
            steps.reverse();
            return Some(steps);
        }
        if step.index == 0 || !site.facts.once(rest) {
            return None;
        }
        def = site.def(rest)?;
    }
}

/// A term as a component times a factor.
fn step(site: &Site<'_, '_, '_, '_>, term: Value) -> Option<Step> {
    if let Some((vector, index)) = site.component(term) {
        return Some(Step { vector, index, factor: Factor::One, freed: usize::from(site.facts.once(term)) });
    }
    // The product must have no other user, or it would be computed twice.
    let def = site.def_by(term, Op::Multiply).filter(|def| site.facts.once(term) && !def.manner.precise)?;
    times(site, def.args[0], def.args[1])
}

fn times(site: &Site<'_, '_, '_, '_>, x: Value, y: Value) -> Option<Step> {
    let (x, y) = if site.component(x).is_some() { (x, y) } else { (y, x) };
    let (vector, index) = site.component(x)?;
    let freed = usize::from(site.facts.once(x));
    if y.as_const().is_some() {
        return Some(Step { vector, index, factor: Factor::Constant(y), freed });
    }
    let (other, at) = site.component(y).filter(|c| c.1 == index && site.size(c.0) == site.size(vector))?;
    // The same component of two vectors: a product is commutative.
    let (vector, other) = if other < vector { (other, vector) } else { (vector, other) };
    let freed = freed + usize::from(site.facts.once(y));
    (at == index).then_some(Step { vector, index, factor: Factor::Component(other), freed })
}
