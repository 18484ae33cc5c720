//! The cases of a switch: which lead to one block, and which go on with the next.

use naga::{SwitchCase, SwitchValue};
use planish_ir::entity::{Block, Const};
use planish_ir::function::{Case, Exit};

/// Cases that lead to one block.
pub(crate) struct Group {
    pub(crate) values: Vec<Const>,
    pub(crate) is_default: bool,
    pub(crate) block: Block,
}

/// Cases whose block does nothing but go on with the next are one with it.
pub(crate) fn group_cases(body: &planish_ir::function::Body, cases: &[Case]) -> Vec<Group> {
    let mut groups: Vec<Group> = vec![];
    let (mut values, mut is_default) = (vec![], false);
    for (i, case) in cases.iter().enumerate() {
        values.extend(case.values.iter().copied());
        is_default |= case.is_default;
        let data = &body.blocks[case.block];
        let empty = data.nodes.is_empty() && data.variables.is_empty() && data.exit == Exit::Passthrough;
        if empty && i + 1 < cases.len() {
            continue;
        }
        groups.push(Group { values: std::mem::take(&mut values), is_default, block: case.block });
        is_default = false;
    }
    groups
}

/// Whether a case goes on with the next one. Cases of inner switches do so among themselves.
pub(crate) fn falls_through(body: &planish_ir::function::Body, start: Block) -> bool {
    let mut stack = vec![start];
    while let Some(block) = stack.pop() {
        let exit = &body.blocks[block].exit;
        if *exit == Exit::Passthrough {
            return true;
        }
        stack.extend(exit.merge_block());
        if !matches!(exit, Exit::Switch { .. }) {
            stack.extend(exit.sub_blocks());
        }
    }
    false
}

/// Whether a case goes on with the next one from within a construct in it.
pub(crate) fn falls_from_inside(body: &planish_ir::function::Body, start: Block) -> bool {
    let mut block = start;
    loop {
        let exit = &body.blocks[block].exit;
        if !matches!(exit, Exit::Switch { .. }) && exit.sub_blocks().into_iter().any(|b| falls_through(body, b)) {
            return true;
        }
        match exit.merge_block() {
            Some(merge) => block = merge,
            None => return false,
        }
    }
}

pub(crate) fn push_cases(made: &mut Vec<SwitchCase>, values: Vec<SwitchValue>, is_default: bool, body: naga::Block) {
    let mut values = values;
    if is_default {
        values.push(SwitchValue::Default);
    }
    let Some(last) = values.pop() else { return };
    for value in values {
        made.push(SwitchCase { value, body: naga::Block::new(), fall_through: true });
    }
    made.push(SwitchCase { value: last, body, fall_through: false });
}
