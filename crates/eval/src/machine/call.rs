//! Calls and returns.

use planish_ir::arena::Id;
use planish_ir::entity::Func;
use planish_ir::function::TrapKind;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;

use super::Machine;
use crate::mask::Mask;
use crate::program::{Code, Inst, Program};
use crate::stop::Stop;

impl<'m> Machine<'m> {
    /// Begins a call; false if no lane needs it, or the host has done all of it.
    pub(super) fn call(&mut self, code: &Code, inst: &Inst) -> Result<bool, Stop> {
        if self.live().is_empty() {
            return Ok(false);
        }
        let groups = self.callees(code, inst)?;
        let frame = self.frames.last_mut().expect("a frame runs");
        frame.calls = groups;
        frame.back = Mask::NONE;
        self.call_next()
    }

    /// The functions that the running lanes call, and which lanes call each.
    fn callees(&mut self, code: &Code, inst: &Inst) -> Result<Vec<(Func, Mask)>, Stop> {
        let operand = code.args(inst)[0];
        let active = self.cx.active;
        let mut groups: Vec<(Func, Mask)> = Vec::new();
        let column = self.view().column(operand, 0).to_vec();
        let lanes: Vec<usize> =
            if column.len() == 1 { active.first_lane().into_iter().collect() } else { active.lanes().collect() };
        for lane in lanes {
            let word = if let [one] = *column { one } else { column[lane] };
            let func = match inst.op {
                Op::Call => Func::new(word as usize),
                _ => match self.table_callee(inst, word, lane)? {
                    Some(func) => func,
                    None => continue,
                },
            };
            let group = match groups.iter_mut().find(|g| g.0 == func) {
                Some(group) => group,
                None => {
                    groups.push((func, Mask::NONE));
                    groups.last_mut().expect("just pushed")
                }
            };
            if column.len() == 1 { group.1 = active } else { group.1.insert(lane) }
        }
        groups.reverse();
        Ok(groups)
    }

    /// The function at an index of a table, checked; `None` for a helper lane that would trap.
    fn table_callee(&self, inst: &Inst, index: u64, lane: usize) -> Result<Option<Func>, Stop> {
        let (table, ty) = inst.imm.as_table_type();
        let trap = |kind| match self.helpers.has(lane) {
            true => Ok(None),
            false => Err(Stop::Trap { kind, span: self.span() }),
        };
        let Some(&reference) = self.bytes.tables[table.index()].get(index as u32 as usize) else {
            return trap(TrapKind::OutOfBoundsTable);
        };
        let Some(func) = reference.checked_sub(1).map(|f| Func::new(f as usize)) else {
            return trap(TrapKind::UninitializedElement);
        };
        let module = self.program.module;
        if module.funcs[func].ty != ty {
            debug_assert!(matches!(module.types[ty], TypeKind::Function { .. }));
            return trap(TrapKind::IndirectCallType);
        }
        Ok(Some(func))
    }

    /// Enters the next of the running instruction's callees. Functions of the host are called on the way; false if there is
    /// nothing left but those, so that the caller goes on.
    fn call_next(&mut self) -> Result<bool, Stop> {
        let program = std::sync::Arc::clone(&self.program);
        let (func, mask, code) = loop {
            let Some((func, mask)) = self.frames.last_mut().expect("a frame runs").calls.pop() else {
                return Ok(false);
            };
            if let Some(code) = &program.code[func.index()] {
                break (func, mask, code);
            }
            self.call_host(func, &mask)?;
            let caller = self.frames.last_mut().expect("a frame runs");
            caller.back = caller.back.or(&mask);
        };
        let caller = self.frames.last().expect("a frame runs");
        let (caller_func, caller_regs, next) = (caller.func, caller.regs, caller.next);
        let caller_code = program.code[caller_func.index()].as_ref().expect("decoded");
        let inst = &caller_code.insts[next - 1];
        let caller_vars = self.cx.vars;
        self.enter(func, code, mask)?;
        let callee = self.frames.last().expect("just entered");
        let body = program.body(func).expect("decoded functions have bodies");
        let base = callee.regs;
        let n = self.n;
        for (&input, &arg) in body.blocks[body.entry].inputs.iter().zip(&caller_code.args(inst)[1..]) {
            let (at, size) = code.slot(input);
            for c in 0..size as usize {
                let to = base + (at as usize + c) * n;
                match arg {
                    crate::program::Operand::Reg { at, .. } => {
                        let from = caller_regs + (at as usize + c) * n;
                        self.regs.copy_within(from..from + n, to);
                    }
                    crate::program::Operand::Const { at, .. } => {
                        self.regs[to..to + n].fill(program.consts[at as usize + c]);
                    }
                    crate::program::Operand::Var(number) => {
                        let pointer = self.vars[caller_vars + number as usize];
                        self.regs[to..to + n].fill(pointer);
                    }
                }
            }
        }
        Ok(true)
    }

    /// The top frame has no lanes left: back to its caller. True if the caller (or nothing at all) runs on, false if its
    /// lanes too are all gone.
    pub(super) fn leave(&mut self, program: &Program<'m>, _code: &Code) -> Result<bool, Stop> {
        let frame = self.frames.pop().expect("a frame runs");
        self.top = frame.regs;
        self.lane_top = frame.lane_words;
        self.objects.truncate(frame.objects);
        self.vars.truncate(frame.vars);
        let Some(caller) = self.frames.last_mut() else { return Ok(true) };
        caller.back = caller.back.or(&frame.returned);
        self.resume(program);
        if self.call_next()? {
            return Ok(true);
        }
        // The host may have brought more lanes back.
        self.resume(program);
        let caller = self.frames.last_mut().expect("there is a caller");
        caller.active = caller.back;
        Ok(!caller.active.is_empty())
    }

    /// Makes the top frame the running one, in the lanes that are back from its call.
    fn resume(&mut self, program: &Program<'m>) {
        let frame = self.frames.last().expect("there is a caller");
        let code = program.code[frame.func.index()].as_ref().expect("decoded");
        let (regs, vars, active) = (frame.regs, frame.vars, frame.back);
        let (sticky, count) = (code.blocks[frame.block.index()].sticky, active.count());
        self.cx = super::Context { regs, vars, active, full: count == self.n, count, sticky };
    }
}
