//! Calls and returns. A call into another instance is one more frame, so the host's stack does not grow.

use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Type};
use planish_ir::function::{Param, TrapKind};
use planish_ir::meaning::Shape;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;

use super::store::StoreFunc;
use super::{Machine, spread};
use crate::mask::Mask;
use crate::program::{Code, Inst};
use crate::stop::Stop;
use crate::world::FuncType;

impl<'m> Machine<'m> {
    /// Runs a function of the store in the first `lanes` lanes. Arguments: for each parameter its components, each one
    /// word for all lanes or one per lane. Returns the results in the same form, one word per lane.
    pub(crate) fn call_function(
        &mut self,
        number: u32,
        args: &[Vec<u64>],
        lanes: usize,
    ) -> Result<Vec<Vec<u64>>, Stop> {
        if !matches!(self.store.funcs[number as usize], StoreFunc::Defined { .. }) {
            return self.invoke_host(number, args, lanes);
        }
        self.call_in(number, args, Mask::first(lanes.min(self.n)))
    }

    /// As [`Machine::call_function`], of a function with a body, in the lanes of a mask.
    pub(crate) fn call_in(&mut self, number: u32, args: &[Vec<u64>], mask: Mask) -> Result<Vec<Vec<u64>>, Stop> {
        let StoreFunc::Defined { instance, func } = self.store.funcs[number as usize] else {
            return Err(Stop::unsupported("a function without a body", planish_ir::source::Span::NONE));
        };
        let instance = instance as usize;
        let program = Arc::clone(&self.instances[instance].program);
        let function = &program.module.funcs[func];
        let code = program.code[func.index()].as_ref().expect("defined functions have code");
        let body = program.body(func).expect("decoded functions have bodies");
        self.lanes = mask;
        self.helpers = self.helpers_at_first;
        self.at = instance;
        self.top = 0;
        self.frames.clear();
        self.constructs.clear();
        self.vars.clear();
        let (objects, lane_top) = (self.objects.len(), self.lane_top);
        let results: usize = function.results.iter().map(|r| program.module.types.components(r.ty).unwrap_or(0)).sum();
        // The results' columns precede the frame.
        self.grow(results)?;
        self.regs[..results * self.n].fill(0);
        self.top = results * self.n;
        self.enter((instance, func), code, mask, 0)?;
        let base = self.frames[0].regs;
        for (input, arg) in body.blocks[body.entry].inputs.iter().zip(args) {
            let (at, size) = code.slot(*input);
            for (c, column) in arg.chunks((arg.len() / size.max(1) as usize).max(1)).enumerate() {
                spread(&mut self.regs[base + (at as usize + c) * self.n..][..self.n], column);
            }
        }
        let outcome = self.run();
        self.lane_top = lane_top;
        self.objects.truncate(objects);
        self.end_growable(0);
        self.top = 0;
        self.frames.clear();
        outcome?;
        Ok((0..results).map(|c| self.regs[c * self.n..][..self.n].to_vec()).collect())
    }

    /// Like [`Machine::call_function`], for a host function.
    fn invoke_host(&mut self, number: u32, args: &[Vec<u64>], lanes: usize) -> Result<Vec<Vec<u64>>, Stop> {
        self.frames.clear();
        let (sizes, count, caller) = match &self.store.funcs[number as usize] {
            StoreFunc::Host { ty, .. } => {
                let sizes: Vec<usize> = ty.params().iter().map(|t| t.words() as usize).collect();
                (sizes, ty.results().iter().map(|t| t.words() as usize).sum(), None)
            }
            &(StoreFunc::Open { instance, func, .. } | StoreFunc::Defined { instance, func }) => {
                let module = self.instances[instance as usize].program.module;
                let size = |ty| module.types.components(ty).unwrap_or(0);
                let function = &module.funcs[func];
                let sizes = function.params.iter().map(|p: &Param| size(p.ty)).collect();
                (sizes, function.results.iter().map(|r| size(r.ty)).sum::<usize>(), Some(instance as usize))
            }
        };
        let mut columns = vec![vec![0; self.n]; count];
        for lane in 0..lanes.min(self.n) {
            let of_lane = |(&size, words): (&usize, &Vec<u64>)| -> Vec<u64> {
                let wide = words.len() / size.max(1);
                words.chunks(wide.max(1)).map(|column| column[lane.min(column.len() - 1)]).collect()
            };
            let args = sizes.iter().zip(args).map(of_lane).collect();
            let words = self.ask_host(number, args, caller)?;
            columns.iter_mut().zip(words).for_each(|(column, word)| column[lane] = word);
        }
        Ok(columns)
    }

    /// Begins a call; returns false if no lane needs it, or if only host functions were called.
    pub(super) fn call(&mut self, code: &Code, inst: &Inst) -> Result<bool, Stop> {
        if self.live().is_empty() {
            return Ok(false);
        }
        let groups = self.callees(code, inst)?;
        let active = self.cx.active;
        let frame = self.frames.last_mut().expect("a frame runs");
        // The frame must stay if some of its lanes are not in the call.
        if inst.is_tail
            && frame.entered == active
            && let [(number, mask)] = groups[..]
            && mask == active
            && let StoreFunc::Defined { instance, func } = self.store.funcs[number as usize]
        {
            self.call_instead(code, inst, (instance as usize, func))?;
            return Ok(true);
        }
        frame.calls = groups;
        frame.back = Mask::NONE;
        self.call_next()
    }

    /// The functions (by index in the store) called by the running lanes, each with its lanes.
    fn callees(&mut self, code: &Code, inst: &Inst) -> Result<Vec<(u32, Mask)>, Stop> {
        let operand = code.args(inst)[0];
        let active = self.cx.active;
        let mut groups: Vec<(u32, Mask)> = Vec::new();
        let column = self.view().column(operand, 0).to_vec();
        let lanes: Vec<usize> =
            if column.len() == 1 { active.first_lane().into_iter().collect() } else { active.lanes().collect() };
        for lane in lanes {
            let word = if let [one] = *column { one } else { column[lane] };
            let number = match inst.op {
                Op::Call | Op::TailCall => self.instances[self.at].funcs[word as usize],
                _ => match self.table_callee(inst, word, lane)? {
                    Some(number) => number,
                    None => continue,
                },
            };
            let group = match groups.iter_mut().find(|g| g.0 == number) {
                Some(group) => group,
                None => {
                    groups.push((number, Mask::NONE));
                    groups.last_mut().expect("just pushed")
                }
            };
            if column.len() == 1 { group.1 = active } else { group.1.insert(lane) }
        }
        groups.reverse();
        Ok(groups)
    }

    /// The function at an index of a table, checked; `None` for a helper lane that would trap.
    fn table_callee(&mut self, inst: &Inst, index: u64, lane: usize) -> Result<Option<u32>, Stop> {
        let (table, ty) = inst.imm.as_table_type();
        let reference = self.table_items(table.index()).get(index as u32 as usize).copied();
        let callee = match reference.map(|r| r.checked_sub(1)) {
            None => Err(TrapKind::OutOfBoundsTable),
            Some(None) => Err(TrapKind::UninitializedElement),
            Some(Some(number)) if self.has_type(number as u32, ty) => Ok(number as u32),
            Some(Some(_)) => Err(TrapKind::IndirectCallType),
        };
        match callee {
            Ok(number) => Ok(Some(number)),
            Err(_) if self.helpers.has(lane) => Ok(None),
            Err(kind) => Err(Stop::Trap { kind, span: self.span() }),
        }
    }

    /// Whether a function has a type of the running instance's module.
    fn has_type(&self, number: u32, ty: Type) -> bool {
        let module = self.program().module;
        debug_assert!(matches!(module.types[ty], TypeKind::Function { .. }));
        // Within one module, equal types have equal ids.
        if let StoreFunc::Defined { instance, func } | StoreFunc::Open { instance, func, .. } =
            self.store.funcs[number as usize]
            && std::ptr::eq(self.instances[instance as usize].program.module, module)
        {
            return module.funcs[func].ty == ty;
        }
        let wanted = FuncType::of(&module.types, ty);
        wanted.is_some() && wanted == self.func_type(number)
    }

    /// The type of a function for other modules; `None` if it has no host type.
    pub(crate) fn func_type(&self, number: u32) -> Option<FuncType> {
        match &self.store.funcs[number as usize] {
            StoreFunc::Host { ty, .. } => Some(ty.clone()),
            &(StoreFunc::Defined { instance, func } | StoreFunc::Open { instance, func, .. }) => {
                let module = self.instances[instance as usize].program.module;
                FuncType::of(&module.types, module.funcs[func].ty)
            }
        }
    }

    /// The columns of a call's arguments; the caller returns the buffer to `self.moving`.
    fn arguments(&mut self, code: &Code, inst: &Inst) -> Vec<u64> {
        let mut moving = std::mem::take(&mut self.moving);
        moving.clear();
        let view = self.view();
        for &arg in &code.args(inst)[1..] {
            for c in 0..arg.size() {
                let at = moving.len();
                moving.resize(at + self.n, 0);
                spread(&mut moving[at..], view.column(arg, c));
            }
        }
        moving
    }

    /// Enters a function with argument columns.
    fn enter_with(
        &mut self,
        (instance, func): (usize, Func),
        mask: Mask,
        results: usize,
        columns: Vec<u64>,
    ) -> Result<(), Stop> {
        let program = Arc::clone(&self.instances[instance].program);
        let code = program.code[func.index()].as_ref().expect("defined functions have code");
        self.enter((instance, func), code, mask, results)?;
        let body = program.body(func).expect("decoded functions have bodies");
        let base = self.frames.last().expect("just entered").regs;
        let mut from = columns.chunks(self.n);
        for &input in &body.blocks[body.entry].inputs {
            let (at, size) = code.slot(input);
            for (c, column) in from.by_ref().take(size as usize).enumerate() {
                self.regs[base + (at as usize + c) * self.n..][..self.n].copy_from_slice(column);
            }
        }
        self.moving = columns;
        Ok(())
    }

    /// Tail call: replaces the running frame by that of the callee, whose results go to the frame's caller.
    fn call_instead(&mut self, code: &Code, inst: &Inst, callee: (usize, Func)) -> Result<(), Stop> {
        let columns = self.arguments(code, inst);
        let frame = self.pop_frame();
        self.constructs.truncate(frame.constructs);
        self.enter_with(callee, frame.entered, frame.results, columns)
    }

    /// Enters the next callee of the running instruction. Host functions are called immediately; returns false if no
    /// other callee remains, so that the caller continues.
    fn call_next(&mut self) -> Result<bool, Stop> {
        let (callee, mask) = loop {
            let Some((number, mask)) = self.frames.last_mut().expect("a frame runs").calls.pop() else {
                return Ok(false);
            };
            if let StoreFunc::Defined { instance, func } = self.store.funcs[number as usize] {
                break ((instance as usize, func), mask);
            }
            self.call_host(number, &mask)?;
            let caller = self.frames.last_mut().expect("a frame runs");
            caller.back = caller.back.or(&mask);
        };
        let program = Arc::clone(self.program());
        let caller = self.frames.last().expect("a frame runs");
        let code = program.code[caller.func.index()].as_ref().expect("decoded");
        let inst = &code.insts[caller.next - 1];
        let results = caller.regs + inst.out.0 as usize * self.n;
        let columns = self.arguments(code, inst);
        self.enter_with(callee, mask, results, columns)?;
        Ok(true)
    }

    /// Pops the top frame and its memory.
    fn pop_frame(&mut self) -> super::Frame {
        let frame = self.frames.pop().expect("a frame runs");
        self.top = frame.regs;
        self.lane_top = frame.lane_words;
        self.objects.truncate(frame.objects);
        self.end_growable(frame.growable);
        self.vars.truncate(frame.vars);
        frame
    }

    /// The top frame has no lanes left: returns to its caller. True if the caller (or nothing) runs on, false if it has
    /// no lanes left either.
    pub(super) fn leave(&mut self) -> Result<bool, Stop> {
        let frame = self.pop_frame();
        let Some(caller) = self.frames.last_mut() else { return Ok(true) };
        caller.back = caller.back.or(&frame.returned);
        self.resume();
        if self.call_next()? {
            return Ok(true);
        }
        // The host may have returned further lanes.
        self.resume();
        let caller = self.frames.last_mut().expect("there is a caller");
        caller.active = caller.back;
        Ok(!caller.active.is_empty())
    }

    /// Makes the top frame the running one, with the lanes that have returned from its call.
    fn resume(&mut self) {
        let frame = self.frames.last().expect("there is a caller");
        self.at = frame.instance;
        let code = self.program().code[frame.func.index()].as_ref().expect("decoded");
        let (regs, vars, active) = (frame.regs, frame.vars, frame.back);
        let (sticky, count) = (code.blocks[frame.block.index()].sticky, active.count());
        self.cx = super::Context { regs, vars, active, full: count == self.n, count, sticky };
    }
}
