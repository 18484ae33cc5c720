//! Temporaries around a call, `t = p; f(t); p = t`, which the output does without: `f(p)`, `f(&p)`.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Node, Value, Var};
use planish_ir::function::{Body, Direction};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, Op};
use rustc_hash::FxHashMap;

use crate::effects::region_of;

/// Maximum distance of a copy from its call, in nodes.
const WINDOW: usize = 128;

/// Arguments that take the place of a temporary, and the nodes that copied to and from it.
#[derive(Default)]
pub(crate) struct Copies {
    /// By call and operand number: the pointer to pass.
    pub(crate) passed: FxHashMap<(Node, usize), Value>,
    /// Loads and stores that the call now does itself.
    pub(crate) absorbed: Vec<Node>,
}

/// Number of uses of each value and variable as an operand.
pub(crate) struct Mentions<'a> {
    pub(crate) locals: &'a SideTable<Local, u32>,
    pub(crate) vars: &'a SideTable<Var, u32>,
    /// Whether calls take pointers to parts, too.
    pub(crate) any_pointer: bool,
}

/// Finds the copies around call number `at` of a block's nodes.
pub(crate) fn find(module: &Module, body: &Body, mentions: &Mentions<'_>, nodes: &[Node], at: usize, out: &mut Copies) {
    let call = nodes[at];
    let args = body.args(call);
    let Some(callee) = args[0].as_func() else { return };
    let params = &module.funcs[callee].params;
    let into = copies_in(body, nodes, at);
    let from = copies_out(body, mentions, nodes, at);
    let mut chosen: Vec<(usize, Value, [Option<Node>; 4])> = Vec::new();
    for (i, (param, &arg)) in params.iter().zip(&args[1..]).enumerate() {
        let Some(temporary) = arg.as_var() else { continue };
        let Some(&(_, pointer, load_out, store_out)) = from.iter().find(|f| f.0 == temporary) else { continue };
        let is_like_temporary =
            || pointer.as_var().is_some_and(|v| module.vars[v].space == module.vars[temporary].space);
        if !mentions.any_pointer && !is_like_temporary() {
            continue;
        }
        if module.vars[temporary].initializer.is_some() || !is_known_before(body, pointer, &nodes[at + 1..]) {
            continue;
        }
        let (expected, nodes_in) = match param.direction {
            Direction::In => continue,
            Direction::Out => (2, [None, None]),
            Direction::InOut | Direction::NoAlias => {
                let Some(&(_, value, store_in)) = into.iter().find(|f| f.0 == temporary) else { continue };
                let Some(load_in) = body.node_of(value) else { continue };
                let same = body.node(load_in).op == Op::Load
                    && body.args(load_in)[0] == pointer
                    && value.as_local().is_some_and(|l| mentions.locals[l] == 1)
                    && nodes[at.saturating_sub(WINDOW)..at].contains(&load_in)
                    && nothing_written_since(body, nodes, load_in, at, &into);
                if !same {
                    continue;
                }
                (3, [Some(load_in), Some(store_in)])
            }
        };
        if mentions.vars[temporary] == expected {
            chosen.push((i + 1, pointer, [nodes_in[0], nodes_in[1], Some(load_out), Some(store_out)]));
        }
    }
    // Memory that two arguments may share is copied back in an order that GLSL leaves undefined.
    let others: Vec<(usize, Value)> = (1..args.len())
        .filter(|&i| params.get(i - 1).is_some_and(|p| p.direction != Direction::In))
        .map(|i| (i, chosen.iter().find(|c| c.0 == i).map_or(args[i], |c| c.1)))
        .collect();
    for (i, pointer, copies) in chosen {
        let shared = others.iter().any(|&(j, other)| j != i && may_overlap(module, body, pointer, other));
        if !shared {
            out.passed.insert((call, i), pointer);
            out.absorbed.extend(copies.into_iter().flatten());
        }
    }
}

/// Whether a pointer can be written at a call that `after` follow: it was made before, or leads to a fixed place.
fn is_known_before(body: &Body, mut pointer: Value, after: &[Node]) -> bool {
    let mut fixed = true;
    while let Some(node) = body.node_of(pointer) {
        let made_after = after.iter().take(WINDOW).any(|&n| n == node);
        let args = body.args(node);
        if body.node(node).op.info().class != Class::Access {
            return !made_after;
        }
        fixed &= args[1..].iter().all(|i| i.as_const().is_some());
        if made_after && !fixed {
            return false;
        }
        pointer = args[0];
    }
    true
}

/// Stores to variables just before the call: variable, value, node.
fn copies_in(body: &Body, nodes: &[Node], at: usize) -> Vec<(Var, Value, Node)> {
    let mut found = Vec::new();
    for &node in nodes[at.saturating_sub(WINDOW)..at].iter().rev() {
        let data = body.node(node);
        match (data.op, body.args(node)) {
            (Op::Store, &[pointer, value]) => match pointer.as_var() {
                Some(var) => found.push((var, value, node)),
                None => break,
            },
            _ if matches!(data.op.info().effect, Effect::Pure | Effect::Load | Effect::Quad | Effect::Subgroup) => {}
            _ => break,
        }
    }
    found
}

/// Whether nothing but the copies in is stored between `load` and the call.
fn nothing_written_since(body: &Body, nodes: &[Node], load: Node, at: usize, into: &[(Var, Value, Node)]) -> bool {
    nodes[..at].iter().rev().take_while(|&&n| n != load).all(|&n| {
        matches!(body.node(n).op.info().effect, Effect::Pure | Effect::Load | Effect::Quad | Effect::Subgroup)
            || into.iter().any(|c| c.2 == n && is_own_variable(body, n))
    })
}

/// A store to a variable as a whole. The number of its mentions shows that it has no other uses.
fn is_own_variable(body: &Body, store: Node) -> bool {
    body.args(store)[0].as_var().is_some()
}

/// Variables that are copied somewhere just after the call: variable, where to, the load, the store.
fn copies_out(body: &Body, mentions: &Mentions<'_>, nodes: &[Node], at: usize) -> Vec<(Var, Value, Node, Node)> {
    let mut found = Vec::new();
    let mut loaded: FxHashMap<Local, (Var, Node)> = FxHashMap::default();
    for &node in nodes[at + 1..].iter().take(WINDOW) {
        let data = body.node(node);
        let args = body.args(node);
        match data.op {
            Op::Load => match (args[0].as_var(), body.result(node)) {
                (Some(var), Some(result)) if mentions.locals[result] == 1 => {
                    loaded.insert(result, (var, node));
                }
                _ => break,
            },
            Op::Store => match args[1].as_local().and_then(|l| loaded.remove(&l)) {
                Some((var, load)) => found.push((var, args[0], load, node)),
                None => break,
            },
            op if op.info().class == Class::Access => {}
            _ => break,
        }
    }
    found
}

/// Whether two pointers may lead to the same memory, by their last step from a common base.
fn may_overlap(module: &Module, body: &Body, a: Value, b: Value) -> bool {
    if region_of(module, body, a) != region_of(module, body, b) {
        return false;
    }
    let (Some(x), Some(y)) = (body.node_of(a), body.node_of(b)) else { return true };
    let (x_args, y_args) = (body.args(x), body.args(y));
    let (x_data, y_data) = (body.node(x), body.node(y));
    if x_args[0] != y_args[0] || x_data.op != y_data.op {
        return true;
    }
    match x_data.op {
        Op::AccessStructField | Op::AccessVectorComponent => x_data.imm == y_data.imm,
        Op::AccessVectorComponentMulti => {
            let (l, m) = (x_data.imm.as_lanes(), y_data.imm.as_lanes());
            l.iter().any(|a| m.iter().any(|b| a == b))
        }
        Op::AccessArrayElement | Op::AccessMatrixColumn => match (x_args[1].as_const(), y_args[1].as_const()) {
            (Some(i), Some(j)) => i == j,
            _ => true,
        },
        _ => true,
    }
}
