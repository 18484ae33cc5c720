//! The backward sweep of reverse mode.

use planish_ir::builder::{Builder, Policy};
use planish_ir::derivative::{Derivative, DerivativeMode};
use planish_ir::entity::{Block, Local, Type, Value, Var};
use planish_ir::function::{Case, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;

use super::plan::{Counted, Home, Plan};
use super::rules::number;
use super::sweep::Writer;
use super::{Known, check_length, has_tangent, is_float, shadow_var, variable};
use crate::restage::copy_node;

/// Writes the body of a derivative in reverse mode.
pub(super) fn write(module: &mut Module, request: &Derivative, plan: &Plan<'_>, known: &Known) {
    let mut b = Builder::new(module, request.func, Policy::PLAIN);
    b.at(request.span);
    let mut writer = Writer::new(plan, request, known, &b);
    let seeds = writer.seeds(&mut b);
    writer.sweep(&mut b);
    writer.begin(&mut b);
    writer.all(&seeds, &mut b);
    writer.end(&mut b);
    b.finish();
}

impl Writer<'_> {
    /// The adjoints of the results that are floats; the parameters for slices are looked at.
    fn seeds(&mut self, b: &mut Builder<'_, '_>) -> Vec<Option<Value>> {
        let count = self.plan.source.blocks[self.plan.source.entry].inputs.len();
        let results: Vec<Type> = b.module.funcs[self.request.of].results.iter().map(|result| result.ty).collect();
        let mut next = count;
        let mut seeds = Vec::with_capacity(results.len());
        for ty in results {
            let is_given = self.request.mode == DerivativeMode::Reverse;
            seeds.push(is_float(b.module, ty).then(|| if is_given { b.param(next) } else { number(b, ty, 1.0) }));
            next += usize::from(is_given && is_float(b.module, ty));
        }
        for (at, slice) in self.request.slices.iter().enumerate() {
            check_length(b, slice.param, next + at);
        }
        seeds
    }

    /// Between the sweeps.
    fn begin(&mut self, b: &mut Builder<'_, '_>) {
        let mut tapes: Vec<_> = self.tapes.values().copied().collect();
        tapes.sort();
        for (tape, left) in tapes {
            let len = b.op(Op::ArrayLength, &[tape.into()]);
            let len = b.op_typed(Op::Bitcast, &[len], Type::U32);
            b.store(left.into(), len);
        }
        let source = self.plan.source;
        for &param in &source.blocks[source.entry].inputs {
            self.declare(param, b);
        }
    }

    /// The whole function backwards.
    fn all(&mut self, seeds: &[Option<Value>], b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        if plan.returns.is_empty() {
            return;
        }
        for (index, &seed) in seeds.iter().enumerate() {
            // (Each end of the function gives the adjoints to what it returns.)
            let Some(seed) = seed else { continue };
            let var = self.outer_variable("seed", b.type_of(seed), b);
            b.store(var.into(), seed);
            self.seed_vars.push((index, var));
        }
        let ended = self.ended;
        self.chain(plan.source.entry, &plan.returns, ended, b);
    }

    fn end(&mut self, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let mut values: Vec<Value> = Vec::new();
        for var in self.results.clone() {
            values.push(b.load(var.into()));
        }
        for (index, &param) in source.blocks[source.entry].inputs.iter().enumerate() {
            let ty = source.local_type(param);
            if !has_tangent(b.module, self.request, index, ty) {
                continue;
            }
            let zero = number(b, ty, 0.0);
            values.push(match self.adjoints[param] {
                // (A sum of nothing is -0.)
                Some(var) => {
                    let sum = b.load(var.into());
                    b.op(Op::Add, &[sum, zero])
                }
                None => zero,
            });
        }
        b.ret(&values);
    }

    // Values of the function.

    /// The value that a value of the function had.
    /// Recursion: into the operands of what is computed again, whose cost together is bounded.
    pub(super) fn primal(&mut self, value: Value, b: &mut Builder<'_, '_>) -> Value {
        let Some(local) = value.as_local() else { return value };
        let source = self.plan.source;
        if let Some(at) = source.blocks[source.entry].inputs.iter().position(|&input| input == local) {
            return b.param(at);
        }
        match self.plan.homes[local] {
            Home::Kept => {
                let var = self.kept(local, b).expect("it is kept");
                b.load(var.into())
            }
            Home::Again => {
                let node = source.node_of(value).expect("it is computed");
                let args: Vec<Value> = source.args(node).iter().map(|&arg| self.primal(arg, b)).collect();
                copy_node(source, node, &args, b)[0]
            }
            Home::Counted => self.indices[local].expect("it is used in its loop"),
            Home::Nowhere => panic!("{local} was not planned"),
        }
    }

    /// Undoes a write of a variable: in a loop, its old value is on the tape.
    pub(super) fn undo(&mut self, var: Var, block: Block, b: &mut Builder<'_, '_>) {
        if self.plan.depth[block] == 0 {
            return;
        }
        let ty = b.module.vars[var].ty;
        let (tape, left) = self.tapes[&ty];
        let (count, one) = (b.load(left.into()), b.u32(1));
        let count = b.op(Op::Subtract, &[count, one]);
        b.store(left.into(), count);
        let element = b.op(Op::AccessArrayElement, &[tape.into(), count]);
        let old = b.load(element);
        b.store(var.into(), old);
    }

    // Adjoints.

    fn declare(&mut self, local: Local, b: &mut Builder<'_, '_>) {
        if !self.plan.activity.is_active(local) {
            return;
        }
        let ty = self.plan.source.local_type(local);
        let nothing = number(b, ty, -0.0);
        let var = variable(b, "adjoint", ty, Some(nothing));
        b.declare(var);
        self.adjoints[local] = Some(var);
    }

    /// Declares the adjoints of what is defined in a block, and with it in the conditions of its loop.
    /// Recursion: over loops in conditions of loops, which are nested at most `MOST_NESTING` deep.
    fn declare_block(&mut self, block: Block, inputs: bool, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let data = &source.blocks[block];
        let results = data.nodes.iter().flat_map(|&node| source.results(node));
        let inputs = data.inputs.iter().copied().filter(|_| inputs);
        inputs.chain(results).for_each(|local| self.declare(local, b));
        for &var in &data.variables {
            if self.plan.activity.is_active_var(var)
                && let Some(shadow) = shadow_var(b, var, -0.0)
            {
                b.declare(shadow);
                self.shadows.insert(var, shadow);
            }
        }
        match data.exit {
            Exit::Loop { condition, .. } => {
                for block in self.plan.chain(condition) {
                    self.declare_block(block, true, b);
                }
            }
            Exit::DoLoop { body, .. } => {
                source.blocks[body].inputs.iter().for_each(|&input| self.declare(input, b));
            }
            _ => {}
        }
    }

    /// The adjoint of a value, which begins anew.
    pub(super) fn take(&mut self, local: Local, b: &mut Builder<'_, '_>) -> Option<Value> {
        let var = self.adjoints[local].filter(|_| self.plan.activity.is_active(local))?;
        let adjoint = b.load(var.into());
        let nothing = number(b, self.plan.source.local_type(local), -0.0);
        b.store(var.into(), nothing);
        Some(adjoint)
    }

    pub(super) fn add(&mut self, value: Value, part: Value, b: &mut Builder<'_, '_>) {
        let Some(local) = value.as_local().filter(|&local| self.plan.activity.is_active(local)) else { return };
        let var = self.adjoints[local].expect("it was declared where its scope ends");
        let sum = b.load(var.into());
        let sum = b.op(Op::Add, &[sum, part]);
        b.store(var.into(), sum);
    }

    // Control flow.

    /// A chain of merges backwards, from one of the jumps in it; `which` holds the number of the jump, if there are several.
    /// Recursion: over nested constructs, which are at most `MOST_NESTING`.
    fn chain(&mut self, head: Block, edges: &[u32], which: Option<Var>, b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        let blocks = plan.chain(head);
        let is_condition = self.begins_condition(head);
        for (at, &block) in blocks.iter().enumerate() {
            let is_declared = is_condition || at == 0 && (self.is_header(head) || head == plan.source.entry);
            if !is_condition {
                self.declare_block(block, !is_declared, b);
            }
        }
        let order = |number: u32| plan.tree.order(plan.edges[number as usize].from);
        let mut parts: Vec<&[u32]> = Vec::with_capacity(blocks.len());
        let mut rest = edges;
        for at in 0..blocks.len() {
            let end = blocks.get(at + 1).map_or(u32::MAX, |&next| plan.tree.order(next));
            let count = rest.iter().take_while(|&&number| order(number) < end).count();
            let (here, later) = rest.split_at(count);
            parts.push(here);
            rest = later;
        }
        let Some(last) = parts.iter().rposition(|part| !part.is_empty()) else { return };
        let mut open = Vec::new();
        for at in (0..last).filter(|&at| !parts[at].is_empty()) {
            let first_later = parts[at + 1..].iter().find_map(|part| part.first()).expect("there is a last one");
            let arms = self.branch(which, *first_later, b);
            b.switch_to(arms.then);
            open.push((at, arms));
        }
        for at in (0..=last).rev() {
            let (block, part) = (blocks[at], parts[at]);
            if plan.source.blocks[block].exit.merge_block().is_none() {
                self.jump(part, which, b);
            } else if let Some((_, arms)) = open.pop_if(|(inner, _)| *inner == at) {
                self.whole_construct(block, b);
                b.merge(&[]);
                b.switch_to(arms.otherwise);
                self.construct(block, part, which, b);
                b.merge(&[]);
                b.switch_to(arms.merge);
            } else if part.is_empty() {
                self.whole_construct(block, b);
            } else {
                self.construct(block, part, which, b);
            }
            self.block_backwards(block, b);
        }
    }

    fn is_header(&self, head: Block) -> bool {
        let owner = self.plan.tree.place(head).and_then(|place| place.owner);
        owner.is_some_and(|owner| self.plan.header(owner) == Some(head))
    }

    /// Whether a chain is the condition of a loop, whose values are seen after it.
    fn begins_condition(&self, head: Block) -> bool {
        let owner = self.plan.tree.place(head).and_then(|place| place.owner);
        owner.is_some_and(
            |owner| matches!(self.plan.source.blocks[owner].exit, Exit::Loop { condition, .. } if condition == head),
        )
    }

    /// A branch by whether the jump is a given one, or a later one.
    fn branch(&mut self, which: Option<Var>, first: u32, b: &mut Builder<'_, '_>) -> planish_ir::builder::IfBlocks {
        let (which, first) = (b.load(which.expect("there are several jumps").into()), b.u32(first));
        let is_later = b.op(Op::GreaterThanEqual, &[which, first]);
        b.if_(is_later)
    }

    /// The jumps at the end of a block.
    fn jump(&mut self, edges: &[u32], which: Option<Var>, b: &mut Builder<'_, '_>) {
        match *edges {
            [edge] => self.edge(edge, b),
            [first, second] => {
                let arms = self.branch(which, second, b);
                b.switch_to(arms.then);
                self.edge(second, b);
                b.merge(&[]);
                b.switch_to(arms.otherwise);
                self.edge(first, b);
                b.merge(&[]);
                b.switch_to(arms.merge);
            }
            _ => {}
        }
    }

    /// The adjoints of inputs go to the arguments of a jump.
    fn edge(&mut self, number: u32, b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        let edge = &plan.edges[number as usize];
        b.at(plan.source.blocks[edge.from].exit_span);
        let Some(target) = edge.target else {
            for (index, var) in self.seed_vars.clone() {
                let seed = b.load(var.into());
                self.add(edge.args[index], seed, b);
            }
            return;
        };
        let inputs = &plan.source.blocks[target].inputs;
        let adjoints: Vec<Option<Value>> = inputs.iter().map(|&input| self.take(input, b)).collect();
        for (&arg, adjoint) in edge.args.iter().zip(adjoints) {
            if let Some(adjoint) = adjoint {
                self.add(arg, adjoint, b);
            }
        }
        let is_construct = plan.source.blocks[edge.from].exit.merge_block().is_some();
        if let Some(told) = self.told(target, b).filter(|_| !is_construct && self.is_told_repeatedly(target)) {
            self.undo(told, edge.from, b);
        }
    }

    /// A construct that ended with its merge block.
    fn whole_construct(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        let merge = self.plan.source.blocks[owner].exit.merge_block().expect("it is a construct");
        let edges = &self.plan.into[merge];
        // (With no jump to its end, nothing comes here.)
        if !edges.is_empty() || matches!(self.plan.source.blocks[owner].exit, Exit::NextBlock { .. }) {
            let which = self.told(merge, b);
            self.construct(owner, edges, which, b);
        }
    }

    /// A construct, from one of the jumps in it.
    fn construct(&mut self, owner: Block, edges: &[u32], which: Option<Var>, b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        match &plan.source.blocks[owner].exit {
            Exit::If { condition, then, otherwise, .. } => {
                let split = edges.partition_point(|&number| {
                    plan.tree.order(plan.edges[number as usize].from) < plan.tree.order(*otherwise)
                });
                let (yes, no) = edges.split_at(split);
                if yes.is_empty() || no.is_empty() {
                    let (arm, edges) = if no.is_empty() { (*then, yes) } else { (*otherwise, no) };
                    self.chain(arm, edges, which, b);
                } else {
                    // The later jumps are those of the second arm.
                    let (arms, first, second) = match which {
                        Some(_) => (self.branch(which, no[0], b), (*otherwise, no), (*then, yes)),
                        None => {
                            let condition = self.primal(*condition, b);
                            (b.if_(condition), (*then, yes), (*otherwise, no))
                        }
                    };
                    for (block, (arm, edges)) in [(arms.then, first), (arms.otherwise, second)] {
                        b.switch_to(block);
                        self.chain(arm, edges, which, b);
                        b.merge(&[]);
                    }
                    b.switch_to(arms.merge);
                }
            }
            Exit::Labelled { body, .. } => self.chain(*body, edges, which, b),
            Exit::Switch { cases, .. } => self.switch(owner, cases, edges, which, b),
            Exit::Loop { .. } | Exit::DoLoop { .. } => self.repeat(owner, edges, which, b),
            _ => {}
        }
        if let Some(count) = self.count(owner, b) {
            self.undo(count, owner, b);
        }
        let merge = plan.source.blocks[owner].exit.merge_block().expect("it is a construct");
        if let Some(told) = self.told(merge, b) {
            self.undo(told, owner, b);
        }
    }

    fn switch(&mut self, owner: Block, cases: &[Case], edges: &[u32], which: Option<Var>, b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        // By case, the jumps in it; first that of the switch itself.
        let mut parts: Vec<(Option<Block>, Vec<u32>)> = vec![(None, Vec::new())];
        parts.extend(cases.iter().map(|case| (Some(case.block), Vec::new())));
        for &number in edges {
            let from = plan.edges[number as usize].from;
            let order = plan.tree.order(from);
            let case = cases.iter().rposition(|case| from != owner && plan.tree.order(case.block) <= order);
            parts[case.map_or(0, |case| case + 1)].1.push(number);
        }
        parts.retain(|(_, edges)| !edges.is_empty());
        let mut part = |(case, edges): &(Option<Block>, Vec<u32>), b: &mut Builder<'_, '_>| match case {
            Some(case) => self.chain(*case, edges, which, b),
            None => self.edge(edges[0], b),
        };
        if let [only] = &parts[..] {
            part(only, b);
            return;
        }
        let selector = b.load(which.expect("there are several jumps").into());
        let new: Vec<Case> = (parts.iter().enumerate())
            .map(|(at, (_, edges))| Case {
                values: edges.iter().map(|&number| b.module.consts.u32(number)).collect(),
                is_default: at == 0,
                block: b.new_block(),
            })
            .collect();
        let blocks: Vec<Block> = new.iter().map(|case| case.block).collect();
        let label = b.block();
        let merge = b.switch(selector, new, &[]);
        for (one, block) in parts.iter().zip(blocks) {
            b.switch_to(block);
            part(one, b);
            b.break_(label, &[]);
        }
        b.switch_to(merge);
    }

    // Loops.

    /// A loop, from one of the jumps out of it.
    fn repeat(&mut self, owner: Block, edges: &[u32], which: Option<Var>, b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        let header = plan.header(owner).expect("it is a loop");
        match &plan.source.blocks[owner].exit {
            Exit::Loop { condition, body, next, .. } if self.ends_with_condition(owner, edges) => {
                self.chain(*condition, edges, None, b);
                if !plan.into[header].is_empty() {
                    self.repeat_body(owner, (*condition, *body, *next), b);
                }
            }
            _ => self.repeat_any(owner, edges, which, b),
        }
        if let Some(entering) = plan.entering[owner] {
            self.edge(entering, b);
        }
    }

    /// Whether the only jump out of a loop is that of its condition.
    fn ends_with_condition(&self, owner: Block, edges: &[u32]) -> bool {
        let merge = self.plan.source.blocks[owner].exit.merge_block();
        let [edge] = *edges else { return false };
        let edge = &self.plan.edges[edge as usize];
        matches!(self.plan.source.blocks[edge.from].exit, Exit::LoopIf { .. }) && edge.target == merge
    }

    /// The iterations of a loop that only its condition ends, the last one first.
    fn repeat_body(
        &mut self,
        owner: Block,
        (condition, body, next): (Block, Block, Option<Block>),
        b: &mut Builder<'_, '_>,
    ) {
        let plan = self.plan;
        let count = self.count(owner, b);
        let args = match plan.counted[owner] {
            Some(Counted { first, end, .. }) => {
                let (first, end) = (self.primal(first, b), self.primal(end, b));
                vec![b.op(Op::Max, &[first, end]), first]
            }
            None => Vec::new(),
        };
        let index: Vec<Value> = args.first().copied().into_iter().collect();
        let blocks = b.loop_(&index, false);
        b.switch_to(blocks.condition);
        let left = match index.first() {
            Some(&last) => {
                let ty = b.type_of(last);
                b.add_input(blocks.condition, ty, planish_ir::decoration::Precision::None)
            }
            None => b.load(count.expect("a loop that is not counted has a count").into()),
        };
        let end = if index.is_empty() { b.u32(0) } else { args[1] };
        let goes_on = b.op(Op::NotEqual, &[left, end]);
        b.loop_if(goes_on);
        b.switch_to(blocks.body);
        let ty = b.type_of(left);
        let one = b.module.consts.bits(ty, 1);
        let less = b.op(Op::Subtract, &[left, one.into()]);
        match (plan.counted[owner], count) {
            (Some(Counted { index, .. }), _) => self.indices[index] = Some(less),
            (None, Some(count)) => b.store(count.into(), less),
            _ => {}
        }
        let again = &plan.into[plan.header(owner).expect("it is a loop")];
        let which = self.told(plan.header(owner).expect("it is a loop"), b);
        let which = self.copied(which, b);
        match next {
            Some(next) => {
                self.chain(next, again, which, b);
                let which = self.told(next, b);
                let which = self.copied(which, b);
                self.chain(body, &plan.into[next], which, b);
            }
            None => self.chain(body, again, which, b),
        }
        self.chain(condition, &plan.into[body], None, b);
        let carried: Vec<Value> = index.iter().map(|_| less).collect();
        b.continue_(blocks.owner, &carried);
        b.switch_to(blocks.merge);
    }

    /// A copy of the number of a jump, which undoing the jump changes.
    fn copied(&mut self, which: Option<Var>, b: &mut Builder<'_, '_>) -> Option<Var> {
        let value = b.load(which?.into());
        let copy = variable(b, "which", Type::U32, None);
        b.declare(copy);
        b.store(copy.into(), value);
        Some(copy)
    }

    /// Sets the number of the jump to be undone: to that by which a block was entered.
    fn set_entered(&mut self, which: Var, target: Block, b: &mut Builder<'_, '_>) {
        let number = match (self.told(target, b), self.plan.into[target].first()) {
            (Some(told), _) => b.load(told.into()),
            (None, Some(&only)) => b.u32(only),
            (None, None) => return,
        };
        b.store(which.into(), number);
    }

    /// A loop that several jumps leave: its iterations, of which the last one ended with one of them.
    fn repeat_any(&mut self, owner: Block, edges: &[u32], which: Option<Var>, b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        let header = plan.header(owner).expect("it is a loop");
        let count = self.count(owner, b).expect("it is not counted");
        let last = match which {
            Some(which) => b.load(which.into()),
            None => b.u32(edges[0]),
        };
        let which = variable(b, "which", Type::U32, None);
        b.declare(which);
        b.store(which.into(), last);
        let blocks = b.loop_(&[], false);
        b.switch_to(blocks.condition);
        let always = b.bool(true);
        b.loop_if(always);
        b.switch_to(blocks.body);
        let mut all: Vec<u32> = edges.iter().chain(&plan.into[header]).copied().collect();
        all.sort_unstable();
        all.dedup();
        self.iteration(owner, &all, which, b);
        let (left, zero) = (b.load(count.into()), b.u32(0));
        let is_first = b.op(Op::Equal, &[left, zero]);
        let arms = b.if_(is_first);
        b.switch_to(arms.then);
        b.break_(blocks.owner, &[]);
        b.switch_to(arms.otherwise);
        b.merge(&[]);
        b.switch_to(arms.merge);
        let one = b.u32(1);
        let less = b.op(Op::Subtract, &[left, one]);
        b.store(count.into(), less);
        self.set_entered(which, header, b);
        b.continue_(blocks.owner, &[]);
        b.switch_to(blocks.merge);
    }

    /// An iteration of a loop, from one of the jumps that end it.
    fn iteration(&mut self, owner: Block, edges: &[u32], which: Var, b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        // The parts of an iteration, each with the block that follows it.
        let (parts, followed): (Vec<Block>, Vec<Option<Block>>) = match plan.source.blocks[owner].exit {
            Exit::Loop { condition, body, next, .. } => {
                (std::iter::once(condition).chain([body]).chain(next).collect(), vec![Some(body), next, None])
            }
            Exit::DoLoop { body, condition, .. } => (vec![body, condition], vec![Some(condition), None]),
            _ => return,
        };
        let order = |number: u32| plan.tree.order(plan.edges[number as usize].from);
        let mut came_later = false;
        let mut arrivals: Vec<u32> = Vec::new();
        for at in (0..parts.len()).rev() {
            let begin = plan.tree.order(parts[at]);
            let end = parts.get(at + 1).map_or(u32::MAX, |&part| plan.tree.order(part));
            let own = edges.iter().copied().filter(|&number| begin <= order(number) && order(number) < end);
            let mut here: Vec<u32> = own.collect();
            if came_later && let Some(next) = followed[at] {
                here.extend(plan.into[next].iter().copied());
                here.sort_unstable();
                here.dedup();
            }
            arrivals.clone_from(&here);
            if here.is_empty() {
                continue;
            }
            came_later = true;
            let has_earlier = edges.iter().any(|&number| order(number) < begin);
            let arms = has_earlier.then(|| self.branch(Some(which), here[0], b));
            if let Some(arms) = arms {
                b.switch_to(arms.then);
            }
            self.chain(parts[at], &here, Some(which), b);
            if at > 0 {
                self.set_entered(which, parts[at], b);
            }
            if let Some(arms) = arms {
                b.merge(&[]);
                b.switch_to(arms.otherwise);
                b.merge(&[]);
                b.switch_to(arms.merge);
            }
        }
    }
}
