//! Rewriting of many functions at once. Each worker has its own copy of the module's types, constants, variables and signatures, and rewrites
//! one function after the other with it, each when its callees are done; the bodies then move into the module, callees first, and
//! their constants get the module's numbers.
//!
//! The result is the same for any number of threads: before each function a worker forgets the constants that it made for the last
//! one, and it sees the effects of those callees alone that come before the function in the order of the call graph. Whether
//! functions are rewritten in this way depends on the module and not on the threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use planish_ir::arena::{Id, SideTable};
use planish_ir::constant::{ConstData, ConstValue};
use planish_ir::entity::{Const, Func};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::types::Scalar;

use super::{Env, Policy, Step, Writer};
use crate::analysis::call_graph::CallGraph;
use crate::analysis::summaries::Summary;
use crate::context::{Context, Findings, Options};
use crate::rules::Rules;

/// Nodes of functions that have not converged from which on workers pay, whose copies of the module cost time.
const WORTHWHILE: usize = 1 << 14;

/// Whether functions are rewritten by workers. Custom ops keep types where a worker's cannot be renumbered.
pub(super) fn pays(module: &Module, steps: &[(Func, Step)], options: &Options) -> bool {
    let bodies = steps.iter().filter(|(_, step)| *step == Step::Rewritten).filter_map(|&(func, _)| {
        let body = module.funcs[func].body.as_ref()?;
        (body.note == 0).then(|| body.node_count())
    });
    let (count, nodes) = bodies.fold((0, 0), |(count, sum), nodes| (count + 1, sum + nodes));
    let is_large = count > 1 && nodes >= WORTHWHILE;
    (is_large || options.threads > 0) && module.custom_ops.is_empty()
}

/// Takes the steps of all functions, whose order is that of the call graph.
pub(super) fn rewrite(
    module: &mut Module,
    context: &mut Context,
    policy: &Policy,
    mut env: Env,
    graph: &CallGraph,
    steps: &[(Func, Step)],
    rules: &Rules,
) {
    // Most of the types that rules may need.
    for scalar in Scalar::ALL {
        module.types.scalar(scalar);
    }
    let plan = Plan::new(graph, &env, steps);
    let slots = steps.iter().map(|(func, _)| Mutex::new(module.funcs[*func].body.take())).collect();
    let known = module.consts.len();
    let job = Job {
        module,
        env: &env,
        policy,
        steps,
        bodies: slots,
        summaries: steps.iter().map(|_| OnceLock::new()).collect(),
        queue: Mutex::new(plan.queue()),
        changed: Condvar::new(),
        plan,
    };
    let mut outputs = job.run(context);
    outputs.sort_unstable_by_key(|output| output.step);
    let summaries = job.summaries;
    let mut refused = vec![];
    for output in outputs {
        let func = steps[output.step].0;
        context.absorb(output.findings);
        rules.absorb(output.rules);
        if output.is_refused {
            refused.push(func);
        }
        module.funcs[func].body = Some(with_constants_of(module, output.body, known, output.consts));
    }
    // The rest is done here.
    for (&(func, _), summary) in steps.iter().zip(summaries) {
        env.summaries.set(func, summary.into_inner().flatten());
    }
    let mut writer = Writer::new(policy);
    for func in refused {
        writer.step(module, &mut env, context, rules, func, Step::Rewritten);
    }
}

/// A body with the constants of a module in place of those that its worker made beyond the first `known`.
fn with_constants_of(module: &mut Module, mut body: Body, known: usize, made: Vec<ConstData>) -> Body {
    let mut new: Vec<Const> = Vec::with_capacity(made.len());
    for mut data in made {
        if let ConstValue::Composite(parts) = &mut data.value {
            for part in parts {
                *part = part.index().checked_sub(known).map_or(*part, |own| new[own]);
            }
        }
        new.push(module.consts.intern(data));
    }
    if !new.is_empty() {
        body.renumber_constants(|c| c.index().checked_sub(known).map_or(c, |own| new[own]));
    }
    body
}

/// The functions that a step waits for, all before it in the order.
struct Plan {
    /// By step: the steps of the functions whose effects it sees.
    sees: Vec<Vec<usize>>,
    /// By step: the steps that see it.
    seen_by: Vec<Vec<usize>>,
    /// By step: the functions it calls whose effects it must not see, since they come later in the order.
    unseen: Vec<Vec<Func>>,
}

impl Plan {
    fn new(graph: &CallGraph, env: &Env, steps: &[(Func, Step)]) -> Self {
        let mut places: SideTable<Func, Option<usize>> = SideTable::new();
        steps.iter().enumerate().for_each(|(place, (func, _))| places[*func] = Some(place));
        let mut plan = Plan { sees: vec![], seen_by: vec![vec![]; steps.len()], unseen: vec![] };
        for (own, &(func, step)) in steps.iter().enumerate() {
            let mut called: Vec<Func> = graph.callees(func).to_vec();
            if step == Step::Rewritten {
                add_callees_of_inlined(&mut called, graph, env);
            }
            let mut sees: Vec<usize> =
                called.iter().filter_map(|&func| places[func]).filter(|&place| place < own).collect();
            sees.sort_unstable();
            sees.dedup();
            sees.iter().for_each(|&place| plan.seen_by[place].push(own));
            plan.sees.push(sees);
            called.retain(|&func| places[func].is_some_and(|place| place >= own));
            plan.unseen.push(called);
        }
        plan
    }

    /// The queue at the beginning.
    fn queue(&self) -> Queue {
        let waits_for: Vec<usize> = self.sees.iter().map(Vec::len).collect();
        let ready = (0..waits_for.len()).filter(|&step| waits_for[step] == 0).map(Reverse).collect();
        Queue { ready, left: waits_for.len(), waits_for, is_aborted: false }
    }
}

/// Adds what the functions call that are inlined, as deep as they are.
fn add_callees_of_inlined(called: &mut Vec<Func>, graph: &CallGraph, env: &Env) {
    let mut is_known: SideTable<Func, bool> = SideTable::new();
    called.iter().for_each(|&func| is_known[func] = true);
    let mut at = 0;
    while let Some(&func) = called.get(at) {
        at += 1;
        if env.inline[func] {
            for &callee in graph.callees(func) {
                if !std::mem::replace(&mut is_known[callee], true) {
                    called.push(callee);
                }
            }
        }
    }
}

/// Steps that can be taken, the first of the order first, and those that cannot yet.
struct Queue {
    ready: BinaryHeap<Reverse<usize>>,
    /// By step: the number of steps that it waits for.
    waits_for: Vec<usize>,
    /// Number of steps that are not done.
    left: usize,
    /// Whether a worker has panicked.
    is_aborted: bool,
}

/// The state that workers share.
struct Job<'a> {
    /// The module without the bodies of functions that have steps.
    module: &'a Module,
    env: &'a Env,
    policy: &'a Policy,
    steps: &'a [(Func, Step)],
    plan: Plan,
    /// By step: the body before it.
    bodies: Vec<Mutex<Option<Body>>>,
    /// By step: the effects of the function after it.
    summaries: Vec<OnceLock<Option<Arc<Summary>>>>,
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// State of one thread.
struct Worker<'a> {
    module: Module,
    env: Env,
    context: Context,
    writer: Writer<'a>,
}

/// A function after its step.
struct Output {
    step: usize,
    body: Body,
    /// The constants that it has beyond those of the module.
    consts: Vec<ConstData>,
    /// Whether the rewrite needed new types or variables; the body is then that before it.
    is_refused: bool,
    findings: Findings,
    rules: Rules,
}

impl Job<'_> {
    /// Takes all steps, on as many threads as the options say.
    fn run(&self, context: &Context) -> Vec<Output> {
        let threads = match context.options.threads {
            0 => thread::available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        };
        thread::scope(|scope| {
            // On systems without threads none is started, and this one does all.
            let start = |_| thread::Builder::new().spawn_scoped(scope, || self.work(context)).ok();
            let started: Vec<_> = (1..threads.min(self.steps.len())).map_while(start).collect();
            let mut outputs = self.work(context);
            for thread in started {
                // The panic is passed on unchanged.
                outputs.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            outputs
        })
    }

    /// Takes steps until all are done.
    fn work(&self, context: &Context) -> Vec<Output> {
        let _abort = AbortOnPanic(self);
        let mut worker = Worker {
            module: self.module.clone(),
            env: self.env.clone(),
            context: context.for_worker(),
            writer: Writer::new(self.policy),
        };
        let mut outputs = vec![];
        while let Some(step) = self.next() {
            outputs.push(self.take(step, &mut worker));
            self.end(step);
        }
        outputs
    }

    /// Takes a step.
    fn take(&self, number: usize, worker: &mut Worker<'_>) -> Output {
        let Worker { module, env, context, writer } = worker;
        let (func, step) = self.steps[number];
        for &callee in &self.plan.sees[number] {
            let summary = self.summaries[callee].get().expect("callees are done");
            env.summaries.set(self.steps[callee].0, summary.clone());
        }
        let of_own_component = self.plan.unseen[number].iter();
        of_own_component.for_each(|&callee| env.summaries.set(callee, None));
        let rules = Rules::new(&context.options);
        let known = (module.types.len(), module.vars.len());
        module.funcs[func].body = self.bodies[number].lock().unwrap_or_else(PoisonError::into_inner).take();
        let source = writer.step(module, env, context, &rules, func, step);
        let is_refused = known != (module.types.len(), module.vars.len());
        let own_summary = env.summaries.get(func).cloned();
        assert!(self.summaries[number].set(own_summary).is_ok(), "a step is taken once");
        let rewritten = module.funcs[func].body.take();
        let consts = module.consts.split_off(self.module.consts.len());
        if !is_refused {
            let body = rewritten.expect("a step leaves a body");
            return Output { step: number, body, consts, is_refused, findings: context.take_findings(), rules };
        }
        module.types.truncate(known.0);
        module.vars.truncate(known.1);
        context.take_findings();
        let source = source.and_then(Arc::into_inner).expect("only a rewrite makes types, and it is over");
        let (consts, findings, rules) = (vec![], Findings::default(), Rules::new(&context.options));
        Output { step: number, body: source.body, consts, is_refused, findings, rules }
    }

    /// The next step, as soon as there is one; `None` if all are taken.
    fn next(&self) -> Option<usize> {
        let mut queue = self.queue();
        loop {
            if queue.left == 0 || queue.is_aborted {
                return None;
            }
            if let Some(Reverse(step)) = queue.ready.pop() {
                return Some(step);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends a step: those that have waited for it alone are ready.
    fn end(&self, step: usize) {
        let mut queue = self.queue();
        queue.left -= 1;
        for &waiting in &self.plan.seen_by[step] {
            queue.waits_for[waiting] -= 1;
            if queue.waits_for[waiting] == 0 {
                queue.ready.push(Reverse(waiting));
            }
        }
        drop(queue);
        self.changed.notify_all();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has the other workers end when one panics.
struct AbortOnPanic<'a>(&'a Job<'a>);

impl Drop for AbortOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.queue().is_aborted = true;
            self.0.changed.notify_all();
        }
    }
}
