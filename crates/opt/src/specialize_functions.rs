//! Makes functions fit their calls: parameters that are the same constant at every call become that constant, and parameters
//! and unused results go.
//!
//! ```text
//! before: fn @f(%x, %n, %unused) { return %x * %n }        after: fn @f(%x) { return %x * 2.0 }
//!         call @f %a, 2.0, %b                                      call @f %a
//! ```
//!
//! A function whose constant arguments differ from call to call is copied for each set of them ([`copies`]), where that pays.
//!
//! Holds before: placed functions. Left alone: entry points, imports, and functions that are used as values.

mod copies;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::entity::{Const, Func, Node, Value, ValueKind};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;
use smallvec::SmallVec;

use crate::context::{Context, RemarkKind};
use crate::restage::{Stage, copy_node, restage};

/// Runs on the module.
pub fn run(module: &mut Module, context: &mut Context) {
    let uses = copies::run(module, context).unwrap_or_else(|| uses_of_functions(module));
    let plans = Plans::find(module, &uses);
    let changed: Vec<Func> = module.funcs.keys().filter(|&f| plans.of(f).is_some()).collect();
    if changed.is_empty() {
        return;
    }
    context.changed_by(changed.len() as u64);
    for &func in &changed {
        let plan = plans.of(func).expect("it has one");
        let name = &module.funcs[func].name.text;
        let gone = plan.params.iter().filter(|p| **p != ParamPlan::Keep).count();
        let unused = plan.results.iter().filter(|keeps| !**keeps).count();
        let message = format!("`{name}` loses {gone} parameters and {unused} results that its calls do not need");
        let span = module.funcs[func].span;
        context.remark(RemarkKind::Passed, "Specialized", module, func, span, message);
        apply_to_signature(module, func, plan);
    }
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        let calls = |n: Node| callee(body, n).is_some_and(|f| plans.of(f).is_some());
        let concerned = plans.of(func).is_some() || body.nodes().any(|(n, _)| calls(n));
        if concerned {
            let policy = Policy { form: body.form, ..Policy::PLAIN };
            restage(module, func, policy, &mut Specialize { plans: &plans, own: plans.of(func) });
        }
    }
}

/// The change of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ParamPlan {
    Keep,
    Constant(Const),
    Unused,
}

/// The change of a function.
#[derive(Clone, Debug)]
struct Plan {
    params: Vec<ParamPlan>,
    /// Which results are kept.
    results: Vec<bool>,
}

/// The change of each function; `None`: it stays as it is.
struct Plans(SideTable<Func, Option<Plan>>);

impl Plans {
    fn of(&self, func: Func) -> Option<&Plan> {
        self.0[func].as_ref()
    }

    fn find(module: &Module, uses: &SideTable<Func, Uses>) -> Plans {
        let mut plans = Plans(SideTable::new());
        for (func, function) in module.funcs.iter().filter(|(_, f)| f.body.is_some()) {
            let uses = &uses[func];
            if uses.is_value || uses.calls == 0 {
                continue;
            }
            let used = &uses.params;
            let params: Vec<ParamPlan> = (0..function.params.len())
                .map(|i| match uses.constants.get(i).copied().flatten() {
                    _ if !used[i] => ParamPlan::Unused,
                    Some(constant) => ParamPlan::Constant(constant),
                    None => ParamPlan::Keep,
                })
                .collect();
            let results: Vec<bool> = (0..function.results.len()).map(|i| uses.results.get(i) == Some(&true)).collect();
            if params.iter().any(|p| *p != ParamPlan::Keep) || results.contains(&false) {
                plans.0[func] = Some(Plan { params, results });
            }
        }
        plans
    }
}

/// The uses of a function: the properties that all of its calls have in common.
#[derive(Clone, Debug, Default)]
struct Uses {
    /// The host or an indirect call may call it as well.
    is_value: bool,
    calls: u32,
    /// The constant that every call passes.
    constants: Vec<Option<Const>>,
    /// Which results some call uses.
    results: Vec<bool>,
    /// Which parameters the function uses.
    params: Vec<bool>,
}

/// The calls and other uses of each function.
fn uses_of_functions(module: &Module) -> SideTable<Func, Uses> {
    let mut uses: SideTable<Func, Uses> = SideTable::new();
    for func in module.roots() {
        uses[func].is_value = true;
    }
    // A function that is to be flattened, or that the target has, is wanted as it is called.
    for (func, _) in module.funcs.iter().filter(|(_, f)| f.stays_called()) {
        uses[func].is_value = true;
    }
    for (func, function) in module.funcs.iter() {
        let Some(body) = &function.body else { continue };
        uses[func].params = look_at_calls(body, &mut uses);
    }
    uses
}

fn callee(body: &Body, node: Node) -> Option<Func> {
    if body.node(node).op != Op::Call {
        return None;
    }
    body.args(node).first()?.as_func()
}

/// Merges the properties of the calls in a function with those of others, and notes the parameters the function uses.
fn look_at_calls(body: &Body, uses: &mut SideTable<Func, Uses>) -> Vec<bool> {
    let mut used: SideTable<planish_ir::entity::Local, bool> = SideTable::with_capacity(body.local_count());
    let blocks: Vec<_> = walk::blocks(body).collect();
    let mut meet = |value: Value| match value.kind() {
        ValueKind::Local(local) => used[local] = true,
        ValueKind::Func(func) => uses[func].is_value = true,
        ValueKind::Const(_) | ValueKind::Var(_) => {}
    };
    let mut calls: Vec<(Node, Func)> = vec![];
    for &block in &blocks {
        for &node in &body.blocks[block].nodes {
            let called = callee(body, node);
            calls.extend(called.map(|func| (node, func)));
            body.args(node)[usize::from(called.is_some())..].iter().copied().for_each(&mut meet);
        }
        body.blocks[block].exit.for_each_operand(&mut meet);
    }
    for (node, func) in calls {
        let known = &mut uses[func];
        let constants: Vec<Option<Const>> = body.args(node)[1..].iter().map(|a| a.as_const()).collect();
        if known.calls == 0 {
            known.constants = constants;
        } else {
            for (common, other) in known.constants.iter_mut().zip(constants) {
                *common = common.filter(|&c| Some(c) == other);
            }
        }
        known.calls += 1;
        let results: Vec<bool> = body.results(node).map(|r| used[r]).collect();
        known.results.resize(results.len(), false);
        known.results.iter_mut().zip(results).for_each(|(any, this)| *any |= this);
    }
    body.blocks[body.entry].inputs.iter().map(|&input| used[input]).collect()
}

fn apply_to_signature(module: &mut Module, func: Func, plan: &Plan) {
    let function = &mut module.funcs[func];
    let mut keeps = plan.params.iter().map(|p| *p == ParamPlan::Keep);
    function.params.retain(|_| keeps.next() == Some(true));
    let mut keeps = plan.results.iter().copied();
    function.results.retain(|_| keeps.next() == Some(true));
    let params: Vec<_> = function.params.iter().map(|p| p.ty).collect();
    let results: Vec<_> = function.results.iter().map(|r| r.ty).collect();
    function.ty = module.types.function(&params, &results);
    // It is not called by the host, or all would be kept.
    function.signature = None;
}

struct Specialize<'a> {
    plans: &'a Plans,
    own: Option<&'a Plan>,
}

impl Stage for Specialize<'_> {
    fn param(&mut self, index: usize, builder: &mut Builder<'_, '_>) -> Option<Value> {
        let Some(plan) = self.own else { return Some(builder.param(index)) };
        match plan.params[index] {
            ParamPlan::Constant(constant) => Some(constant.into()),
            ParamPlan::Unused => None,
            ParamPlan::Keep => {
                let before = plan.params[..index].iter().filter(|p| **p == ParamPlan::Keep).count();
                Some(builder.param(before))
            }
        }
    }

    fn drops_result(&self, index: usize) -> bool {
        self.own.is_some_and(|plan| !plan.results[index])
    }

    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let Some(plan) = callee(old, node).and_then(|f| self.plans.of(f)) else {
            return copy_node(old, node, args, builder);
        };
        let kept = args[1..].iter().zip(&plan.params).filter(|(_, p)| **p == ParamPlan::Keep).map(|(a, _)| *a);
        let kept: SmallVec<[Value; 8]> = std::iter::once(args[0]).chain(kept).collect();
        let precision = Some(old.node(node).precision);
        let mut made = builder.make_all(Request { precision, ..Request::new(Op::Call, &kept) }).into_iter();
        // Nobody uses the results that are gone.
        let nothing = Value::from(Const::FALSE);
        plan.results.iter().map(|&keeps| if keeps { made.next().expect("it is kept") } else { nothing }).collect()
    }
}
