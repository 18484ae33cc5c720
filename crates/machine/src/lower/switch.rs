//! `switch` as a table of edges where the values lie close together, else as comparisons by halves.

use planish_ir::function::Body;
use planish_ir::ops::{Imm, Op};
use planish_target::structure::{Arm, Switch};

use super::{Fallible, Lower};
use crate::code::{Arg, NONE, What};
use crate::isa::{Kind, Machine, TableJumps};

/// Maximum number of values that are compared one after the other.
const FEW: usize = 3;

/// A switch and its values.
struct Cases<'a, 'b> {
    switch: &'a Switch<'b>,
    arms: &'a [Arm<'b>],
    /// Values of the selector in ascending order, with the number of their case.
    values: Vec<(i128, u32)>,
    default: Option<u32>,
}

impl<I: Machine> Lower<'_, I> {
    pub(super) fn switch(&mut self, body: &Body, switch: &Switch<'_>, arms: &[Arm<'_>]) -> Fallible<()> {
        let mut values = vec![];
        for (i, case) in switch.cases.iter().enumerate() {
            self.label_block(case.block);
            let bits = case.values.iter().filter_map(|&c| self.module.consts.as_integer(&self.module.types, c));
            values.extend(bits.map(|value| (value, i as u32)));
        }
        values.sort_unstable();
        let to = Cases { switch, arms, values, default: switch.default_case().map(|i| i as u32) };
        let selector = switch.selector;
        let kind = self.kind_of(body, selector);
        let selector = self.arg(selector)?;
        let selector = self.in_register(selector);
        let (least, greatest) = (to.values.first().map_or(0, |v| v.0), to.values.last().map_or(0, |v| v.0));
        let dense = greatest - least < 2 * to.values.len() as i128 + 4;
        let table = self.isa.table_jumps() != TableJumps::None && matches!(kind, Kind::I32 | Kind::U32);
        if to.values.len() > FEW && dense && table {
            self.table(body, &to, kind, selector, least)
        } else {
            self.search(body, &to, kind, selector)
        }
    }

    /// A new edge to a case; `None`: to where the other values go.
    fn case_edge(&mut self, body: &Body, to: &Cases<'_, '_>, case: Option<u32>) -> Fallible<u32> {
        let Some(case) = case.or(to.default) else {
            return self.edge_with(body, self.label_of(to.switch.merge), to.switch.args);
        };
        let arm = &to.arms[case as usize];
        if let Some(edge) = self.only_leaves(body, arm)? {
            return Ok(edge);
        }
        self.room.scratch.clear();
        Ok(self.new_edge(self.label_of(arm.block)))
    }

    fn table(&mut self, body: &Body, to: &Cases<'_, '_>, kind: Kind, selector: Arg, least: i128) -> Fallible<()> {
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

    fn search(&mut self, body: &Body, to: &Cases<'_, '_>, kind: Kind, selector: Arg) -> Fallible<()> {
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
