//! Fold: components of values with known components, and vectors of such.

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::text::lane;
use super::view::{Expr, View};

/// Maximum depth of nested constructors that are traced.
const MAX_DEPTH: u32 = 4;

/// Source of a component of a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// A scalar.
    Scalar(Value),
    /// A component of a vector that is not a constructor.
    Part(Value, u8),
}

type Lanes = SmallVec<[Lane; 4]>;

/// A load of a component of an input or uniform is a component of the whole vector, which other components share.
pub(super) fn component_load(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::Load, args, .. } = view.expr(node) else { return None };
    let pointer = view.definition_with(args[0], Op::AccessVectorComponent)?;
    let is_constant = view.module.floats(view.body, Op::Load, pointer.args);
    is_constant.then(|| format!("`{}` could be a component of `{}`", view.show_deep(node), view.show(pointer.args[0])))
}

/// A component of a constructor, a splat, a swizzle or a vector with an inserted component is the scalar, or the
/// component of the operand: `vector(a, b).y` is `b`, `v.zy.x` is `v.z`.
pub(super) fn lane_of_known(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let index = match expr.op {
        Op::ExtractVectorComponent => expr.imm.as_index() as u8,
        Op::ExtractVectorComponentDynamic => u8::try_from(view.bits(expr.args[1])?[0]).ok()?,
        _ => return None,
    };
    let found = known_lane(view, expr.args[0], index)?;
    Some(format!("`{}` could be `{}`", view.show_deep(node), show_lane(view, found)))
}

/// A swizzle of such a vector, in its cheapest form: one whole vector, one swizzle, a splat, or a narrower constructor
/// if the vector has no other user. Not if it would need a component of a vector that the swizzle did not read by
/// itself: `vector(v, s).yz` of a `v` with two components stays.
pub(super) fn swizzle_of_known(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::ExtractVectorComponentMulti, args: &[base], imm, .. } = view.expr(node) else { return None };
    let lanes = imm.as_lanes();
    let is = |what: String| Some(format!("`{}` could be {what}", view.show_deep(node)));
    if lanes.is_prefix() && Some(lanes.len()) == view.size_of(base).map(usize::from) {
        return is(format!("`{}`", view.show(base)));
    }
    let found: Lanes = lanes.iter().map(|i| known_lane(view, base, i)).collect::<Option<_>>()?;
    let read: Lanes = found.iter().map(|&l| read(view, l)).collect();
    if let Some(whole) = one_vector(view, &found).or_else(|| one_vector(view, &read)) {
        return is(whole);
    }
    (view.once(base) && is_cheap(view, &found)).then(|| is("a narrower constructor".to_owned())).flatten()
}

/// A constructor of the components of one vector is that vector or a swizzle of it, and one of equal scalars a splat:
/// `vector(v.x, v.y)` is `v.xy`, `vector(a, a)` is a splat of `a`.
pub(super) fn constructor_of_lanes(view: &View<'_>, node: Node) -> Option<String> {
    let args = constructor(view, node)?;
    if args.len() < 2 {
        return None;
    }
    let lanes = lanes_of(view, args, view.size_of(view.result(node)?)?, 0)?;
    let read: Lanes = lanes.iter().map(|&l| read(view, l)).collect();
    let better = one_vector(view, &read)?;
    Some(format!("`{}` could be {better}", view.show_deep(node)))
}

/// A constructor in a constructor, without other users, can be merged into it.
pub(super) fn nested_constructor(view: &View<'_>, node: Node) -> Option<String> {
    let args = constructor(view, node)?;
    let inner = |&&arg: &&Value| view.once(arg) && (is_constructor(view, arg) || view.splat_of(arg).is_some());
    let inner = args.iter().find(inner)?;
    let whole: usize = args.iter().map(|&a| usize::from(view.size_of(a).unwrap_or(0))).sum();
    let fits = whole == usize::from(view.size_of(view.result(node)?)?);
    fits.then(|| format!("`{}` could take the components of `{}`", view.show_deep(node), view.show(*inner)))
}

/// An insertion into a constructor, a constant or a splat is a constructor; an earlier insertion into the same
/// component is dead; an insertion of the component itself changes nothing; and insertions into all components are a
/// constructor. Only through values without other users.
pub(super) fn insert_into_known(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::InsertVectorComponent, args: &[base, part], imm, .. } = view.expr(node) else { return None };
    let (index, text) = (imm.as_index() as u8, view.show_deep(node));
    if view.component(part) == Some((base, index)) {
        return Some(format!("`{text}` could be `{}`", view.show(base)));
    }
    let size = view.size_of(base)?;
    let (mut covered, mut at) = (1u32 << index, base);
    // A vector has at most four components: longer chains overwrite one.
    while let Some(inner) = view.definition_with(at, Op::InsertVectorComponent).filter(|_| view.once(at)) {
        let other = 1u32 << inner.imm.as_index();
        if covered & other != 0 {
            return Some(format!("`{}` is replaced in `{text}`", view.show(inner.args[1])));
        }
        covered |= other;
        at = inner.args[0];
    }
    let is_scalar = |args: &[Value]| {
        let mut ends = args.iter().scan(0, |end, &a| {
            *end += view.size_of(a).unwrap_or(0);
            Some((a, *end))
        });
        ends.find(|&(_, end)| end > index).is_some_and(|(a, _)| view.size_of(a) == Some(1))
    };
    let parts = constructor_of(view, at).filter(|_| view.once(at));
    let known = at == base && parts.is_some_and(is_scalar) || view.splat_of(at).is_some() && view.once(at);
    let all = covered == (1 << size) - 1;
    (known || all || at.as_const().is_some()).then(|| format!("`{text}` could be a constructor"))
}

/// A componentwise op on splats, and on constants that are splats, is a splat of the op on the scalars. Only if all
/// users are componentwise: these take scalars, others would need the splat.
pub(super) fn splat_operands(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let result = view.result(node)?;
    let is_vector = |v| view.size_of(v).is_some_and(|n| n > 1);
    if !view.is_componentwise(node) || !view.is_used_by_component(result) {
        return None;
    }
    let mut splats = expr.args.iter().filter(|&&a| view.splat_of(a).is_some()).peekable();
    let even = |&a: &Value| !is_vector(a) || view.splat_of(a).is_some() || view.is_even_constant(a);
    let known = is_vector(result) && splats.peek().is_some() && expr.args.iter().all(even);
    known.then(|| format!("`{}` could be a splat of the operation on scalars", view.show_deep(node)))
}

/// The operands of a constructor of vectors without conversion.
fn constructor<'a>(view: &View<'a>, node: Node) -> Option<&'a [Value]> {
    let expr = view.expr(node);
    let scalar = view.scalar_of(view.result(node)?)?;
    let plain = |&a: &Value| {
        let ty = view.type_of(a);
        view.module.types.scalar_of(ty) == Some(scalar) && view.module.types.vector_size(ty).is_some()
    };
    (expr.op == Op::ConstructVectorFromMultiple && expr.args.iter().all(plain)).then_some(expr.args)
}

fn constructor_of<'a>(view: &View<'a>, value: Value) -> Option<&'a [Value]> {
    constructor(view, view.body.node_of(value)?)
}

fn is_constructor(view: &View<'_>, value: Value) -> bool {
    constructor_of(view, value).is_some()
}

/// The sources of all components of a constructor.
/// Recursion: with `trace`, at most [`MAX_DEPTH`] levels of constructors.
fn lanes_of(view: &View<'_>, args: &[Value], size: u8, depth: u32) -> Option<Lanes> {
    let mut lanes = Lanes::new();
    for &arg in args {
        match view.size_of(arg)? {
            1 => lanes.push(Lane::Scalar(arg)),
            n => lanes.extend((0..n).map(|i| trace(view, arg, i, depth))),
        }
    }
    lanes.truncate(size.into());
    Some(lanes)
}

/// The source of a component; itself, if unknown.
fn trace(view: &View<'_>, vector: Value, index: u8, depth: u32) -> Lane {
    let unknown = Lane::Part(vector, index);
    let Some(expr) = view.definition(vector).filter(|_| depth < MAX_DEPTH) else { return unknown };
    match expr.op {
        Op::ConstructVectorFromScalar => view.splat_of(vector).map_or(unknown, Lane::Scalar),
        Op::ExtractVectorComponentMulti => trace(view, expr.args[0], expr.imm.as_lanes().get(index.into()), depth + 1),
        Op::InsertVectorComponent if expr.imm.as_index() == u32::from(index) => Lane::Scalar(expr.args[1]),
        Op::InsertVectorComponent => trace(view, expr.args[0], index, depth + 1),
        Op::ConstructVectorFromMultiple => {
            let lanes =
                constructor(view, expr.node).and_then(|args| lanes_of(view, args, view.size_of(vector)?, depth + 1));
            lanes.map_or(unknown, |l| l[usize::from(index)])
        }
        _ => unknown,
    }
}

/// The source of a component, if it is not the vector itself.
fn known_lane(view: &View<'_>, vector: Value, index: u8) -> Option<Lane> {
    // A dynamic index would be clamped.
    let index = index.min(view.size_of(vector)? - 1);
    let lane = trace(view, vector, index, 0);
    (lane != Lane::Part(vector, index)).then_some(lane)
}

/// A scalar that was extracted from a vector, as a component of it.
fn read(view: &View<'_>, lane: Lane) -> Lane {
    let Lane::Scalar(scalar) = lane else { return lane };
    view.component(scalar).map_or(lane, |(vector, index)| Lane::Part(vector, index))
}

/// Description of components that all belong to one vector, or are the same scalar.
fn one_vector(view: &View<'_>, lanes: &[Lane]) -> Option<String> {
    let first = *lanes.first()?;
    if let Lane::Scalar(scalar) = first {
        return lanes.iter().all(|&l| l == first).then(|| format!("a splat of `{}`", view.show(scalar)));
    }
    let Lane::Part(vector, _) = first else { return None };
    let mut text = String::new();
    for &lane_of in lanes {
        let Lane::Part(of, index) = lane_of else { return None };
        if of != vector {
            return None;
        }
        text.push(lane(index));
    }
    let whole = view.size_of(vector)? as usize == lanes.len() && "xyzw".starts_with(&text);
    Some(if whole { format!("`{}`", view.show(vector)) } else { format!("`{}.{text}`", view.show(vector)) })
}

/// Whether a constructor of these components reads every vector whole.
fn is_cheap(view: &View<'_>, lanes: &[Lane]) -> bool {
    let mut at = 0;
    while let Some(&lane) = lanes.get(at) {
        let Lane::Part(vector, _) = lane else {
            at += 1;
            continue;
        };
        if vector.as_const().is_some() {
            at += 1;
            continue;
        }
        let Some(size) = view.size_of(vector) else { return false };
        let run = lanes[at..].iter().take(size.into());
        let whole =
            run.clone().count() == usize::from(size) && run.zip(0..).all(|(&l, index)| l == Lane::Part(vector, index));
        if !whole {
            return false;
        }
        at += usize::from(size);
    }
    true
}

fn show_lane(view: &View<'_>, found: Lane) -> String {
    match found {
        Lane::Scalar(scalar) => view.show(scalar),
        Lane::Part(vector, index) => format!("{}.{}", view.show(vector), lane(index)),
    }
}
