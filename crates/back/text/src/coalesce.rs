//! Which values share a variable, and where it must be declared. `planish_target::coalesce` finds out which may; here is where the
//! text mentions them.
//!
//! ```text
//! loop 0 { cond(%i): …                  int i = 0;
//!   body: %n = add %i, 1                for (; …;) { i += 1; f(i); }
//!         f(%n)
//!         continue %n
//! ```
//!
//! A value is alive from where it is made to where the text last mentions it: an expression that is written where it is
//! used mentions its operands there.

use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Block, Local, Node, Value};
use planish_ir::function::{Body, Direction, Exit, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use planish_target::coalesce::Coalescer;
use planish_target::flow::{Flow, Scope};
use smallvec::SmallVec;

use crate::uses::Uses;

/// Values that share a variable.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Statement lists around the one that declares it.
    pub(crate) depth: u32,
    /// The last block that mentions it, in the order of [`Uses::order`].
    pub(crate) last: u32,
}

/// Assignment of values to variables.
#[derive(Default)]
pub(crate) struct Variables {
    /// Classes of two and more; number 0 is none.
    pub(crate) classes: Vec<Class>,
    /// By value: its class, or 0.
    pub(crate) class: SideTable<Local, u32>,
    /// By value: number of statement lists around the innermost one that holds all its mentions.
    pub(crate) depth: SideTable<Local, u32>,
    /// By value: the last block whose text mentions it, in the order of [`Uses::order`].
    pub(crate) last: SideTable<Local, u32>,
}

struct Finder<'a> {
    module: &'a Module,
    body: &'a Body,
    uses: &'a Uses,
    flow: &'a Flow<'a>,
    values: Coalescer<'a>,
    scopes: SideTable<Local, Option<Scope>>,
    last: SideTable<Local, u32>,
}

/// Finds the classes of a placed body.
///
/// `keep_steps`: a loop's counter is changed only at the end of an iteration, as WebGL 1 requires.
pub(crate) fn find(module: &Module, body: &Body, params: &[Direction], uses: &Uses, keep_steps: bool) -> Variables {
    let flow = Flow::of(body);
    let locals = body.local_count();
    let mut finder = Finder {
        module,
        body,
        uses,
        flow: &flow,
        values: Coalescer::new(body, &flow),
        scopes: SideTable::with_capacity(locals),
        last: SideTable::with_capacity(locals),
    };
    finder.find_mentions();
    finder.join_all(params, keep_steps);
    finder.variables()
}

impl<'a> Finder<'a> {
    // Places of the mentions of values.

    fn find_mentions(&mut self) {
        let flow = self.flow;
        for &block in flow.blocks.iter().rev() {
            self.exit_mentions(block);
            let nodes = &self.body.blocks[block].nodes;
            for (i, &node) in nodes.iter().enumerate().rev() {
                if !self.uses.dead[node] {
                    self.node_mentions(node, flow.start[block] + 1 + i as u32);
                }
            }
        }
    }

    fn exit_mentions(&mut self, block: Block) {
        let (flow, body) = (self.flow, self.body);
        let end = flow.end[block];
        body.blocks[block].exit.for_each_operand(|v| self.mention(v, end));
        for edge in flow.edges_from(block) {
            let inputs = &body.blocks[edge.to].inputs;
            match &body.blocks[block].exit {
                // Values that the test passes to the merge block may be written after the loop, if nothing else ends
                // it.
                Exit::LoopIf { .. } if flow.start[edge.to] > end && flow.preds(edge.to).len() == 1 => {
                    edge.args.iter().for_each(|&v| self.mention(v, flow.start[edge.to]));
                }
                // Values that an arm passes may be written as part of `c ? a : b` at the use of the input.
                Exit::Merge(_) => edge.args.iter().zip(inputs).for_each(|(&v, &input)| self.last_with(v, input)),
                _ => {}
            }
        }
    }

    /// The text mentions a value perhaps as late as another.
    fn last_with(&mut self, value: Value, other: Local) {
        if let Some(local) = value.as_local() {
            self.last[local] = self.last[local].max(self.last[other]);
        }
    }

    fn node_mentions(&mut self, node: Node, place: u32) {
        let results: SmallVec<[Local; 2]> = self.body.results(node).collect();
        let moves = match results[..] {
            [result] => self.is_written_at_use(node, result).then_some(result),
            _ => None,
        };
        let inserts = results.first().copied().filter(|_| is_insert(self.body.node(node).op));
        let whole = self.uses.whole.get(&node).copied();
        let passed = |i: usize| self.uses.passed.get(&(node, i)).copied();
        let args: SmallVec<[Value; 8]> =
            self.body.args(node).iter().enumerate().map(|(i, &a)| passed(i).unwrap_or(a)).chain(whole).collect();
        for value in args {
            match moves {
                Some(result) => self.mention_with(value, result),
                None => self.mention(value, place),
            }
            // It is an assignment here, or a constructor where it is used; the latter is written before its operands
            // change.
            if let (Some(result), Some(local)) = (inserts, value.as_local()) {
                self.last_with(value, result);
                self.scopes[result].into_iter().for_each(|scope| self.note_scope(local, scope));
            }
        }
    }

    /// Whether the text has the operands where it has the result.
    fn is_written_at_use(&self, node: Node, result: Local) -> bool {
        let op = self.body.node(node).op;
        if self.uses.count[result] == 0 || is_insert(op) {
            return false;
        }
        self.uses.count[result] == 1
            || crate::uses::passes_on(self.module, self.body, node)
            || op.text().starts_with("extract_")
            || self.uses.compound[node]
    }

    fn mention(&mut self, value: Value, place: u32) {
        let Some(local) = value.as_local() else { return };
        self.values.mention(local, place);
        let block = self.flow.block_at(place);
        self.note_scope(local, self.flow.scope[block]);
        self.last[local] = self.last[local].max(self.uses.order[block]);
    }

    /// Mentions a value wherever another is mentioned.
    fn mention_with(&mut self, value: Value, other: Local) {
        let Some(local) = value.as_local() else { return };
        self.values.mention_with(local, other);
        if let Some(scope) = self.scopes[other] {
            self.note_scope(local, scope);
        }
        self.last[local] = self.last[local].max(self.last[other]);
    }

    fn note_scope(&mut self, local: Local, scope: Scope) {
        self.scopes[local] = Some(match self.scopes[local] {
            Some(known) => self.flow.common(known, scope),
            None => scope,
        });
    }

    // Which may be one.

    /// Whether a value gets a variable that others may share.
    fn is_variable(&self, local: Local, params: &[Direction]) -> bool {
        let data = self.body.local(local);
        let types = &self.module.types;
        if self.uses.count[local] == 0
            || self.values.has_many(local)
            || matches!(types[data.ty], TypeKind::Pointer { .. } | TypeKind::Array { .. })
            || types.is_opaque(data.ty)
        {
            return false;
        }
        match data.def {
            LocalDef::Input(block, at) if block == self.body.entry => params.get(at as usize) == Some(&Direction::In),
            LocalDef::Input(..) => true,
            LocalDef::Result(node, _) => {
                let data = self.body.node(node);
                !self.uses.dead[node]
                    && data.result_count() == 1
                    && !data.precise
                    && (is_insert(data.op) || !self.is_written_at_use(node, local))
            }
        }
    }

    fn join_all(&mut self, params: &[Direction], keep_steps: bool) {
        let mut pairs: Vec<(u32, u32, Local, Local)> = Vec::new();
        let mut add = |finder: &Self, weight: u32, a: Local, b: Value| {
            let Some(b) = b.as_local() else { return };
            let (x, y) = (finder.body.local(a), finder.body.local(b));
            if x.ty == y.ty && x.precision == y.precision && a != b {
                pairs.push((u32::MAX - weight, pairs.len() as u32, a, b));
            }
        };
        for edge in &self.flow.edges {
            // Values passed to the next iteration have priority.
            let back = self.flow.start[edge.to] <= self.flow.start[edge.from];
            let weight = 2 * self.flow.loops[edge.from] + u32::from(back);
            for (&input, &arg) in self.body.blocks[edge.to].inputs.iter().zip(edge.args) {
                if !keep_steps || step_of(self.body, input, arg).is_none() {
                    add(self, weight, input, arg);
                }
            }
        }
        for &block in &self.flow.blocks {
            for &node in &self.body.blocks[block].nodes {
                if is_insert(self.body.node(node).op)
                    && let Some(result) = self.body.result(node)
                {
                    add(self, 2 * self.flow.loops[block], result, self.body.args(node)[0]);
                }
            }
        }
        pairs.sort_unstable();
        for (_, _, a, b) in pairs {
            if self.is_variable(a, params) && self.is_variable(b, params) {
                self.values.join(a, b);
            }
        }
    }

    // Results.

    fn variables(mut self) -> Variables {
        let mut out = Variables { classes: vec![Class { depth: 0, last: 0 }], ..Variables::default() };
        let count = self.body.local_count();
        let locals = || (0..count).map(Local::new);
        // Every edge that passes a value to an input mentions the input's variable.
        for edge in &self.flow.edges {
            let scope = self.flow.scope[edge.from];
            for &input in &self.body.blocks[edge.to].inputs {
                let known = self.scopes[input].unwrap_or(scope);
                self.scopes[input] = Some(self.flow.common(known, scope));
                self.last[input] = self.last[input].max(self.uses.order[edge.from]);
            }
        }
        for &block in &self.flow.blocks {
            let inputs = self.body.blocks[block].inputs.iter().copied();
            let results = self.body.blocks[block].nodes.iter().flat_map(|&n| self.body.results(n));
            let here: Vec<Local> = inputs.chain(results).collect();
            for local in here {
                self.note_scope(local, self.flow.scope[block]);
                self.last[local] = self.last[local].max(self.uses.order[block]);
            }
        }
        let mut class_scopes: Vec<Option<Scope>> = vec![None];
        for local in locals() {
            let root = self.values.root(local);
            if root == local {
                continue;
            }
            if out.class[root] == 0 {
                out.classes.push(Class { depth: 0, last: 0 });
                class_scopes.push(None);
                out.class[root] = out.classes.len() as u32 - 1;
            }
            out.class[local] = out.class[root];
        }
        for local in locals() {
            let Some(scope) = self.scopes[local] else { continue };
            out.depth[local] = self.flow.depth(scope);
            out.last[local] = self.last[local];
            let class = out.class[local] as usize;
            if class != 0 {
                let known = class_scopes[class].unwrap_or(scope);
                class_scopes[class] = Some(self.flow.common(known, scope));
                out.classes[class].last = out.classes[class].last.max(self.last[local]);
            }
        }
        for (class, scope) in out.classes.iter_mut().zip(class_scopes) {
            class.depth = scope.map_or(0, |r| self.flow.depth(r));
        }
        out
    }
}

/// The node of a value that is another plus or minus a constant: the step of a loop's counter.
pub(crate) fn step_of(body: &Body, input: Local, value: Value) -> Option<Node> {
    let node = body.node_of(value)?;
    let &[left, right] = body.args(node) else { return None };
    let steps = matches!(body.node(node).op, Op::Add | Op::Subtract);
    (steps && left == input.into() && right.as_const().is_some()).then_some(node)
}

/// Ops that give a composite with one part replaced.
pub(crate) fn is_insert(op: Op) -> bool {
    matches!(
        op,
        Op::InsertVectorComponent
            | Op::InsertVectorComponentDynamic
            | Op::InsertMatrixColumn
            | Op::InsertArrayElement
            | Op::InsertStructField
    )
}
