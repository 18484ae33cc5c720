//! `switch` as a table of edges where the values lie close together, else as comparisons by halves.

use planish_ir::entity::{Block, Value};
use planish_ir::function::{Body, Case, Exit};
use planish_ir::ops::{Imm, Op};

use super::control::{Chain, Task};
use super::{Fallible, Lower};
use crate::code::{Arg, NONE, What};
use crate::isa::{Isa, Kind, TableJumps};

/// So few values are compared one after the other.
const FEW: usize = 3;

/// What leads where.
struct Cases<'a> {
    block: Block,
    cases: &'a [Case],
    /// Values of the selector in its order, with the number of their case.
    values: Vec<(i128, u32)>,
    default: Option<u32>,
    args: &'a [Value],
    merge: Block,
}

impl<I: Isa> Lower<'_, I> {
    pub(super) fn switch(
        &mut self,
        body: &Body,
        block: Block,
        selector: Value,
        cases: &[Case],
        args: &[Value],
        merge: Block,
    ) -> Fallible<()> {
        let mut values = vec![];
        for (i, case) in cases.iter().enumerate() {
            self.label_block(case.block);
            let bits = case.values.iter().filter_map(|&c| self.module.consts.as_integer(&self.module.types, c));
            values.extend(bits.map(|value| (value, i as u32)));
        }
        values.sort_unstable();
        let default = cases.iter().position(|case| case.is_default).map(|i| i as u32);
        let to = Cases { block, cases, values, default, args, merge };
        let kind = self.kind_of(body, selector);
        let selector = self.arg(selector)?;
        let selector = self.in_register(selector);
        let (least, greatest) = (to.values.first().map_or(0, |v| v.0), to.values.last().map_or(0, |v| v.0));
        let dense = greatest - least < 2 * to.values.len() as i128 + 4;
        let table = self.isa.table_jumps() != TableJumps::None && matches!(kind, Kind::I32 | Kind::U32);
        if to.values.len() > FEW && dense && table {
            self.table(body, &to, kind, selector, least)?;
        } else {
            self.search(body, &to, kind, selector)?;
        }
        let owner = block.as_u32();
        for (i, case) in cases.iter().enumerate().rev() {
            let label = self.room.block_labels[case.block.as_u32() as usize];
            self.room.tasks.push(Task::Arm(label, case.block, Chain { owner, case: i as u32 }));
        }
        Ok(())
    }

    /// A new edge to a case; `None`: to where the other values go.
    fn case_edge(&mut self, body: &Body, to: &Cases<'_>, case: Option<u32>) -> Fallible<u32> {
        let Some(case) = case.or(to.default) else {
            let label = self.room.block_labels[to.merge.as_u32() as usize];
            return self.edge_with(body, label, to.args);
        };
        let block = to.cases[case as usize].block;
        let inside = Chain { owner: to.block.as_u32(), case };
        if !matches!(body.blocks[block].exit, Exit::Passthrough)
            && let Some(edge) = self.only_leaves(body, block, inside)?
        {
            return Ok(edge);
        }
        self.room.scratch.clear();
        Ok(self.new_edge(self.room.block_labels[block.as_u32() as usize]))
    }

    fn table(&mut self, body: &Body, to: &Cases<'_>, kind: Kind, selector: Arg, least: i128) -> Fallible<()> {
        // A few entries more are cheaper than a subtraction.
        let base = if (0..=FEW as i128).contains(&least) { 0 } else { least };
        let index = if base == 0 {
            selector
        } else {
            let base = self.bits(kind, u64::from(base as u32));
            self.operation(Op::Subtract, Imm::NONE, kind, kind, &[selector, base])?
        };
        let first = self.room.code.edges.len() as u32;
        let mut next = base;
        for &(value, case) in &to.values {
            while next < value {
                self.case_edge(body, to, None)?;
                next += 1;
            }
            self.case_edge(body, to, Some(case))?;
            next += 1;
        }
        self.case_edge(body, to, None)?;
        let count = self.room.code.edges.len() as u32 - first;
        self.new_node(What::BrTable { first, count }, &[index], &[]);
        Ok(())
    }

    fn search(&mut self, body: &Body, to: &Cases<'_>, kind: Kind, selector: Arg) -> Fallible<()> {
        let mut pending = vec![(NONE, 0, to.values.len())];
        while let Some((label, start, end)) = pending.pop() {
            if label != NONE {
                self.room.code.labels[label as usize].node = self.room.code.nodes.len() as u32;
                self.new_node(What::Label(label), &[], &[]);
            }
            if end - start <= FEW {
                for &(value, case) in &to.values[start..end] {
                    let is = self.compare(Op::Equal, kind, selector, value)?;
                    let edge = self.case_edge(body, to, Some(case))?;
                    self.new_node(What::BrIf(edge), &[is], &[]);
                }
                let edge = self.case_edge(body, to, None)?;
                self.new_node(What::Br(edge), &[], &[]);
                continue;
            }
            let middle = start.midpoint(end);
            let below = self.compare(Op::LessThan, kind, selector, to.values[middle].0)?;
            let upper = self.new_label();
            self.room.scratch.clear();
            let edge = self.new_edge(upper);
            self.new_node(What::BrIfZero(edge), &[below], &[]);
            pending.extend([(upper, middle, end), (NONE, start, middle)]);
        }
        Ok(())
    }

    fn compare(&mut self, op: Op, kind: Kind, selector: Arg, value: i128) -> Fallible<Arg> {
        let bits = if kind.bits(I::WORD_BITS) == 64 { value as u64 } else { u64::from(value as u32) };
        let value = self.bits(kind, bits);
        self.operation(op, Imm::NONE, kind, Kind::Bool, &[selector, value])
    }
}
