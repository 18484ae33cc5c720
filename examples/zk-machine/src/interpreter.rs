//! Links the functions of a module into one list of steps, and runs it.

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Type};
use planish_ir::function::TrapKind;
use planish_ir::module::{ElemItem, Module, Offset};
use planish_machine::isa::Reg;
use planish_machine::{Compiler, FunctionAsm};

use crate::isa::{Zk, reference};
use crate::step::{Alu, Callee, Step, Word};

const PAGE: usize = 1 << 16;
/// Words of the stack.
const STACK: usize = 1 << 16;
/// The return address of the first function.
const HOST: u32 = u32::MAX;

/// Why there are no results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program trapped.
    Trap(TrapKind),
    /// It needs a function that the machine cannot run, or that is not there.
    Missing(Func),
}

/// A module's functions as one list of steps, with its memories, tables and variables.
pub struct Program<'m> {
    module: &'m Module,
    steps: Vec<Step>,
    /// Where each function begins, for those that the machine can run.
    starts: Vec<Option<u32>>,
    /// Where the labels of each function are, one function behind the other; and where those of a step's function begin.
    labels: Vec<u32>,
    first_label: Vec<u32>,
    memories: Vec<Vec<u8>>,
    tables: Vec<Vec<u32>>,
    vars: Vec<Vec<u64>>,
    stack: Vec<u32>,
}

impl<'m> Program<'m> {
    /// Compiles and links what the machine can run of a module.
    pub fn new(module: &'m Module) -> Self {
        let mut compiler = Compiler::new(&Zk, module);
        let mut program = Program {
            module,
            steps: vec![],
            starts: vec![None; module.funcs.len()],
            labels: vec![],
            first_label: vec![],
            memories: module.memories.values().map(|m| vec![0; m.min_pages as usize * PAGE]).collect(),
            tables: module.tables.values().map(|t| vec![0; t.min as usize]).collect(),
            vars: vec![],
            stack: vec![0xdead_beef; STACK],
        };
        for (func, function) in module.funcs.iter() {
            if function.body.is_some()
                && let Ok(asm) = compiler.compile(func)
            {
                program.link(&asm);
            }
        }
        program.set_up();
        program
    }

    fn link(&mut self, asm: &FunctionAsm<Step>) {
        let (start, first) = (self.steps.len() as u32, self.labels.len() as u32);
        self.starts[asm.func.index()] = Some(start);
        self.labels.resize((first + asm.labels) as usize, 0);
        for (at, &step) in (start..).zip(&asm.directives) {
            if let Step::Label(label) = step {
                self.labels[(first + label.0) as usize] = at;
            }
            self.steps.push(step);
            self.first_label.push(first);
        }
    }

    /// First values of variables, and active segments with constant offsets.
    fn set_up(&mut self) {
        for (_, var) in self.module.vars.iter() {
            let mut words = vec![];
            if let Some(c) = var.initializer {
                self.module.consts.flatten(c, &mut words);
            }
            words.resize(words.len().max(2), 0);
            self.vars.push(words);
        }
        for elem in self.module.elems.values() {
            if let Some((table, Offset::Const(at))) = elem.active {
                for (i, item) in elem.items.iter().enumerate() {
                    if let ElemItem::Func(func) = item {
                        self.tables[table.index()][at as usize + i] = reference(*func);
                    }
                }
            }
        }
        for data in self.module.data.values() {
            if let Some((memory, Offset::Const(at))) = data.active {
                self.memories[memory.index()][at as usize..at as usize + data.bytes.len()].copy_from_slice(&data.bytes);
            }
        }
    }

    /// Whether the machine can run a function.
    pub fn has(&self, func: Func) -> bool {
        self.starts[func.index()].is_some()
    }

    /// Calls a function with the words of its arguments; the words of its results, of which there are `results`.
    ///
    /// # Errors
    /// If the program traps, or needs what is not there.
    pub fn call(&mut self, func: Func, args: &[u32], results: usize) -> Result<Vec<u32>, Stop> {
        self.stack[..args.len()].copy_from_slice(args);
        let prelude = args.len().max(results);
        self.stack[prelude] = HOST;
        let mut at = self.start(func)?;
        let mut base = 0usize;
        while at != HOST {
            let step = self.steps[at as usize];
            at = self.step(step, at, &mut base)?;
        }
        Ok(self.stack[..results].to_vec())
    }

    fn start(&self, func: Func) -> Result<u32, Stop> {
        self.starts[func.index()].ok_or(Stop::Missing(func))
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
                let most = self.module.memories[memory].max_pages.unwrap_or(65536) as usize;
                let new = old + get(&self.stack, pages) as usize;
                let fits = new <= most;
                if fits {
                    self.memories[memory.index()].resize(new * PAGE, 0);
                }
                self.stack[frame + out.0 as usize] = if fits { old as u32 } else { u32::MAX };
            }
            Step::Global { out, var, component, word } => {
                let bits = self.vars[var.index()][component as usize];
                self.stack[frame + out.0 as usize] = (bits >> (32 * word)) as u32;
            }
            Step::SetGlobal { var, component, word, value } => {
                let bits = u64::from(get(&self.stack, value)) << (32 * word);
                let whole = &mut self.vars[var.index()][component as usize];
                *whole = *whole & !(0xffff_ffff << (32 * word)) | bits;
            }
            Step::Call { callee, base: new, prelude } => {
                let func = self.callee(callee, |word| get(&self.stack, word))?;
                *base += new.0 as usize;
                // What a frame needs besides its prelude is not known here; a guard of 1,024 words is enough for any.
                if *base + 1024 > STACK {
                    return Err(Stop::Trap(TrapKind::StackOverflow));
                }
                self.write(*base, prelude, [at + 1, frame as u32]);
                return self.start(func);
            }
            Step::TailCall(callee) => {
                let func = self.callee(callee, |word| get(&self.stack, word))?;
                return self.start(func);
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
        Alu::Ones => a.count_ones(),
    })
}
