//! Copies functions for constant arguments that decide something: a branch, the bound of a loop.
//!
//! ```text
//! before: call @power, %x, 4                  after: call @power_1, %x         power_1 = x * x * x * x
//! ```
//!
//! Each iteration copies the functions that the calls found so far ask for, one for each set of arguments, with the
//! arguments in place of the parameters, and simplifies the copies, loops unrolled. Their calls are those of the next iteration: `power(x, 4)` that calls
//! `power(x, 3)` becomes five functions, which the inliner then takes apart. Nothing calls a copy until all are made; only those
//! that pay are kept: that cost less than a copy without constants, which is simplified alike. A recursion whose arguments do not come to an end within the limits is left as it is.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::entity::{Const, Func, Local, Node, Value};
use planish_ir::function::{Body, Exit, Function};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::{ParamPlan, Plan, Plans, Specialize, Uses, apply_to_signature, callee, uses_of_functions};
use crate::call_graph::CallGraph;
use crate::context::{Context, Goal, RemarkKind};
use crate::inline_functions::{cost_of, inline_limit};
use crate::restage::{self, Stage, copy_node, restage, rewrite};

/// A copy that stays a function must save this fraction (one part in …) of its cost.
const WORTHWHILE_PART: u32 = 4;

/// A function and its constant arguments; `None` where one is not constant, or decides nothing.
type Key = (Func, SmallVec<[Option<Const>; 4]>);

/// A copy that is being considered.
struct Copy {
    key: Key,
    func: Func,
    cost: u32,
    /// The copies that it calls, by their keys.
    calls: Vec<Key>,
}

/// Copies that are being considered.
struct Copies {
    all: Vec<Copy>,
    by_key: FxHashMap<Key, usize>,
    /// By function: the parameters whose constants decide something in it.
    deciding: SideTable<Func, Vec<bool>>,
    /// By function: the number of its copies.
    count: SideTable<Func, u32>,
    /// By function: the index of its copy without constants.
    plain: SideTable<Func, Option<usize>>,
    /// Cost of copies that may still be made.
    budget: u32,
}

/// Runs on the module. Returns the uses of functions if they are as before.
pub(super) fn run(module: &mut Module, context: &mut Context) -> Option<SideTable<Func, Uses>> {
    let graph = CallGraph::new(module);
    let limits = context.options.limits;
    let mut copies = Copies {
        all: Vec::new(),
        by_key: FxHashMap::default(),
        deciding: SideTable::new(),
        count: SideTable::new(),
        plain: SideTable::new(),
        // As much is tried as may pay.
        budget: limits.copy_growth.saturating_mul(WORTHWHILE_PART),
    };
    let uses = uses_of_functions(module);
    let mut candidates = 0;
    for (func, function) in module.funcs.iter() {
        let Some(body) = function.body.as_ref().filter(|_| graph.calls_of(func) > 0) else { continue };
        let cost = cost_of(module, func, &context.options.costs(module));
        // A function that is inlined anyway sees its arguments there.
        let is_inlined = !graph.is_recursive(func) && cost <= inline_limit(module, func, &context.options);
        if function.stays_called() || is_inlined || cost > limits.copy_cost {
            continue;
        }
        let mut deciding = deciding(module, body);
        // A constant that every call passes becomes one of the function itself.
        let common = &uses[func].constants;
        let is_common = |i: usize| !uses[func].is_value && common.get(i).is_some_and(Option::is_some);
        deciding.iter_mut().enumerate().for_each(|(i, decides)| *decides &= !is_common(i));
        candidates += usize::from(deciding.contains(&true));
        copies.deciding[func] = deciding;
    }
    if candidates == 0 {
        return Some(uses);
    }
    let first = module.funcs.len();
    let mut callers: Vec<Func> = module.funcs.keys().collect();
    while !callers.is_empty() {
        callers = copies.round(module, context, &callers);
    }
    let kept = copies.choose(module, context, &graph);
    copies.keep(module, context, first, &kept);
    (!kept.contains(&true)).then_some(uses)
}

/// Identifies a copy of a function that has converged, as long as that is as it is; `None` for others. A hash collision can only
/// skip an optimization.
fn fingerprint(module: &Module, key: &Key) -> Option<u64> {
    let function = &module.funcs[key.0];
    let body = function.body.as_ref().filter(|body| body.note != 0)?;
    let mut hash = FxHasher::default();
    (&function.name.text, body.note, body.node_count(), body.local_count(), body.blocks.len(), &key.1).hash(&mut hash);
    Some(hash.finish())
}

impl Copies {
    /// Copies the functions that these call with constants. Returns the new functions.
    fn round(&mut self, module: &mut Module, context: &mut Context, callers: &[Func]) -> Vec<Func> {
        let mut wanted: Vec<Key> = Vec::new();
        for &caller in callers {
            let Some(body) = &module.funcs[caller].body else { continue };
            let keys = calls(body).filter_map(|node| self.key(module, body, node)).collect::<Vec<_>>();
            wanted.extend(keys);
        }
        let mut new: Vec<Func> = Vec::new();
        for key in wanted {
            let cost = cost_of(module, key.0, &context.options.costs(module)).max(1);
            let full = self.count[key.0] >= context.options.limits.copies || cost > self.budget;
            if full || self.by_key.contains_key(&key) {
                continue;
            }
            if fingerprint(module, &key).is_some_and(|copy| context.copies_refused.contains(&copy)) {
                continue;
            }
            self.count[key.0] += 1;
            self.budget -= cost;
            if self.plain[key.0].is_none() {
                self.plain[key.0] = Some(self.all.len());
                new.push(self.add(module, (key.0, key.1.iter().map(|_| None).collect())));
            }
            self.by_key.insert(key.clone(), self.all.len());
            new.push(self.add(module, key));
        }
        if new.is_empty() {
            return new;
        }
        let policy = restage::Policy { unroll: true, uncalled: true, ..restage::Policy::SIMPLIFY };
        let graph = CallGraph::new(module);
        let (from, to) = (new[0], new[new.len() - 1]);
        // The module is as it was until copies are kept.
        let changes = (context.changes, context.changed_nodes);
        rewrite(module, context, &policy, SideTable::new(), &graph, |func| (from..=to).contains(&func));
        (context.changes, context.changed_nodes) = changes;
        let first = self.all.len() - new.len();
        for index in first..self.all.len() {
            let func = self.all[index].func;
            let body = module.funcs[func].body.as_ref().expect("it is a copy");
            let calls = calls(body).filter_map(|node| self.key(module, body, node)).collect();
            self.all[index].calls = calls;
            self.all[index].cost = cost_of(module, func, &context.options.costs(module));
        }
        new
    }

    fn add(&mut self, module: &mut Module, key: Key) -> Func {
        let func = copy(module, &key);
        self.all.push(Copy { key, func, cost: 0, calls: Vec::new() });
        func
    }

    /// The copy that a call asks for.
    fn key(&self, module: &Module, body: &Body, node: Node) -> Option<Key> {
        let func = callee(body, node)?;
        let deciding = &self.deciding[func];
        let is_scalar = |c: &Const| matches!(module.types[module.consts[*c].ty], TypeKind::Scalar(_));
        let constant = |(i, arg): (usize, &Value)| {
            arg.as_const().filter(|c| deciding.get(i).is_some_and(|decides| *decides) && is_scalar(c))
        };
        let args: SmallVec<[Option<Const>; 4]> = body.args(node)[1..].iter().enumerate().map(constant).collect();
        args.iter().any(Option::is_some).then_some((func, args))
    }

    /// Which copies pay, and come to an end.
    fn choose(&self, module: &Module, context: &mut Context, graph: &CallGraph) -> Vec<bool> {
        let costs = context.options.costs(module);
        let mut kept = vec![false; self.all.len()];
        let mut growth = context.options.limits.copy_growth;
        for (index, root) in self.all.iter().enumerate() {
            let original = root.key.0;
            let Some(plain) = self.plain[original].filter(|&plain| plain != index && !kept[index]) else { continue };
            let whole = self.all[plain].cost;
            let (closure, ends) = self.closure(index, graph.is_recursive(original).then_some(graph));
            let cost: u32 = closure.iter().filter(|&&i| !kept[i]).map(|&i| self.all[i].cost).sum();
            let melts = closure.len() == 1 && root.cost <= inline_limit(module, original, &context.options);
            let saves = whole.saturating_sub(root.cost) >= (whole / WORTHWHILE_PART).max(1);
            // Cost that is left when they are all inlined into the call.
            let calls: usize = closure.iter().map(|&i| self.all[i].calls.len()).sum();
            let melted = cost.saturating_sub(costs.of(Op::Call).saturating_mul(calls as u32));
            let pays = match context.options.goal {
                Goal::Speed if closure.len() == 1 => melts || saves,
                Goal::Speed => melted <= whole.saturating_add(context.options.limits.unroll_growth),
                Goal::Size => melts || closure.len() > 1 && melted <= inline_limit(module, original, &context.options),
            };
            let name = &module.funcs[original].name.text;
            let span = module.funcs[original].span;
            if !ends || pays && cost > growth {
                let message = format!(
                    "`{name}` is not copied for {}: {}",
                    self.arguments(module, index),
                    match ends {
                        true => format!("the copies cost {cost}, and {growth} is left of the limit"),
                        false => "its recursion does not end within the limits".into(),
                    }
                );
                context.remark(RemarkKind::Limit, "NotCopied", module, original, span, message);
            } else if pays {
                growth -= cost;
                closure.into_iter().for_each(|i| kept[i] = true);
                let message = format!(
                    "`{name}` is copied for {}: cost {whole}, of the copy {cost}",
                    self.arguments(module, index)
                );
                context.remark(RemarkKind::Passed, "Copied", module, original, span, message);
            }
        }
        // The next iteration of the pipeline would try the same.
        let refused = self.all.iter().zip(&kept).filter(|(_, kept)| !**kept);
        context.copies_refused.extend(refused.filter_map(|(copy, _)| fingerprint(module, &copy.key)));
        kept
    }

    /// A copy with those that it needs if its function is recursive, and whether none of them calls a recursive function that was not
    /// copied.
    fn closure(&self, root: usize, recursive: Option<&CallGraph>) -> (Vec<usize>, bool) {
        let mut closure = vec![root];
        let Some(graph) = recursive else { return (closure, true) };
        let mut at = 0;
        while let Some(&index) = closure.get(at) {
            at += 1;
            for key in self.all[index].calls.iter().filter(|key| graph.is_recursive(key.0)) {
                match self.by_key.get(key) {
                    Some(&called) if !closure.contains(&called) => closure.push(called),
                    Some(_) => {}
                    None => return (closure, false),
                }
            }
        }
        (closure, true)
    }

    /// The arguments of a copy, for people.
    fn arguments(&self, module: &Module, index: usize) -> String {
        let text = |argument: &Option<Const>| match argument {
            Some(c) => planish_ir::text::const_text(module, *c),
            None => "_".into(),
        };
        format!("({})", self.all[index].key.1.iter().map(text).collect::<Vec<_>>().join(", "))
    }

    /// Drops the other copies, and lets calls be calls of those that are kept.
    fn keep(&self, module: &mut Module, context: &mut Context, first: usize, kept: &[bool]) {
        let made: Vec<Function> = self.all.iter().map(|copy| module.funcs[copy.func].clone()).collect();
        module.funcs.truncate(first);
        let mut by_key: FxHashMap<&Key, Func> = FxHashMap::default();
        for ((copy, function), _) in self.all.iter().zip(made).zip(kept).filter(|(_, kept)| **kept) {
            by_key.insert(&copy.key, module.funcs.push(function));
        }
        if by_key.is_empty() {
            return;
        }
        let size = |func: &Func| module.funcs[*func].body.as_ref().map_or(0, |body| body.node_count() as u64);
        context.changed_by(by_key.values().map(size).sum());
        let funcs: Vec<Func> = module.funcs.keys().collect();
        for func in funcs {
            let Some(body) = &module.funcs[func].body else { continue };
            let asks = |node| self.key(module, body, node).is_some_and(|key| by_key.contains_key(&key));
            if calls(body).any(asks) {
                let policy = Policy { form: body.form, ..Policy::PLAIN };
                let keys = calls(body).filter_map(|node| {
                    let key = self.key(module, body, node)?;
                    Some((node, (*by_key.get(&key)?, key.1)))
                });
                restage(module, func, policy, &mut Redirect { calls: keys.collect() });
            }
        }
    }
}

/// Adds a copy of a function to the module, its constant arguments in place of its parameters.
fn copy(module: &mut Module, (original, args): &Key) -> Func {
    let mut function = module.funcs[*original].clone();
    let name = function.name.text.clone();
    let is_taken = |name: &str| module.funcs.values().any(|f| &*f.name.text == name);
    // A copy without constants is only measured.
    if args.iter().any(Option::is_some) {
        let free = (1..).map(|n| format!("{name}_{n}")).find(|name| !is_taken(name));
        function.name.text = Arc::from(free.expect("some number is free"));
    }
    let body = function.body.as_mut().expect("only functions with a body are copied");
    let declared: Vec<_> = body.blocks.values().flat_map(|block| block.variables.iter().copied()).collect();
    let mut new = FxHashMap::default();
    for var in declared {
        let data = module.vars[var].clone();
        new.insert(var, module.vars.push(data));
    }
    body.renumber_variables(|var| new.get(&var).copied().unwrap_or(var));
    let policy = Policy { form: body.form, ..Policy::PLAIN };
    let params = args.iter().map(|arg| arg.map_or(ParamPlan::Keep, ParamPlan::Constant)).collect();
    let plan = Plan { params, results: vec![true; function.results.len()] };
    let func = module.funcs.push(function);
    apply_to_signature(module, func, &plan);
    let plans = Plans(SideTable::new());
    restage(module, func, policy, &mut Specialize { plans: &plans, own: Some(&plan) });
    func
}

fn calls(body: &Body) -> impl Iterator<Item = Node> {
    let nodes = walk::blocks(body).flat_map(|block| body.blocks[block].nodes.iter().copied());
    nodes.filter(|&node| callee(body, node).is_some())
}

/// For each parameter of a function, whether it decides a branch, a choice or the end of a loop.
fn deciding(module: &Module, body: &Body) -> Vec<bool> {
    // By local: the parameters that it depends on, one bit each; parameters beyond the last bit decide nothing.
    let mut made_of: SideTable<Local, u64> = SideTable::with_capacity(body.local_count());
    let params = &body.blocks[body.entry].inputs;
    for (i, &param) in params.iter().enumerate().take(64) {
        made_of[param] = 1 << i;
    }
    let mut decided = 0;
    let of = |made_of: &SideTable<Local, u64>, value: Value| value.as_local().map_or(0, |local| made_of[local]);
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            let data = body.node(node);
            if !module.floats(body, data.op, body.args(node)) {
                continue;
            }
            let bits = body.args(node).iter().fold(0, |bits, &arg| bits | of(&made_of, arg));
            body.results(node).for_each(|result| made_of[result] = bits);
            if data.op == Op::Select {
                decided |= of(&made_of, body.args(node)[0]);
            }
        }
        match &body.blocks[block].exit {
            Exit::If { condition: value, .. }
            | Exit::Switch { selector: value, .. }
            | Exit::LoopIf { condition: value, .. } => decided |= of(&made_of, *value),
            _ => {}
        }
    }
    (0..params.len()).map(|i| i < 64 && decided >> i & 1 != 0).collect()
}

/// Constant arguments of a call by parameter; `None` for others.
type Constants = SmallVec<[Option<Const>; 4]>;

/// Lets calls be calls of copies.
struct Redirect {
    calls: FxHashMap<Node, (Func, Constants)>,
}

impl Stage for Redirect {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let Some((copy, constants)) = self.calls.get(&node) else { return copy_node(old, node, args, builder) };
        let kept = args[1..].iter().zip(constants).filter(|(_, constant)| constant.is_none()).map(|(arg, _)| *arg);
        let operands: SmallVec<[Value; 8]> = std::iter::once(Value::from(*copy)).chain(kept).collect();
        let precision = Some(old.node(node).precision);
        builder.make_all(Request { precision, ..Request::new(Op::Call, &operands) })
    }
}
