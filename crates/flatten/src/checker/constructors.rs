//! Optimize: constructors of isomorphic lanes, for which one vector op could replace several scalar ones.
//!
//! A constructor counts if all its operands are scalars. Uniform lanes are free, and are not combined with varying
//! ones.

use planish_ir::entity::{Node, Value};
use planish_ir::meaning::kernel;
use planish_ir::ops::{Op, Rule};
use planish_ir::types::Scalar;
use smallvec::SmallVec;

use super::constants::is_normal;
use super::view::{Expr, View, float};

/// Maximum depth of nested ops that are combined.
const MAX_DEPTH: u32 = 8;

type Side = SmallVec<[Value; 4]>;

/// Lanes with one op whose operands are constants, equal scalars, components of one vector, or such lanes again:
/// `vector(v.x + 0.1, v.y + 0.2)` is `v + (0.1, 0.2)`. Exact; if fewer nodes remain.
pub(super) fn vectorizable_lanes(view: &View<'_>, node: Node) -> Option<String> {
    let args = scalar_lanes(view, node)?;
    // The constructor is removed as well.
    let saved = 1 + saved_by_vector(view, node, args, MAX_DEPTH)?;
    (saved > 0).then(|| {
        let op = view.definition(args[0]).map_or("", |e| e.op.text());
        format!("the lanes of `{}` could be one `{op}` of vectors", view.show_deep(node))
    })
}

/// Lanes that are all multiplied or divided by one scalar: `vector(a * g, b * g)` is `vector(a, b) * g`. Exact.
pub(super) fn shared_factor(view: &View<'_>, node: Node) -> Option<String> {
    let lanes = same_op(view, node, scalar_lanes(view, node)?)?;
    let shared = |value: Value| match lanes[0].op {
        Op::Multiply => lanes.iter().all(|l| l.args.contains(&value)),
        _ => lanes.iter().all(|l| l.args[1] == value),
    };
    let value = match lanes[0].op {
        Op::Multiply => lanes[0].args.iter().copied().find(|&a| shared(a))?,
        Op::Divide => Some(lanes[0].args[1]).filter(|&a| shared(a))?,
        _ => return None,
    };
    Some(format!("all lanes of `{}` share `{}`", view.show_deep(node), view.show(value)))
}

/// Most lanes are multiplied by one constant, the others by other constants, or are constants, which are divided by it:
/// `vector(x * 13.0, y * 13.0, z * 12.0)` is `vector(x, y, z * (12.0 / 13.0)) * 13.0`. With laws; if fewer
/// multiplications remain.
pub(super) fn majority_factor(view: &View<'_>, node: Node) -> Option<String> {
    let args = scalar_lanes(view, node)?;
    let scalar = view.lane_type(node).filter(|s| s.is_float())?;
    if !view.is_fast(node) {
        return None;
    }
    let mut multiplications = 0;
    let mut constants: SmallVec<[u64; 4]> = SmallVec::new();
    let mut others = 0;
    for &arg in args {
        match constant_factor(view, node, arg) {
            Some(factor) => {
                multiplications += 1;
                constants.push(factor);
            }
            None => others += u32::from(arg.as_const().is_none()),
        }
    }
    let count = |&c: &u64| constants.iter().filter(|&&other| other == c).count();
    let &most = constants.iter().max_by_key(|&c| count(c))?;
    let shared = count(&most);
    let usable = float(scalar, most).is_some_and(|c| is_normal(scalar, c) && is_normal(scalar, 1.0 / c));
    let after = 1 + (multiplications - shared) as u32 + others;
    let pays = usable && 2 * shared > args.len() && shared < args.len() && after < multiplications as u32;
    pays.then(|| format!("most lanes of `{}` share a constant factor", view.show_deep(node)))
}

/// The operands of a constructor of scalars.
fn scalar_lanes<'a>(view: &View<'a>, node: Node) -> Option<&'a [Value]> {
    let Expr { op: Op::ConstructVectorFromMultiple, args, .. } = view.expr(node) else { return None };
    let scalar = view.lane_type(node)?;
    let plain = |&a: &Value| view.size_of(a) == Some(1) && view.scalar_of(a) == Some(scalar);
    (args.len() > 1 && args.iter().all(plain)).then_some(args)
}

/// The nodes of lanes, if they are distinct, of one componentwise op, and used by this constructor only.
fn same_op<'a>(view: &View<'a>, user: Node, lanes: &[Value]) -> Option<SmallVec<[Expr<'a>; 4]>> {
    let first = view.definition(*lanes.first()?)?;
    let alike = |&lane: &Value| {
        let expr = view.definition(lane).filter(|e| e.op == first.op && e.imm == first.imm)?;
        let types = expr.args.iter().zip(first.args).all(|(&a, &b)| view.type_of(a) == view.type_of(b));
        let own = view.once(lane) && !view.is_preshaded(lane, user);
        let precise = view.body.node(expr.node).precise == view.body.node(first.node).precise;
        (types && own && precise).then_some(expr)
    };
    let componentwise = matches!(first.op.info().rule, Rule::Same(..))
        && kernel(first.op, view.scalar_of(*first.args.first()?).unwrap_or(Scalar::Bool)).is_some();
    componentwise.then(|| lanes.iter().map(alike).collect()).flatten()
}

/// Number of nodes saved if lanes become one vector op, the constructor not counted; `None` if they cannot.
/// Recursion: at most [`MAX_DEPTH`] levels of operands.
fn saved_by_vector(view: &View<'_>, user: Node, lanes: &[Value], depth: u32) -> Option<i32> {
    let exprs = same_op(view, user, lanes)?;
    let mut saved = exprs.len() as i32 - 1;
    for side in 0..exprs[0].args.len() {
        let side: Side = exprs.iter().map(|e| e.args[side]).collect();
        saved += match () {
            () if side.iter().all(|a| a.as_const().is_some()) || side.iter().all(|&a| a == side[0]) => 0,
            () => match saved_by_swizzle(view, user, &side) {
                Some(saved) => saved,
                None if depth > 0 => saved_by_vector(view, exprs[0].node, &side, depth - 1)?,
                None => return None,
            },
        };
    }
    Some(saved)
}

/// Number of nodes saved if components of one vector are read at once.
fn saved_by_swizzle(view: &View<'_>, user: Node, side: &[Value]) -> Option<i32> {
    let (vector, _) = view.component(side[0])?;
    let mut natural = view.size_of(vector) == Some(side.len() as u8);
    let mut saved = 0;
    for (&value, at) in side.iter().zip(0..) {
        let (of, index) = view.component(value)?;
        if of != vector {
            return None;
        }
        natural &= index == at;
        saved += i32::from(view.once(value) && !view.is_preshaded(value, user));
    }
    Some(saved - i32::from(!natural && !view.is_preshaded(vector, user)))
}

/// The constant factor of a lane whose product only the constructor uses.
fn constant_factor(view: &View<'_>, user: Node, lane: Value) -> Option<u64> {
    let product = view.definition_with(lane, Op::Multiply).filter(|p| view.is_fast(p.node))?;
    let own = view.once(lane) && !view.is_preshaded(lane, user);
    let constant = product.args.iter().find_map(|&a| view.bits(a))?;
    own.then_some(constant[0])
}
