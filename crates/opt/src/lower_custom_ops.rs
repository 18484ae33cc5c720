//! Lowers ops of the user's own to code: those of the first phase of [`crate::Options::phases`] that there are any of.
//!
//! ```text
//! before: %1 = custom[twice] %0        after: %1 = add %0, %0
//! ```
//!
//! An op stays whole until its phase comes (delayed rewriting), so that rules about it have rested by then: the optimizer runs its
//! passes, lowers one phase, runs its passes again, and so on. What a phase makes may have ops of the same phase, which are
//! lowered at once, or of a later one.
//!
//! Holds before: placed functions. Left alone: ops that no phase lowers; a target refuses them (E0710).

use std::sync::Arc;

use planish_ir::builder::{self, Builder, Results};
use planish_ir::entity::{Func, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;
use smallvec::SmallVec;

use crate::context::{Context, RemarkKind};
use crate::restage::{Stage, copy_node, restage};

/// Maximum number of iterations in which a phase lowers ops that it has made itself.
const MOST_ROUNDS: usize = 64;

type LowerFn = dyn Fn(&mut LowerSite<'_, '_, '_>) -> Vec<Value> + Send + Sync;

/// A phase: the lowering of some custom ops, at one point of the pipeline.
///
/// # Example
/// ```
/// use planish_ir::ops::Op;
/// use planish_ir::text::{parse_str, print};
/// use planish_opt::{Context, Options, PASSES, Phase, run_passes};
///
/// let text = "module ir\nop twice fn(f32) -> (f32) pure cost 1 phase scalars\n
/// fn @f(%0 x: f32) -> (f32) {\nb0:\n  %1 = custom[twice] %0\n  return %1\n}\nexport @f \"f\"\n";
/// let mut module = parse_str(text).unwrap();
/// let scalars = Phase::new("scalars").lower("twice", |site| {
///     let x = site.arg(0);
///     vec![site.b.op(Op::Add, &[x, x])]
/// });
/// let mut context = Context::new(Options { phases: vec![scalars], ..Options::default() });
/// let lower = PASSES.iter().find(|pass| pass.name == "lower_custom_ops").unwrap();
/// run_passes(&mut module, &[lower], &mut context, &mut |_, _| {});
/// assert!(print(&module).contains("%1 = add %0, %0"));
/// ```
#[derive(Clone)]
pub struct Phase {
    /// Its name, which rows of ops give.
    pub name: Arc<str>,
    lowerings: Vec<(Arc<str>, Arc<LowerFn>)>,
}

impl Phase {
    /// A phase that lowers nothing yet.
    pub fn new(name: &str) -> Self {
        Phase { name: name.into(), lowerings: Vec::new() }
    }

    /// Lowers the op of this name. `lower` gives a value for each of the results; it may make blocks, and is to leave the builder at
    /// an open one. The last closure that is given for a name counts.
    pub fn lower(
        mut self,
        op: &str,
        lower: impl Fn(&mut LowerSite<'_, '_, '_>) -> Vec<Value> + Send + Sync + 'static,
    ) -> Self {
        self.lowerings.insert(0, (op.into(), Arc::new(lower)));
        self
    }

    /// The closure that lowers a node: its op is of this phase, and the phase has one for it.
    fn find(&self, module: &Module, body: &Body, node: Node) -> Option<&Arc<LowerFn>> {
        let data = body.node(node);
        let row = module.custom_of(data.op, data.imm).filter(|row| row.phase == self.name)?;
        self.lowerings.iter().find(|(op, _)| *op == row.name).map(|(_, lower)| lower)
    }
}

impl std::fmt::Debug for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// A node that is to be lowered.
pub struct LowerSite<'a, 'm, 'r> {
    /// The builder, where the node stood.
    pub b: &'a mut Builder<'m, 'r>,
    args: &'a [Value],
    results: &'a [Type],
}

impl LowerSite<'_, '_, '_> {
    /// The operands.
    pub fn args(&self) -> &[Value] {
        self.args
    }

    /// Operand number `index`.
    ///
    /// # Panics
    /// If the node has fewer operands.
    pub fn arg(&self, index: usize) -> Value {
        self.args[index]
    }

    /// Writes a loop that runs `count` times: `body` gets the builder, the number of the iteration (an `i32` from 0) and the values
    /// carried from the one before (at first `start`), and gives as many for the next. The values after the last.
    ///
    /// # Panics
    /// If `body` gives another number of values: a mistake of the caller.
    pub fn repeat(&mut self, count: u32, start: &[Value], body: IterationBody<'_>) -> Vec<Value> {
        repeat(self.b, count, start, body)
    }

    /// The types of the results.
    pub fn results(&self) -> &[Type] {
        self.results
    }
}

/// Writes one iteration: the number of the iteration, the carried values, and those for the next.
pub type IterationBody<'a> = &'a dyn Fn(&mut Builder<'_, '_>, Value, &[Value]) -> Vec<Value>;

/// As [`LowerSite::repeat`], for nested loops.
pub fn repeat(b: &mut Builder<'_, '_>, count: u32, start: &[Value], body: IterationBody<'_>) -> Vec<Value> {
    let args: Vec<Value> = std::iter::once(b.i32(0)).chain(start.iter().copied()).collect();
    let blocks = b.loop_(&args, false);
    let mut carried = Vec::new();
    for &arg in &args {
        let (ty, precision) = (b.type_of(arg), b.precision_of(arg));
        carried.push(b.add_input(blocks.condition, ty, precision));
    }
    b.switch_to(blocks.condition);
    let end = b.i32(i32::try_from(count).expect("a loop has fewer than 2^31 iterations"));
    let goes_on = b.op(Op::LessThan, &[carried[0], end]);
    b.loop_if(goes_on);
    b.switch_to(blocks.body);
    let next = body(b, carried[0], &carried[1..]);
    assert_eq!(next.len(), start.len(), "values for the next iteration");
    let one = b.i32(1);
    let number = b.op(Op::Add, &[carried[0], one]);
    let values: Vec<Value> = std::iter::once(number).chain(next).collect();
    b.continue_(blocks.owner, &values);
    b.switch_to(blocks.merge);
    carried.split_off(1)
}

/// Runs on the module.
pub fn run(module: &mut Module, context: &mut Context) {
    let phases = context.options.phases.clone();
    let concerned = |module: &Module, phase: &Phase| -> Vec<Func> {
        let has = |body: &Body| {
            let mut nodes = walk::blocks(body).flat_map(|block| &body.blocks[block].nodes);
            nodes.any(|&node| phase.find(module, body, node).is_some())
        };
        module.funcs.iter().filter(|(_, f)| f.body.as_ref().is_some_and(has)).map(|(func, _)| func).collect()
    };
    let Some(phase) = phases.iter().find(|phase| !concerned(module, phase).is_empty()) else { return };
    for _ in 0..MOST_ROUNDS {
        let funcs = concerned(module, phase);
        if funcs.is_empty() {
            return;
        }
        context.changed();
        for func in funcs {
            let mut stage = Lower { phase, lowered: 0 };
            restage(module, func, builder::Policy::PLAIN, &mut stage);
            let span = module.funcs[func].span;
            let message = format!("phase `{}` has lowered {} ops", phase.name, stage.lowered);
            context.remark(RemarkKind::Passed, "Lowered", module, func, span, message);
        }
    }
    for func in concerned(module, phase) {
        let message =
            format!("phase `{}` creates ops that it lowers itself: stopped after {MOST_ROUNDS} iterations", phase.name);
        let span = module.funcs[func].span;
        context.remark(RemarkKind::Limit, "NotLowered", module, func, span, message);
    }
}

struct Lower<'a> {
    phase: &'a Phase,
    lowered: usize,
}

impl Stage for Lower<'_> {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let Some(lower) = self.phase.find(builder.module, old, node) else {
            return copy_node(old, node, args, builder);
        };
        let types: SmallVec<[Type; 2]> = old.results(node).map(|result| old.local_type(result)).collect();
        builder.set_precise(old.node(node).precise);
        let values = lower(&mut LowerSite { b: builder, args, results: &types });
        let made: SmallVec<[Type; 2]> = values.iter().map(|&value| builder.type_of(value)).collect();
        assert_eq!(made, types, "types that a lowering gives");
        self.lowered += 1;
        values.into_iter().collect()
    }
}
