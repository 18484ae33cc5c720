//! The machine that runs a program: many lanes in lockstep, each construct under a mask of its active lanes.
//!
//! A register is a component of a local value in every lane: `n` consecutive words. The stack of constructs is
//! explicit, so neither long nor deeply nested programs use the host's stack. Inactive lanes may compute (pure ops
//! never fault), but never store.

mod bytes;
mod call;
mod control;
pub(crate) mod host;
mod images;
pub(crate) mod instance;
mod memory;
mod pure;
mod quad;
mod step;
pub(crate) mod store;
pub(crate) mod subgroup;
pub(crate) mod watch;

use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Func, Var};
use planish_ir::function::TrapKind;
use planish_ir::module::{EntryPoint, Stage};
use planish_ir::source::Span;

use crate::mask::Mask;
use crate::pointer::{MAX_OBJECTS, Pointer};
use crate::program::{Code, Operand, Program};
use crate::stop::{Limits, Stop};
use crate::texture::Textures;

/// Memory of a variable.
#[derive(Clone, Copy)]
struct Object {
    /// Per lane: first word in `lane_words`. Shared: index in `shared`. Growable: index of the first lane's in `growable`.
    at: usize,
    /// Number of components; 0 of growable arrays.
    size: usize,
    place: Place,
}

/// The memory of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A column of words for each component.
    Lanes,
    Shared,
    /// An array for each lane.
    Growable,
}

/// An activation of a function.
struct Frame {
    instance: usize,
    func: Func,
    /// Destination of the results: the word of the first lane of the first column.
    results: usize,
    regs: usize,
    vars: usize,
    objects: usize,
    lane_words: usize,
    growable: usize,
    constructs: usize,
    block: Block,
    /// Index of the next instruction.
    next: usize,
    /// Lanes at entry.
    entered: Mask,
    active: Mask,
    /// Lanes that have returned.
    returned: Mask,
    /// Remaining callees of the current instruction, and the lanes that have returned from others.
    calls: Vec<(u32, Mask)>,
    back: Mask,
}

/// Context of the running block, copied from its frame.
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

/// Access to the columns of operands.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    regs: &'a [u64],
    consts: &'a [u64],
    vars: &'a [u64],
    globals: &'a [u64],
    base: usize,
    n: usize,
}

impl<'a> View<'a> {
    /// Component `c` of an operand in every lane; one word if it is the same in all.
    #[inline]
    fn column(&self, operand: Operand, c: usize) -> &'a [u64] {
        match operand {
            Operand::Reg { at, .. } => &self.regs[self.base + (at as usize + c) * self.n..][..self.n],
            Operand::Const { at, .. } => &self.consts[at as usize + c..][..1],
            Operand::Var(number) => &self.vars[number as usize..][..1],
            Operand::Global(number) => &self.globals[number as usize..][..1],
        }
    }

    #[inline]
    fn get(&self, operand: Operand, c: usize, lane: usize) -> u64 {
        match operand {
            Operand::Reg { at, .. } => self.regs[self.base + (at as usize + c) * self.n + lane],
            Operand::Const { at, .. } => self.consts[at as usize + c],
            Operand::Var(number) => self.vars[number as usize],
            Operand::Global(number) => self.globals[number as usize],
        }
    }
}

/// See the module documentation.
pub(crate) struct Machine<'m> {
    pub(crate) instances: Vec<instance::Instance<'m>>,
    /// Index of the running instance.
    pub(crate) at: usize,
    pub(crate) limits: Limits,
    /// Number of lanes.
    pub(crate) n: usize,
    pub(crate) steps: u64,
    regs: Vec<u64>,
    /// Number of used register words.
    top: usize,
    scratch: Vec<u64>,
    /// Buffer of columns passed between blocks.
    moving: Vec<u64>,
    objects: Vec<Object>,
    lane_words: Vec<u64>,
    lane_top: usize,
    /// Number of objects and lane words of the instances, below those of frames.
    at_rest: (usize, usize),
    pub(crate) shared: Vec<Vec<u64>>,
    /// The growable arrays of the frames: of each variable one for each lane.
    growable: Vec<Vec<u64>>,
    /// Their words.
    grown: usize,
    /// Addresses of the variables of all frames.
    vars: Vec<u64>,
    frames: Vec<Frame>,
    constructs: Vec<control::Construct>,
    cx: Context,
    /// Helper lanes, which run only for their neighbours' derivatives: discarded or demoted fragments.
    pub(crate) helpers: Mask,
    lanes: Mask,
    pub(crate) store: store::Store<'m>,
    pub(crate) textures: Textures,
    /// Lanes that are helpers from the start: outside the picture.
    pub(crate) helpers_at_first: Mask,
    /// The pixel of each lane's fragment.
    pub(crate) fragments: Vec<[u32; 2]>,
    /// Whether the level of detail of textures is computed from differences of coordinates between neighbours: in
    /// fragment shaders, and in functions called without a stage.
    implicit_levels: bool,
    next_token: u64,
    /// The record of its steps, if one is wanted.
    pub(crate) watch: Option<Box<watch::Watch>>,
}

impl<'m> Machine<'m> {
    /// A machine with one instance, whose imported functions are unresolved.
    pub(crate) fn new(program: Arc<Program<'m>>, limits: Limits, n: usize) -> Result<Self, Stop> {
        let mut machine = Machine::empty(limits, n);
        machine.add_instance(program, &instance::Links::default())?;
        machine.initialize(0)?;
        Ok(machine)
    }

    /// A machine without an instance.
    pub(crate) fn empty(limits: Limits, n: usize) -> Self {
        let context = Context { regs: 0, vars: 0, active: Mask::NONE, full: false, count: 0, sticky: false };
        Machine {
            instances: Vec::new(),
            at: 0,
            limits,
            n,
            steps: 0,
            regs: Vec::new(),
            top: 0,
            scratch: Vec::new(),
            moving: Vec::new(),
            objects: Vec::new(),
            lane_words: Vec::new(),
            growable: Vec::new(),
            grown: 0,
            lane_top: 0,
            at_rest: (0, 0),
            shared: Vec::new(),
            vars: Vec::new(),
            frames: Vec::new(),
            constructs: Vec::new(),
            cx: context,
            helpers: Mask::NONE,
            lanes: Mask::first(n),
            store: store::Store::default(),
            textures: Textures::default(),
            helpers_at_first: Mask::NONE,
            fragments: Vec::new(),
            implicit_levels: true,
            next_token: 1,
            watch: None,
        }
    }

    /// The program of the running instance.
    pub(crate) fn program(&self) -> &Arc<Program<'m>> {
        &self.instances[self.at].program
    }

    /// The address of a variable of an instance.
    pub(crate) fn address(&self, instance: usize, var: Var) -> Pointer {
        Pointer(self.instances[instance].globals[var.index()])
    }

    /// A component of a per-lane object, in the first lane.
    pub(crate) fn object_word(&self, object: usize, c: usize) -> u64 {
        self.lane_words[self.objects[object].at + c * self.n]
    }

    /// Sets a component of a per-lane object in every lane.
    pub(crate) fn set_object_word(&mut self, object: usize, c: usize, word: u64) {
        let at = self.objects[object].at + c * self.n;
        self.lane_words[at..at + self.n].fill(word);
    }

    /// The object of a variable of the running instance.
    fn object(&self, var: Var) -> Object {
        self.objects[self.address(self.at, var).object()]
    }

    /// Checks that `more` words do not exceed the limit.
    fn check_memory(&self, more: usize) -> Result<(), Stop> {
        let used = self.top + self.lane_top + self.grown + more;
        if used > self.limits.words { Err(Stop::MemoryLimit) } else { Ok(()) }
    }

    /// The words of a variable that all lanes share.
    pub(crate) fn shared_mut(&mut self, var: Var) -> Option<&mut Vec<u64>> {
        let object = self.object(var);
        (object.place == Place::Shared).then(|| &mut self.shared[object.at])
    }

    /// Like [`Machine::shared_mut`], immutable.
    pub(crate) fn shared_ref(&self, var: Var) -> Option<&[u64]> {
        let object = self.object(var);
        (object.place == Place::Shared).then(|| &self.shared[object.at][..])
    }

    /// Replaces the words of a shared variable with a runtime-sized array, including its length.
    pub(crate) fn replace_shared(&mut self, var: Var, words: Vec<u64>) {
        let at = self.address(self.at, var).object();
        let object = &mut self.objects[at];
        if object.place == Place::Shared {
            object.size = words.len();
            self.shared[object.at] = words;
        }
    }

    /// Component `c` of a global variable in every lane.
    pub(crate) fn lane_column_mut(&mut self, var: Var, c: usize) -> Option<&mut [u64]> {
        let object = self.object(var);
        (object.place == Place::Lanes && c < object.size)
            .then(|| &mut self.lane_words[object.at + c * self.n..][..self.n])
    }

    /// Like [`Machine::lane_column_mut`], immutable.
    pub(crate) fn lane_column(&self, var: Var, c: usize) -> Option<&[u64]> {
        let object = self.object(var);
        (object.place == Place::Lanes && c < object.size).then(|| &self.lane_words[object.at + c * self.n..][..self.n])
    }

    /// Allocates memory for an argument passed by address, with these columns; returns its address. Valid until
    /// [`Machine::drop_temporaries`].
    pub(crate) fn temporary(&mut self, columns: &[u64]) -> Result<u64, Stop> {
        let (at, size) = (self.lane_top, columns.len() / self.n);
        self.lane_top += columns.len();
        self.check_memory(0)?;
        if self.lane_words.len() < self.lane_top {
            self.lane_words.resize(self.lane_top, 0);
        }
        self.lane_words[at..at + columns.len()].copy_from_slice(columns);
        self.objects.push(Object { at, size, place: Place::Lanes });
        Ok(Pointer::to(self.objects.len() as u32 - 1).0)
    }

    /// The components of a temporary in one lane.
    pub(crate) fn read_temporary(&self, pointer: u64, size: usize, lane: usize) -> Vec<u64> {
        let object = self.objects[Pointer(pointer).object()];
        (0..size).map(|c| self.lane_words[object.at + c * self.n + lane]).collect()
    }

    /// Frees all temporaries.
    pub(crate) fn drop_temporaries(&mut self) {
        let (objects, lane_words) = self.at_rest;
        self.objects.truncate(objects);
        self.lane_top = lane_words;
    }

    fn view(&self) -> View<'_> {
        View {
            regs: &self.regs,
            consts: &self.instances[self.at].program.consts,
            vars: &self.vars[self.cx.vars..],
            globals: &self.instances[self.at].globals,
            base: self.cx.regs,
            n: self.n,
        }
    }

    /// Lanes of the running block that are not helpers.
    fn live(&self) -> Mask {
        self.cx.active.without(&self.helpers)
    }

    /// Runs a function of the first instance in the first `lanes` lanes. Arguments: for each parameter its components,
    /// each one word for all lanes or one per lane. Returns the results in the same form, one word per lane.
    pub(crate) fn invoke(&mut self, func: Func, args: &[Vec<u64>], lanes: usize) -> Result<Vec<Vec<u64>>, Stop> {
        let entry_points = &self.instances[0].program.module.entry_points;
        let entry = entry_points.iter().find(|entry| entry.func == func && entry.stage.is_some());
        let has_quads =
            |entry: &EntryPoint| entry.stage == Some(Stage::Fragment) || entry.properties.derivative_group.is_some();
        self.implicit_levels = entry.is_none_or(has_quads);
        self.call_function(self.instances[0].funcs[func.index()], args, lanes)
    }

    /// Allocates `columns` further columns.
    fn grow(&mut self, columns: usize) -> Result<(), Stop> {
        let more = columns.checked_mul(self.n).ok_or(Stop::MemoryLimit)?;
        self.check_memory(more)?;
        if self.regs.len() < self.top + more {
            self.regs.resize(self.top + more, 0);
        }
        Ok(())
    }

    /// Pushes a frame, whose entry block is executed next. The caller writes the parameters.
    fn enter(&mut self, callee: (usize, Func), code: &Code, active: Mask, results: usize) -> Result<(), Stop> {
        let (instance, func) = callee;
        if self.frames.len() >= self.limits.depth {
            return Err(self.overflow(callee));
        }
        let (regs, objects, lane_words) = (self.top, self.objects.len(), self.lane_top);
        let vars = self.vars.len();
        let words = code.vars.iter().try_fold(0usize, |sum, var| sum.checked_add(var.size as usize));
        let lane_top = words.and_then(|w| w.checked_mul(self.n)).and_then(|w| w.checked_add(lane_words));
        self.lane_top = lane_top.ok_or(Stop::MemoryLimit)?;
        let room = objects + code.vars.len() <= MAX_OBJECTS;
        if !room || self.grow(code.columns as usize).is_err() {
            self.lane_top = lane_words;
            // Exceeding the limit in the first frame is not a matter of recursion.
            return Err(if self.frames.is_empty() { Stop::MemoryLimit } else { self.overflow(callee) });
        }
        self.top += code.columns as usize * self.n;
        let (mut at, growable) = (lane_words, self.growable.len());
        for var in &code.vars {
            self.vars.push(Pointer::to(self.objects.len() as u32).0);
            if var.grows {
                self.objects.push(Object { at: self.growable.len(), size: 0, place: Place::Growable });
                self.growable.resize_with(self.growable.len() + self.n, Vec::new);
                continue;
            }
            self.objects.push(Object { at, size: var.size as usize, place: Place::Lanes });
            at += var.size as usize * self.n;
        }
        if self.lane_words.len() < self.lane_top {
            self.lane_words.resize(self.lane_top, 0);
        }
        self.at = instance;
        let block = self.program().body(func).expect("decoded functions have bodies").entry;
        let constructs = self.constructs.len();
        self.frames.push(Frame {
            instance,
            func,
            results,
            regs,
            vars,
            objects,
            lane_words,
            growable,
            constructs,
            block,
            next: 0,
            entered: active,
            active,
            returned: Mask::NONE,
            calls: Vec::new(),
            back: Mask::NONE,
        });
        self.goto(code, block, active);
        Ok(())
    }

    fn overflow(&self, (instance, func): (usize, Func)) -> Stop {
        let span = self.instances[instance].program.module.funcs[func].span;
        Stop::Trap { kind: TrapKind::StackOverflow, span }
    }

    /// Makes `block` of the top frame the running one and initializes its variables.
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
            if object.place == Place::Growable {
                for lane in active.lanes() {
                    let array = &mut self.growable[object.at + lane];
                    self.grown -= array.len();
                    array.clear();
                }
            }
            let program = &self.instances[self.at].program;
            for c in 0..object.size {
                let value = var.initial.map_or(0, |at| program.consts[at as usize + c]);
                let column = &mut self.lane_words[object.at + c * self.n..][..self.n];
                blend(column, &[value], &active, self.cx.full);
            }
        }
    }

    /// The current source location.
    fn span(&self) -> Span {
        let Some(frame) = self.frames.last() else { return Span::NONE };
        let Some(code) = &self.program().code[frame.func.as_u32() as usize] else { return Span::NONE };
        let body = self.program().body(frame.func).expect("decoded functions have bodies");
        match code.insts.get(frame.next.saturating_sub(1)) {
            Some(inst) if frame.next > code.blocks[frame.block.as_u32() as usize].insts.0 as usize => {
                body.node(inst.node).span
            }
            _ => body.blocks[frame.block].exit_span,
        }
    }
}

/// Copies a column; a single word is copied to all lanes.
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
        // All bits of active lanes, without a branch.
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

#[cfg(test)]
mod tests;
