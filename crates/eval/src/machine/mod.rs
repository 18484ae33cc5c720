//! The machine that runs a program: many lanes in lockstep, each construct under a mask of the lanes that are in it.
//!
//! A register is a component of a local value in every lane: `n` words in a row. The stack of constructs is explicit, so
//! neither long programs nor deep ones use the host's stack. Lanes that are not in the mask may compute (pure ops never
//! fault), but never store.

mod bytes;
mod call;
mod control;
pub(crate) mod host;
mod images;
mod memory;
mod pure;
mod quad;
mod step;

use std::sync::Arc;

use planish_ir::entity::{Block, Func, Var};
use planish_ir::source::Span;

use crate::mask::Mask;
use crate::pointer::{MAX_OBJECTS, Pointer};
use crate::program::{Code, Operand, Program, fixed_size, flatten, is_per_lane};
use crate::stop::{Limits, Stop};
use crate::texture::Textures;

pub(crate) use bytes::ByteWorld;

/// A variable's memory.
#[derive(Clone, Copy)]
struct Object {
    /// Per lane: the first word in `lane_words`. Shared: the number in `shared`.
    at: usize,
    /// Components.
    size: usize,
    per_lane: bool,
}

/// An activation of a function.
struct Frame {
    func: Func,
    regs: usize,
    vars: usize,
    objects: usize,
    lane_words: usize,
    constructs: usize,
    block: Block,
    /// The next instruction.
    next: usize,
    active: Mask,
    /// Lanes that have returned.
    returned: Mask,
    /// Callees still to be called by the current instruction, and the lanes that have come back from others.
    calls: Vec<(Func, Mask)>,
    back: Mask,
}

/// The running block's surroundings, copied from its frame.
#[derive(Clone, Copy)]
struct Context {
    regs: usize,
    vars: usize,
    active: Mask,
    /// Whether all lanes are active.
    full: bool,
    count: usize,
    sticky: bool,
}

/// Operands' columns.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    regs: &'a [u64],
    consts: &'a [u64],
    vars: &'a [u64],
    base: usize,
    n: usize,
}

impl<'a> View<'a> {
    /// Component `c` of an operand in every lane; one word where it is the same in all.
    #[inline]
    fn column(&self, operand: Operand, c: usize) -> &'a [u64] {
        match operand {
            Operand::Reg { at, .. } => &self.regs[self.base + (at as usize + c) * self.n..][..self.n],
            Operand::Const { at, .. } => &self.consts[at as usize + c..][..1],
            Operand::Var(number) => &self.vars[number as usize..][..1],
        }
    }

    #[inline]
    fn get(&self, operand: Operand, c: usize, lane: usize) -> u64 {
        match operand {
            Operand::Reg { at, .. } => self.regs[self.base + (at as usize + c) * self.n + lane],
            Operand::Const { at, .. } => self.consts[at as usize + c],
            Operand::Var(number) => self.vars[number as usize],
        }
    }
}

/// See the module's documentation.
pub(crate) struct Machine<'m> {
    pub(crate) program: Arc<Program<'m>>,
    pub(crate) limits: Limits,
    /// Lanes.
    pub(crate) n: usize,
    pub(crate) steps: u64,
    regs: Vec<u64>,
    /// Registers in use.
    top: usize,
    scratch: Vec<u64>,
    /// Columns on their way from one block to another.
    moving: Vec<u64>,
    objects: Vec<Object>,
    lane_words: Vec<u64>,
    lane_top: usize,
    pub(crate) shared: Vec<Vec<u64>>,
    /// Addresses of the variables of all frames.
    vars: Vec<u64>,
    frames: Vec<Frame>,
    constructs: Vec<control::Construct>,
    cx: Context,
    /// Lanes that run only for their neighbours' derivatives: discarded or demoted fragments.
    pub(crate) helpers: Mask,
    lanes: Mask,
    pub(crate) bytes: ByteWorld,
    pub(crate) textures: Textures,
    /// Lanes that are helpers from the beginning: beyond the picture's edge.
    pub(crate) helpers_at_first: Mask,
    /// The pixel of each lane's fragment.
    pub(crate) fragments: Vec<[u32; 2]>,
    next_token: u64,
    pub(crate) hosts: host::Hosts<'m>,
}

impl<'m> Machine<'m> {
    /// A machine with memory for the module's variables, each initialized.
    pub(crate) fn new(program: Arc<Program<'m>>, limits: Limits, n: usize) -> Result<Self, Stop> {
        let bytes = ByteWorld::new(program.module, limits)?;
        let context = Context { regs: 0, vars: 0, active: Mask::NONE, full: false, count: 0, sticky: false };
        let mut machine = Machine {
            program,
            limits,
            n,
            steps: 0,
            regs: Vec::new(),
            top: 0,
            scratch: Vec::new(),
            moving: Vec::new(),
            objects: Vec::new(),
            lane_words: Vec::new(),
            lane_top: 0,
            shared: Vec::new(),
            vars: Vec::new(),
            frames: Vec::new(),
            constructs: Vec::new(),
            cx: context,
            helpers: Mask::NONE,
            lanes: Mask::first(n),
            bytes,
            textures: Textures::default(),
            helpers_at_first: Mask::NONE,
            fragments: Vec::new(),
            next_token: 1,
            hosts: host::Hosts::default(),
        };
        machine.make_globals()?;
        machine.instantiate()?;
        Ok(machine)
    }

    /// An object for each variable of the module, by its index; those of functions stay empty.
    fn make_globals(&mut self) -> Result<(), Stop> {
        let module = self.program.module;
        if module.vars.len() >= MAX_OBJECTS {
            return Err(Stop::MemoryLimit);
        }
        for (_, var) in module.vars.iter() {
            let global = var.space != planish_ir::types::AddressSpace::Function;
            let size = if global { fixed_size(&module.types, var.ty) } else { 0 };
            if is_per_lane(var) {
                let at = self.lane_top;
                self.lane_top += size.checked_mul(self.n).ok_or(Stop::MemoryLimit)?;
                self.check_memory(0)?;
                self.objects.push(Object { at, size, per_lane: true });
            } else {
                self.objects.push(Object { at: self.shared.len(), size, per_lane: false });
                if size > self.limits.words {
                    return Err(Stop::MemoryLimit);
                }
                self.shared.push(vec![0; size]);
            }
        }
        self.lane_words.resize(self.lane_top, 0);
        self.reset_globals();
        Ok(())
    }

    /// All variables of the module as they are at first.
    fn reset_globals(&mut self) {
        let module = self.program.module;
        for (id, var) in module.vars.iter() {
            let object = self.objects[id.as_u32() as usize];
            if let (false, Some(c)) = (object.per_lane, var.initializer) {
                let mut initial = Vec::new();
                flatten(module, c, &mut initial);
                self.shared[object.at][..initial.len()].copy_from_slice(&initial);
            }
        }
        self.reset_invocation();
    }

    /// Private variables, inputs and outputs as they are when an invocation begins.
    pub(crate) fn reset_invocation(&mut self) {
        let module = self.program.module;
        for (id, var) in module.vars.iter() {
            let object = self.objects[id.as_u32() as usize];
            if !object.per_lane || object.size == 0 {
                continue;
            }
            self.lane_words[object.at..][..object.size * self.n].fill(0);
            if let Some(c) = var.initializer {
                let mut initial = Vec::new();
                flatten(module, c, &mut initial);
                for (c, &value) in initial.iter().enumerate().take(object.size) {
                    self.lane_words[object.at + c * self.n..][..self.n].fill(value);
                }
            }
        }
    }

    /// Fails if `more` words would be above the limit.
    fn check_memory(&self, more: usize) -> Result<(), Stop> {
        let used = self.top + self.lane_top + more;
        if used > self.limits.words { Err(Stop::MemoryLimit) } else { Ok(()) }
    }

    /// The words of a variable that all lanes share.
    pub(crate) fn shared_mut(&mut self, var: Var) -> Option<&mut Vec<u64>> {
        let object = self.objects[var.as_u32() as usize];
        (!object.per_lane).then(|| &mut self.shared[object.at])
    }

    /// As [`Machine::shared_mut`], to read.
    pub(crate) fn shared_ref(&self, var: Var) -> Option<&[u64]> {
        let object = self.objects[var.as_u32() as usize];
        (!object.per_lane).then(|| &self.shared[object.at][..])
    }

    /// Gives a shared variable with a runtime-sized array other words; its size follows.
    pub(crate) fn replace_shared(&mut self, var: Var, words: Vec<u64>) {
        let object = &mut self.objects[var.as_u32() as usize];
        if !object.per_lane {
            object.size = words.len();
            self.shared[object.at] = words;
        }
    }

    /// Component `c` of a global variable in every lane.
    pub(crate) fn lane_column_mut(&mut self, var: Var, c: usize) -> Option<&mut [u64]> {
        let object = self.objects[var.as_u32() as usize];
        (object.per_lane && c < object.size).then(|| &mut self.lane_words[object.at + c * self.n..][..self.n])
    }

    /// As [`Machine::lane_column_mut`], to read.
    pub(crate) fn lane_column(&self, var: Var, c: usize) -> Option<&[u64]> {
        let object = self.objects[var.as_u32() as usize];
        (object.per_lane && c < object.size).then(|| &self.lane_words[object.at + c * self.n..][..self.n])
    }

    /// Memory for an argument that travels by address, with these columns; gives its address. It lives until
    /// [`Machine::drop_temporaries`].
    pub(crate) fn temporary(&mut self, columns: &[u64]) -> Result<u64, Stop> {
        let (at, size) = (self.lane_top, columns.len() / self.n);
        self.lane_top += columns.len();
        self.check_memory(0)?;
        if self.lane_words.len() < self.lane_top {
            self.lane_words.resize(self.lane_top, 0);
        }
        self.lane_words[at..at + columns.len()].copy_from_slice(columns);
        self.objects.push(Object { at, size, per_lane: true });
        Ok(Pointer::to(self.objects.len() as u32 - 1).0)
    }

    /// The components of such memory in one lane.
    pub(crate) fn read_temporary(&self, pointer: u64, size: usize, lane: usize) -> Vec<u64> {
        let object = self.objects[Pointer(pointer).object()];
        (0..size).map(|c| self.lane_words[object.at + c * self.n + lane]).collect()
    }

    /// Frees it.
    pub(crate) fn drop_temporaries(&mut self) {
        let globals = self.program.module.vars.len();
        if let Some(first) = self.objects.get(globals) {
            self.lane_top = first.at;
        }
        self.objects.truncate(globals);
    }

    fn view(&self) -> View<'_> {
        View {
            regs: &self.regs,
            consts: &self.program.consts,
            vars: &self.vars[self.cx.vars..],
            base: self.cx.regs,
            n: self.n,
        }
    }

    /// Lanes of the running block that are not helpers.
    fn live(&self) -> Mask {
        self.cx.active.without(&self.helpers)
    }

    /// Runs a function in the first `lanes` lanes. Its arguments: for each parameter its components, each one word for
    /// all lanes or one for each. The results, likewise, one for each lane.
    pub(crate) fn invoke(&mut self, func: Func, args: &[Vec<u64>], lanes: usize) -> Result<Vec<Vec<u64>>, Stop> {
        let program = Arc::clone(&self.program);
        let function = &program.module.funcs[func];
        let Some(code) = &program.code[func.as_u32() as usize] else {
            return self.invoke_host(func, args, lanes);
        };
        let body = program.body(func).expect("decoded functions have bodies");
        let mask = Mask::first(lanes.min(self.n));
        self.lanes = mask;
        self.helpers = self.helpers_at_first;
        self.top = 0;
        self.frames.clear();
        self.constructs.clear();
        self.vars.clear();
        let objects = self.objects.len();
        use planish_ir::meaning::Shape;
        let results: usize = function.results.iter().map(|r| program.module.types.components(r.ty).unwrap_or(0)).sum();
        // The results' columns come first; the frame follows.
        self.grow(results)?;
        self.regs[..results * self.n].fill(0);
        self.top = results * self.n;
        let globals_end = self.lane_top;
        self.enter(func, code, mask)?;
        let base = self.frames[0].regs;
        let inputs = &body.blocks[body.entry].inputs;
        for (input, arg) in inputs.iter().zip(args) {
            let (at, size) = code.slot(*input);
            for (c, column) in arg.chunks((arg.len() / size.max(1) as usize).max(1)).enumerate() {
                let to = &mut self.regs[base + (at as usize + c) * self.n..][..self.n];
                spread(to, column);
            }
        }
        let outcome = self.run();
        self.lane_top = globals_end;
        self.objects.truncate(objects);
        self.top = 0;
        self.frames.clear();
        outcome?;
        Ok((0..results).map(|c| self.regs[c * self.n..][..self.n].to_vec()).collect())
    }

    /// As [`Machine::invoke`], for a function of the host.
    fn invoke_host(&mut self, func: Func, args: &[Vec<u64>], lanes: usize) -> Result<Vec<Vec<u64>>, Stop> {
        use planish_ir::meaning::Shape;
        let module = self.program.module;
        let size = |ty| module.types.components(ty).unwrap_or(0);
        let function = &module.funcs[func];
        let count: usize = function.results.iter().map(|r| size(r.ty)).sum();
        let mut columns = vec![vec![0; self.n]; count];
        for lane in 0..lanes.min(self.n) {
            let of_lane = |(param, words): (&planish_ir::function::Param, &Vec<u64>)| -> Vec<u64> {
                let wide = words.len() / size(param.ty).max(1);
                words.chunks(wide.max(1)).map(|column| column[lane.min(column.len() - 1)]).collect()
            };
            let args = function.params.iter().zip(args).map(of_lane).collect();
            let words = self.ask_host(func, args)?;
            columns.iter_mut().zip(words).for_each(|(column, word)| column[lane] = word);
        }
        Ok(columns)
    }

    /// Room for so many more columns.
    fn grow(&mut self, columns: usize) -> Result<(), Stop> {
        let more = columns.checked_mul(self.n).ok_or(Stop::MemoryLimit)?;
        self.check_memory(more)?;
        if self.regs.len() < self.top + more {
            self.regs.resize(self.top + more, 0);
        }
        Ok(())
    }

    /// A new frame on top, whose entry block runs next. The caller fills the parameters.
    fn enter(&mut self, func: Func, code: &Code, active: Mask) -> Result<(), Stop> {
        if self.frames.len() >= self.limits.depth {
            let kind = planish_ir::function::TrapKind::StackOverflow;
            return Err(Stop::Trap { kind, span: self.program.module.funcs[func].span });
        }
        let entry = self.program.body(func).expect("decoded functions have bodies").entry;
        let frame = Frame {
            func,
            regs: self.top,
            vars: self.vars.len(),
            objects: self.objects.len(),
            lane_words: self.lane_top,
            constructs: self.constructs.len(),
            block: entry,
            next: 0,
            active,
            returned: Mask::NONE,
            calls: Vec::new(),
            back: Mask::NONE,
        };
        self.grow(code.columns as usize)?;
        self.top += code.columns as usize * self.n;
        for var in &code.vars {
            let size = var.size as usize;
            if self.objects.len() >= MAX_OBJECTS {
                return Err(Stop::MemoryLimit);
            }
            self.vars.push(Pointer::to(self.objects.len() as u32).0);
            self.objects.push(Object { at: self.lane_top, size, per_lane: true });
            self.lane_top += size.checked_mul(self.n).ok_or(Stop::MemoryLimit)?;
        }
        self.check_memory(0)?;
        if self.lane_words.len() < self.lane_top {
            self.lane_words.resize(self.lane_top, 0);
        }
        self.frames.push(frame);
        self.goto(code, entry, active);
        Ok(())
    }

    /// Makes `block` of the top frame the running one and its variables new.
    fn goto(&mut self, code: &Code, block: Block, active: Mask) {
        let frame = self.frames.last_mut().expect("a frame runs");
        let block_code = &code.blocks[block.as_u32() as usize];
        frame.block = block;
        frame.next = block_code.insts.0 as usize;
        frame.active = active;
        let count = active.count();
        self.cx = Context {
            regs: frame.regs,
            vars: frame.vars,
            active,
            full: count == self.n,
            count,
            sticky: block_code.sticky,
        };
        let objects = frame.objects;
        for &number in &block_code.vars {
            let var = &code.vars[number as usize];
            let object = self.objects[objects + number as usize];
            let program = &self.program;
            for c in 0..object.size {
                let value = var.initial.map_or(0, |at| program.consts[at as usize + c]);
                let column = &mut self.lane_words[object.at + c * self.n..][..self.n];
                blend(column, &[value], &active, self.cx.full);
            }
        }
    }

    /// Where the program is.
    fn span(&self) -> Span {
        let Some(frame) = self.frames.last() else { return Span::NONE };
        let Some(code) = &self.program.code[frame.func.as_u32() as usize] else { return Span::NONE };
        let body = self.program.body(frame.func).expect("decoded functions have bodies");
        match code.insts.get(frame.next.saturating_sub(1)) {
            Some(inst) if frame.next > code.blocks[frame.block.as_u32() as usize].insts.0 as usize => {
                body.node(inst.node).span
            }
            _ => body.blocks[frame.block].exit_span,
        }
    }
}

/// Copies a column; one word goes to all lanes.
fn spread(to: &mut [u64], column: &[u64]) {
    match *column {
        [one] => to.fill(one),
        _ => to[..column.len()].copy_from_slice(column),
    }
}

/// Copies a column to the lanes of a mask.
fn blend(to: &mut [u64], column: &[u64], mask: &Mask, full: bool) {
    if full {
        return spread(to, column);
    }
    let one = if let [one] = *column { Some(one) } else { None };
    for (i, (&word, to)) in mask.words().iter().zip(to.chunks_mut(64)).enumerate() {
        if word == 0 {
            continue;
        }
        // All bits where the lane takes part, without a branch for each.
        let keep = |bit: usize| (word >> bit & 1).wrapping_neg();
        match one {
            Some(one) => to.iter_mut().enumerate().for_each(|(bit, to)| *to = one & keep(bit) | *to & !keep(bit)),
            None => {
                let from = &column[64 * i..];
                to.iter_mut().zip(from).enumerate().for_each(|(bit, (to, from))| {
                    *to = from & keep(bit) | *to & !keep(bit);
                });
            }
        }
    }
}
