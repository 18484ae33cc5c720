//! One sweep over a function before it is written: how often and how far each value is used.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Func, Local, Node, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::walk;
use rustc_hash::FxHashMap;

use crate::copies::{self, Copies, Mentions};
use crate::dialect::Dialect;
use crate::effects::{Effects, node_effects};

/// Uses of the values and variables of a body.
pub(crate) struct Uses {
    /// Place of each block in the order of the dump, from 1; 0: not reached.
    pub(crate) order: SideTable<Block, u32>,
    /// Number of mentions of each value in the output if nothing is given a name. Pointers pass it on to their parts.
    pub(crate) count: SideTable<Local, u32>,
    /// The last block (by place) that uses a value.
    pub(crate) last: SideTable<Local, u32>,
    /// The last block that mentions a variable.
    pub(crate) last_var: SideTable<Var, u32>,
    /// Number of mentions of a variable.
    pub(crate) var_count: SideTable<Var, u32>,
    /// Nodes that need not be written.
    pub(crate) dead: SideTable<Node, bool>,
    /// Loads and the operations on them that become part of `target op= value`.
    pub(crate) compound: SideTable<Node, bool>,
    /// Values of which operands 1 and 2 of a texture op are parts.
    pub(crate) whole: FxHashMap<Node, Value>,
    /// Pointers that are passed to calls in place of temporaries.
    pub(crate) passed: FxHashMap<(Node, usize), Value>,
    /// `Break`s to the construct that ends a block.
    pub(crate) breaks: SideTable<Block, u32>,
    /// `Continue`s likewise.
    pub(crate) continues: SideTable<Block, u32>,
    /// For each place, one past the last place of the blocks below that block's exit (its merge chain excluded).
    pub(crate) end: SideTable<Block, u32>,
}

impl Uses {
    /// Sweeps a placed body.
    pub(crate) fn of<'m, D: Dialect<'m>>(w: &D, body: &Body) -> Uses {
        let (module, functions) = (w.module, &w.summaries);
        let blocks: Vec<Block> = walk::blocks(body).collect();
        let locals = body.local_count();
        let mut uses = Uses {
            order: SideTable::with_capacity(body.blocks.len()),
            count: SideTable::with_capacity(locals),
            last: SideTable::with_capacity(locals),
            last_var: SideTable::new(),
            var_count: SideTable::new(),
            dead: SideTable::with_capacity(body.node_count()),
            compound: SideTable::with_capacity(body.node_count()),
            whole: FxHashMap::default(),
            passed: FxHashMap::default(),
            breaks: SideTable::new(),
            continues: SideTable::new(),
            end: SideTable::new(),
        };
        let mut raw: SideTable<Local, u32> = SideTable::with_capacity(locals);
        let mut raw_vars: SideTable<Var, u32> = SideTable::new();
        for (i, &block) in blocks.iter().enumerate() {
            uses.order[block] = i as u32 + 1;
            uses.count_jumps(body, block);
            for &node in &body.blocks[block].nodes {
                body.args(node).iter().filter_map(|a| a.as_local()).for_each(|l| raw[l] += 1);
                body.args(node).iter().filter_map(|a| a.as_var()).for_each(|v| raw_vars[v] += 1);
            }
            body.blocks[block].exit.for_each_operand(|v| v.as_local().into_iter().for_each(|l| raw[l] += 1));
        }
        uses.find_ends(body);
        let mut loads = SideTable::with_capacity(locals);
        blocks.iter().for_each(|&b| uses.find_compound(w, body, &raw, &mut loads, b));
        let any_pointer = w.abilities.pointers_to_parts;
        uses.find_copies(module, body, &Mentions { locals: &raw, vars: &raw_vars, any_pointer }, &blocks);
        for &block in blocks.iter().rev() {
            uses.sweep(module, body, functions, block);
        }
        uses
    }

    fn find_copies(&mut self, module: &Module, body: &Body, mentions: &Mentions<'_>, blocks: &[Block]) {
        let mut found = Copies::default();
        for &block in blocks {
            let nodes = &body.blocks[block].nodes;
            for (i, &node) in nodes.iter().enumerate() {
                if body.node(node).op == Op::Call && body.args(node).iter().any(|a| a.as_var().is_some()) {
                    copies::find(module, body, mentions, nodes, i, &mut found);
                }
            }
        }
        found.absorbed.iter().for_each(|&n| {
            self.dead[n] = true;
            self.compound[n] = false;
        });
        self.passed = found.passed;
    }

    fn count_jumps(&mut self, body: &Body, block: Block) {
        match body.blocks[block].exit {
            Exit::Break(owner, _) => self.breaks[owner] += 1,
            Exit::Continue(owner, _) => self.continues[owner] += 1,
            _ => {}
        }
    }

    /// A construct ends where its merge block begins, or where the construct around it does.
    fn find_ends(&mut self, body: &Body) {
        for event in walk::events(body, body.entry) {
            match event {
                walk::Event::Enter { block, kind: walk::BlockKind::Merge, parent, .. } => {
                    self.end[parent] = self.order[block];
                }
                walk::Event::Enter { .. } | walk::Event::Leave { .. } => {}
            }
        }
    }

    /// Marks `Load p`, `op`, `Store p` with nothing in between that writes.
    fn find_compound<'m, D: Dialect<'m>>(
        &mut self,
        w: &D,
        body: &Body,
        raw: &SideTable<Local, u32>,
        // Block and number of writes before it, for loads that are used once.
        loads: &mut SideTable<Local, (u32, u32)>,
        block: Block,
    ) {
        let (module, functions) = (w.module, &w.summaries);
        let nodes = &body.blocks[block].nodes;
        let place = self.order[block];
        let mut writes = 0;
        for &node in nodes {
            let data = body.node(node);
            match data.op {
                Op::Load => {
                    if let Some(result) = body.result(node)
                        && raw[result] == 1
                    {
                        loads[result] = (place, writes);
                    }
                }
                Op::Store => {
                    let &[pointer, value] = body.args(node) else { continue };
                    if let Some((load, op)) = compound_parts(w, body, raw, pointer, value)
                        && body.result(load).map(|l| loads[l]) == Some((place, writes))
                    {
                        self.compound[load] = true;
                        self.compound[op] = true;
                        self.compound[node] = true;
                    }
                    writes += 1;
                }
                _ => {
                    if data.op.info().class == Class::Texture
                        && let Some(whole) = D::whole_operand(module, body, raw, node)
                    {
                        self.whole.insert(node, whole);
                    }
                    if data.op.info().effect != Effect::Pure
                        && !node_effects(module, body, functions, node).writes.is_empty()
                    {
                        writes += 1;
                    }
                }
            }
        }
    }

    fn sweep(&mut self, module: &Module, body: &Body, functions: &SideTable<Func, Effects>, block: Block) {
        let place = self.order[block];
        let data = &body.blocks[block];
        data.exit.for_each_operand(|v| self.mention(v, 1, place));
        for &node in data.nodes.iter().rev() {
            if self.dead[node] {
                continue;
            }
            let op = body.node(node).op;
            let used: u32 = body.results(node).map(|r| self.count[r]).sum();
            if used == 0 && self.is_droppable(module, body, functions, node) {
                self.dead[node] = true;
                continue;
            }
            // Operands of a node that is written where its result is used are mentioned as late as that.
            let moves = used == 1 || op.text().starts_with("extract_") || passes_on(module, body, node);
            let result = body.result(node).filter(|_| moves);
            let place = result.map_or(place, |r| place.max(self.last[r]));
            let weight = if passes_on(module, body, node) { used.clamp(1, 2) } else { 1 };
            let whole = self.whole.get(&node).copied();
            if let Some(whole) = whole {
                self.mention(whole, 1, place);
            }
            for (i, &arg) in body.args(node).iter().enumerate() {
                if whole.is_some() && (i == 1 || i == 2) {
                    continue;
                }
                // The pointer of `p op= x` is mentioned once, by the store.
                let skip = i == 0 && op == Op::Load && self.compound[node];
                match self.passed.get(&(node, i)) {
                    Some(&pointer) => self.mention_pointer(body, pointer, place),
                    None => self.mention(arg, if skip { 0 } else { weight }, place),
                }
            }
        }
    }

    /// Mentions a pointer that may be defined later: then neither it nor its operands have been mentioned yet.
    fn mention_pointer(&mut self, body: &Body, mut pointer: Value, place: u32) {
        loop {
            self.mention(pointer, 1, place);
            match body.node_of(pointer) {
                Some(node) if std::mem::take(&mut self.dead[node]) => pointer = body.args(node)[0],
                _ => return,
            }
        }
    }

    fn is_droppable(&self, module: &Module, body: &Body, functions: &SideTable<Func, Effects>, node: Node) -> bool {
        let op = body.node(node).op;
        op.is_droppable(body.node(node).imm)
            || op == Op::Call && node_effects(module, body, functions, node).writes.is_empty()
    }

    fn mention(&mut self, value: Value, weight: u32, place: u32) {
        if let Some(local) = value.as_local() {
            self.count[local] += weight;
            self.last[local] = self.last[local].max(place);
        } else if let Some(var) = value.as_var() {
            self.var_count[var] += weight;
            self.last_var[var] = self.last_var[var].max(place);
        }
    }
}

/// Whether the result has no place of its own, so that each mention of it mentions the operands.
pub(crate) fn passes_on(module: &Module, body: &Body, node: Node) -> bool {
    let data = body.node(node);
    data.op.info().class == Class::Access
        || data.op == Op::CombineSampler
        || data.op == Op::Load && body.result(node).is_some_and(|r| module.types.is_opaque(body.local_type(r)))
}

/// The load and the operation of `*pointer = *pointer op x`.
fn compound_parts<'m, D: Dialect<'m>>(
    w: &D,
    body: &Body,
    raw: &SideTable<Local, u32>,
    pointer: Value,
    value: Value,
) -> Option<(Node, Node)> {
    let abilities = &w.abilities;
    let is_swizzle = body.node_of(pointer).is_some_and(|n| body.node(n).op == Op::AccessVectorComponentMulti);
    if !abilities.compound_assignment || is_swizzle && !abilities.assignments_to_swizzles {
        return None;
    }
    let op = body.node_of(value)?;
    if raw[value.as_local()?] != 1 || w.assign_operator(body, op).is_none() {
        return None;
    }
    let left = body.args(op)[0];
    let load = body.node_of(left)?;
    let ok = body.node(load).op == Op::Load
        && raw[left.as_local()?] == 1
        && body.args(load)[0] == pointer
        && w.module.type_of(body, left) == w.module.type_of(body, value);
    ok.then_some((load, op))
}
