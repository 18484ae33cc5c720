//! The first pass over a function: its instructions are decoded (and validated on request) once, unreachable code is
//! dropped, and control flow and accesses to local variables are recorded for [`crate::liveness`].
//!
//! ```text
//! block            Open(0)
//!   local.get 1    Get(1)
//!   local.set 2    Set(2)
//!   br_if 0        MayJump(0)
//!   br 0           Jump(0)        what follows up to the `end` is validated and forgotten
//! end              Close(0)
//! ```

use planish_ir::source::Span;
use wasmparser::{FuncValidator, FunctionBody, Operator, ValType, ValidatorResources};

use crate::places::FunctionPlaces;

/// Number for the function itself as the target of a jump.
const FUNCTION: u32 = u32::MAX;

/// Effect of an instruction on local variables and control flow. Numbers are those of local variables and constructs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Get(u32),
    Set(u32),
    Open(u32),
    Else,
    Close(u32),
    Jump(u32),
    MayJump(u32),
    /// To all of `targets[from..to]`.
    Table(u32, u32),
    /// Leaves the function.
    Leave,
}

/// The kind of a construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Block,
    Loop,
    If,
}

/// A reachable `block`, `loop` or `if`; numbered in the order in which they open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Construct {
    pub(crate) kind: Kind,
    pub(crate) has_else: bool,
    /// Whether a reachable jump targets it.
    pub(crate) targeted: bool,
    /// For a loop that is a jump target: its loop-carried local variables, a range of [`crate::liveness::Liveness`].
    pub(crate) carried: (u32, u32),
    /// Local variables that may be written in it and are live after it.
    pub(crate) live_after: (u32, u32),
}

/// A reachable instruction, and its position.
#[derive(Debug)]
pub(crate) struct Located<'a> {
    pub(crate) op: Operator<'a>,
    pub(crate) span: Span,
}

/// A scanned function. Reused from one function to the next for its memory.
#[derive(Debug, Default)]
pub(crate) struct Scan<'a> {
    pub(crate) ops: Vec<Located<'a>>,
    pub(crate) events: Vec<Event>,
    pub(crate) targets: Vec<u32>,
    pub(crate) constructs: Vec<Construct>,
    /// The types of the local variables that are no parameters, in runs.
    pub(crate) locals: Vec<(u32, ValType)>,
    open: Vec<Open>,
    /// By construct: the last table that names it.
    named_by: Vec<u32>,
    tables: u32,
    /// Number of open constructs that are unreachable.
    skipped: u32,
    reachable: bool,
}

/// A construct that is open.
#[derive(Debug)]
struct Open {
    construct: u32,
    /// Whether the end of the first arm of an `if` is reachable.
    first_arm_ends: bool,
}

impl<'a> Scan<'a> {
    /// Scans a function.
    ///
    /// # Errors
    /// If it cannot be decoded or is not valid.
    pub(crate) fn look(
        &mut self,
        body: &FunctionBody<'a>,
        mut validator: Option<&mut FuncValidator<ValidatorResources>>,
        places: FunctionPlaces<'_>,
    ) -> Result<(), wasmparser::Error> {
        self.clear();
        let mut locals = body.get_locals_reader()?;
        for _ in 0..locals.get_count() {
            let offset = locals.original_position();
            let (count, ty) = locals.read()?;
            if let Some(validator) = &mut validator {
                validator.define_locals(offset, count, ty)?;
            }
            self.locals.push((count, ty));
        }
        let mut reader = body.get_operators_reader()?;
        let mut index = 0;
        let mut offset = reader.original_position();
        while !reader.eof() {
            let op = reader.read()?;
            let end = reader.original_position();
            if let Some(validator) = &mut validator {
                validator.op(offset, &op)?;
            }
            if self.note(&op)? {
                self.ops.push(Located { op, span: places.instruction(index, offset, end) });
            }
            index += 1;
            offset = end;
        }
        reader.finish()
    }

    /// The memory alone, for functions of other bytes.
    pub(crate) fn into_scratch(mut self) -> Scan<'static> {
        self.clear();
        let Scan { ops, events, targets, constructs, locals, open, named_by, tables, skipped, reachable } = self;
        // Nothing to convert: the list keeps its place.
        let ops = ops.into_iter().map(|_| unreachable!("it is empty")).collect();
        Scan { ops, events, targets, constructs, locals, open, named_by, tables, skipped, reachable }
    }

    fn clear(&mut self) {
        self.ops.clear();
        self.events.clear();
        self.targets.clear();
        self.constructs.clear();
        self.locals.clear();
        self.open.clear();
        self.named_by.clear();
        self.tables = 0;
        self.skipped = 0;
        self.reachable = true;
    }

    /// Records the effect of an instruction; returns whether it is reachable, or the end of a reachable construct.
    fn note(&mut self, op: &Operator<'_>) -> Result<bool, wasmparser::Error> {
        match op {
            Operator::Block { .. } => return Ok(self.open(Kind::Block)),
            Operator::Loop { .. } => return Ok(self.open(Kind::Loop)),
            Operator::If { .. } => return Ok(self.open(Kind::If)),
            Operator::Else => return Ok(self.second_arm()),
            Operator::End => return Ok(self.close()),
            _ if !self.reachable => return Ok(false),
            Operator::LocalGet { local_index } => self.events.push(Event::Get(*local_index)),
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                self.events.push(Event::Set(*local_index));
            }
            Operator::Br { relative_depth } => {
                let to = self.jump(*relative_depth);
                self.events.push(if to == FUNCTION { Event::Leave } else { Event::Jump(to) });
                self.reachable = false;
            }
            Operator::BrIf { relative_depth } => {
                let to = self.jump(*relative_depth);
                if to != FUNCTION {
                    self.events.push(Event::MayJump(to));
                }
            }
            Operator::BrTable { targets } => {
                let from = self.targets.len() as u32;
                self.tables += 1;
                for depth in targets.targets() {
                    self.table_target(depth?);
                }
                self.table_target(targets.default());
                self.events.push(Event::Table(from, self.targets.len() as u32));
                self.reachable = false;
            }
            Operator::Return
            | Operator::Unreachable
            | Operator::ReturnCall { .. }
            | Operator::ReturnCallIndirect { .. } => {
                self.events.push(Event::Leave);
                self.reachable = false;
            }
            _ => {}
        }
        Ok(true)
    }

    fn open(&mut self, kind: Kind) -> bool {
        if !self.reachable {
            self.skipped += 1;
            return false;
        }
        let construct = self.constructs.len() as u32;
        self.constructs.push(Construct { kind, has_else: false, targeted: false, carried: (0, 0), live_after: (0, 0) });
        self.named_by.push(0);
        self.events.push(Event::Open(construct));
        self.open.push(Open { construct, first_arm_ends: false });
        true
    }

    fn second_arm(&mut self) -> bool {
        if self.skipped > 0 {
            return false;
        }
        if let Some(open) = self.open.last_mut() {
            self.constructs[open.construct as usize].has_else = true;
            self.events.push(Event::Else);
            open.first_arm_ends = self.reachable;
            self.reachable = true;
        }
        true
    }

    fn close(&mut self) -> bool {
        if self.skipped > 0 {
            self.skipped -= 1;
            return false;
        }
        // The last `end` is the function's.
        if let Some(open) = self.open.pop() {
            let construct = self.constructs[open.construct as usize];
            self.events.push(Event::Close(open.construct));
            self.reachable |= match construct.kind {
                Kind::Block => construct.targeted,
                Kind::Loop => false,
                Kind::If => construct.targeted || open.first_arm_ends || !construct.has_else,
            };
        }
        true
    }

    /// The construct that a jump targets, which is marked.
    fn jump(&mut self, depth: u32) -> u32 {
        let Some(index) = self.open.len().checked_sub(1 + depth as usize) else { return FUNCTION };
        let construct = self.open[index].construct;
        self.constructs[construct as usize].targeted = true;
        construct
    }

    fn table_target(&mut self, depth: u32) {
        let to = self.jump(depth);
        // A table may be long and name few targets.
        if to != FUNCTION && std::mem::replace(&mut self.named_by[to as usize], self.tables) != self.tables {
            self.targets.push(to);
        }
    }
}
