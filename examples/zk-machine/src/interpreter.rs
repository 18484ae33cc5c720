//! Links the functions of a module into one list of steps, and runs it.

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Memory, Table, Type, Var};
use planish_ir::function::TrapKind;
use planish_ir::module::{ElemItem, MemoryData, Module, Offset};
use planish_machine::isa::Reg;
use planish_machine::{Compiler, FunctionAsm};

use crate::isa::{Zk, reference};
use crate::step::{Alu, Callee, Step, Word};

const PAGE: usize = 1 << 16;
/// Pages that a memory can have: 256 MiB.
const MOST_PAGES: usize = 1 << 12;
/// Words of the stack.
const STACK: usize = 1 << 16;
/// The return address of the first function.
const HOST: u32 = u32::MAX;

/// Why there are no results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program trapped.
    Trap(TrapKind),
    /// It needs a function that is missing, or that the machine cannot run.
    Missing(Func),
}

/// A function among the steps.
#[derive(Clone, Copy)]
struct Start {
    at: u32,
    /// Words of its frame.
    frame: u32,
    /// Offset of return address and frame pointer in the frame.
    prelude: u32,
}

/// A module's functions as one list of steps, with its memories, tables and variables.
pub struct Program<'m> {
    module: &'m Module,
    steps: Vec<Step>,
    /// By function: its position, or the reason why the machine cannot run it.
    starts: Vec<Result<Start, String>>,
    /// Positions of the labels of all functions in sequence, and the index of the first label of each step's function.
    labels: Vec<u32>,
    first_label: Vec<u32>,
    memories: Vec<Vec<u8>>,
    /// By memory: pages that it can have.
    most_pages: Vec<usize>,
    tables: Vec<Vec<u32>>,
    vars: Vec<Vec<u64>>,
    stack: Vec<u32>,
}

impl<'m> Program<'m> {
    /// Compiles the functions of a module, and sets everything up.
    ///
    /// # Errors
    /// If a segment does not fit, the start function traps, or something that it needs is missing.
    pub fn new(module: &'m Module) -> Result<Self, Stop> {
        let mut program = Program::compiled(module);
        program.set_up()?;
        Ok(program)
    }

    /// As [`Program::new`], but without setup: imports can be set before [`Program::set_up`].
    pub fn compiled(module: &'m Module) -> Self {
        let mut compiler = Compiler::new(&Zk, module);
        let mut program = Program {
            module,
            steps: vec![],
            starts: vec![],
            labels: vec![],
            first_label: vec![],
            memories: module.memories.values().map(|m| vec![0; m.min_pages as usize * PAGE]).collect(),
            most_pages: module.memories.values().map(most_pages).collect(),
            tables: module.tables.values().map(|t| vec![0; t.min as usize]).collect(),
            vars: vec![],
            stack: vec![0xdead_beef; STACK],
        };
        for func in module.funcs.keys() {
            let start = match compiler.compile(func) {
                Ok(asm) => Ok(program.link(&asm)),
                Err(error) => Err(error.message),
            };
            program.starts.push(start);
        }
        for (_, var) in module.vars.iter() {
            let mut words = vec![];
            if let Some(c) = var.initializer {
                module.consts.flatten(c, &mut words);
            }
            words.resize(words.len().max(2), 0);
            program.vars.push(words);
        }
        program
    }

    /// Appends a function.
    fn link(&mut self, asm: &FunctionAsm<Step>) -> Start {
        let (start, first) = (self.steps.len() as u32, self.labels.len() as u32);
        self.labels.resize((first + asm.labels) as usize, 0);
        for (at, &step) in (start..).zip(&asm.directives) {
            if let Step::Label(label) = step {
                self.labels[(first + label.0) as usize] = at;
            }
            self.steps.push(step);
            self.first_label.push(first);
        }
        let prelude = asm.args.max(asm.results);
        Start { at: start, frame: asm.frame.max(prelude + 2), prelude }
    }

    /// Computes initial values, copies active segments, and runs the start function.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub fn set_up(&mut self) -> Result<(), Stop> {
        let module = self.module;
        for &var in &module.globals {
            if let Some(func) = module.vars[var].linkage.as_ref().and_then(|linkage| linkage.computed) {
                let words = self.call(func, &[], 2)?;
                self.set(var, u64::from(words[0]) | u64::from(words[1]) << 32);
            }
        }
        for elem in module.elems.values() {
            let Some((table, offset)) = elem.active else { continue };
            let at = self.offset(offset);
            let items: Vec<u32> = elem.items.iter().map(|&item| self.item(item)).collect();
            let place = self.tables[table.index()].get_mut(at..).and_then(|rest| rest.get_mut(..items.len()));
            place.ok_or(Stop::Trap(TrapKind::OutOfBoundsTable))?.copy_from_slice(&items);
        }
        for data in module.data.values() {
            let Some((memory, offset)) = data.active else { continue };
            let at = self.offset(offset);
            let place = self.memories[memory.index()].get_mut(at..).and_then(|rest| rest.get_mut(..data.bytes.len()));
            place.ok_or(Stop::Trap(TrapKind::OutOfBoundsMemory))?.copy_from_slice(&data.bytes);
        }
        match module.start {
            Some(start) => self.call(start, &[], 0).map(drop),
            None => Ok(()),
        }
    }

    fn offset(&self, offset: Offset) -> usize {
        match offset {
            Offset::Const(at) => at as usize,
            Offset::Var(var) => self.get(var) as u32 as usize,
        }
    }

    fn item(&self, item: ElemItem) -> u32 {
        match item {
            ElemItem::Null => 0,
            ElemItem::Func(func) => reference(func),
            ElemItem::Var(var) => self.get(var) as u32,
        }
    }

    /// The bits of a variable of one component.
    pub fn get(&self, var: Var) -> u64 {
        self.vars[var.index()][0]
    }

    /// Sets a variable of one component.
    pub fn set(&mut self, var: Var, bits: u64) {
        self.vars[var.index()][0] = bits;
    }

    /// Gives a memory the size and the limit that the host's has.
    pub fn resize_memory(&mut self, memory: Memory, pages: usize, most_pages: usize) {
        self.most_pages[memory.index()] = most_pages;
        self.memories[memory.index()].resize(pages * PAGE, 0);
    }

    /// Gives a table the size that the host's has.
    pub fn resize_table(&mut self, table: Table, elements: usize) {
        self.tables[table.index()].resize(elements, 0);
    }

    /// Whether the machine could compile a function.
    pub fn has(&self, func: Func) -> bool {
        self.starts[func.index()].is_ok()
    }

    /// Why the machine cannot run a function, if it cannot.
    pub fn why_not(&self, func: Func) -> Option<&str> {
        self.starts[func.index()].as_ref().err().map(String::as_str)
    }

    /// Calls a function with the words of its arguments; returns the `results` words of its results.
    ///
    /// # Errors
    /// If the program traps, or needs something that is missing.
    pub fn call(&mut self, func: Func, args: &[u32], results: usize) -> Result<Vec<u32>, Stop> {
        let mut base = 0usize;
        let Start { mut at, prelude, .. } = self.enter(func, base)?;
        self.stack[..args.len()].copy_from_slice(args);
        self.stack[prelude as usize] = HOST;
        while at != HOST {
            let step = self.steps[at as usize];
            at = self.step(step, at, &mut base)?;
        }
        Ok(self.stack[..results].to_vec())
    }

    /// The position of a function, if its frame fits the stack.
    fn enter(&self, func: Func, base: usize) -> Result<Start, Stop> {
        let start = *self.starts[func.index()].as_ref().map_err(|_| Stop::Missing(func))?;
        if base + start.frame as usize > STACK {
            return Err(Stop::Trap(TrapKind::StackOverflow));
        }
        Ok(start)
    }

    /// Does a step; where to go on.
    fn step(&mut self, step: Step, at: u32, base: &mut usize) -> Result<u32, Stop> {
        let frame = *base;
        let get = |stack: &[u32], word: Word| match word {
            Word::Reg(reg) => stack[frame + reg.0 as usize],
            Word::Number(n) => n,
        };
        let label = |program: &Self, to: planish_machine::isa::Label| {
            program.labels[(program.first_label[at as usize] + to.0) as usize]
        };
        match step {
            Step::Label(_) => {}
            Step::Jump(to) => return Ok(label(self, to)),
            Step::JumpIf(condition, to) => {
                if get(&self.stack, condition) != 0 {
                    return Ok(label(self, to));
                }
            }
            Step::Trap(kind) => return Err(Stop::Trap(kind)),
            Step::Set(out, word) => self.stack[frame + out.0 as usize] = get(&self.stack, word),
            Step::Alu(op, out, a, b) => {
                let (a, b) = (get(&self.stack, a), get(&self.stack, b));
                self.stack[frame + out.0 as usize] = compute(op, a, b).map_err(Stop::Trap)?;
            }
            Step::Select(out, condition, a, b) => {
                let chosen = if get(&self.stack, condition) != 0 { a } else { b };
                self.stack[frame + out.0 as usize] = get(&self.stack, chosen);
            }
            Step::Load { out, memory, address, offset, bytes, reach } => {
                let at = u64::from(get(&self.stack, address)) + offset;
                let place = place(&self.memories[memory.index()], at, bytes, reach)?;
                let mut word = [0; 4];
                word[..bytes as usize].copy_from_slice(&self.memories[memory.index()][place]);
                self.stack[frame + out.0 as usize] = u32::from_le_bytes(word);
            }
            Step::Store { memory, address, offset, bytes, value, reach } => {
                let at = u64::from(get(&self.stack, address)) + offset;
                let word = get(&self.stack, value).to_le_bytes();
                let place = place(&self.memories[memory.index()], at, bytes, reach)?;
                self.memories[memory.index()][place].copy_from_slice(&word[..bytes as usize]);
            }
            Step::Size(out, memory) => {
                self.stack[frame + out.0 as usize] = (self.memories[memory.index()].len() / PAGE) as u32;
            }
            Step::Grow(out, memory, pages) => {
                let old = self.memories[memory.index()].len() / PAGE;
                let most = self.most_pages[memory.index()];
                let new = old + get(&self.stack, pages) as usize;
                let fits = new <= most;
                if fits {
                    self.memories[memory.index()].resize(new * PAGE, 0);
                }
                self.stack[frame + out.0 as usize] = if fits { old as u32 } else { u32::MAX };
            }
            Step::Global { out, var, component, index, word } => {
                let bits = self.vars[var.index()][(component + get(&self.stack, index)) as usize];
                self.stack[frame + out.0 as usize] = (bits >> (32 * word)) as u32;
            }
            Step::SetGlobal { var, component, index, word, value } => {
                let component = component + get(&self.stack, index);
                let bits = u64::from(get(&self.stack, value)) << (32 * word);
                let whole = &mut self.vars[var.index()][component as usize];
                *whole = *whole & !(0xffff_ffff << (32 * word)) | bits;
            }
            Step::Call { callee, base: new, prelude } => {
                let func = self.callee(callee, |word| get(&self.stack, word))?;
                *base += new.0 as usize;
                let start = self.enter(func, *base)?;
                self.write(*base, prelude, [at + 1, frame as u32]);
                return Ok(start.at);
            }
            Step::TailCall(callee) => {
                let func = self.callee(callee, |word| get(&self.stack, word))?;
                return Ok(self.enter(func, *base)?.at);
            }
            Step::Return { prelude } => {
                let at = frame + prelude.0 as usize;
                let (back, caller) = (self.stack[at], self.stack[at + 1]);
                *base = caller as usize;
                return Ok(back);
            }
        }
        Ok(at + 1)
    }

    fn write(&mut self, base: usize, prelude: Reg, words: [u32; 2]) {
        let at = base + prelude.0 as usize;
        self.stack[at..at + 2].copy_from_slice(&words);
    }

    fn callee(&self, callee: Callee, get: impl Fn(Word) -> u32) -> Result<Func, Stop> {
        match callee {
            Callee::Func(func) => Ok(func),
            Callee::Value(value) => Ok(Func::from_u32(get(value) - 1)),
            Callee::Table(table, ty, index) => self.element(table.index(), get(index), ty),
        }
    }

    fn element(&self, table: usize, index: u32, ty: Type) -> Result<Func, Stop> {
        let reference = self.tables[table].get(index as usize).ok_or(Stop::Trap(TrapKind::OutOfBoundsTable))?;
        let func = reference.checked_sub(1).ok_or(Stop::Trap(TrapKind::UninitializedElement))?;
        let func = Func::from_u32(func);
        let fits = self.module.funcs[func].ty == ty;
        if fits { Ok(func) } else { Err(Stop::Trap(TrapKind::IndirectCallType)) }
    }
}

fn most_pages(memory: &MemoryData) -> usize {
    memory.max_pages.map_or(MOST_PAGES, |most| MOST_PAGES.min(most as usize))
}

fn place(memory: &[u8], at: u64, bytes: u32, reach: u32) -> Result<std::ops::Range<usize>, Stop> {
    let end = at + u64::from(bytes);
    if end + u64::from(reach) > memory.len() as u64 {
        return Err(Stop::Trap(TrapKind::OutOfBoundsMemory));
    }
    Ok(at as usize..end as usize)
}

fn compute(op: Alu, a: u32, b: u32) -> Result<u32, TrapKind> {
    Ok(match op {
        Alu::Add => a.wrapping_add(b),
        Alu::Subtract => a.wrapping_sub(b),
        Alu::Multiply => a.wrapping_mul(b),
        Alu::MultiplyHigh => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Alu::And => a & b,
        Alu::Or => a | b,
        Alu::Xor => a ^ b,
        Alu::ShiftLeft => a << (b & 31),
        Alu::ShiftRight => a >> (b & 31),
        Alu::ShiftRightSigned => (a as i32 >> (b & 31)) as u32,
        Alu::Divide => a.checked_div(b).ok_or(TrapKind::DivisionByZero)?,
        Alu::Remainder => a.checked_rem(b).ok_or(TrapKind::DivisionByZero)?,
        Alu::Equal => (a == b).into(),
        Alu::Less => (a < b).into(),
        Alu::LessSigned => ((a as i32) < b as i32).into(),
        Alu::LeadingZeros => a.leading_zeros(),
        Alu::TrailingZeros => a.trailing_zeros(),
    })
}
