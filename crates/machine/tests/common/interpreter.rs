//! Semantics of the directives of the reference machine: a plain interpreter.

use planish_ir::arena::Id;
use planish_ir::entity::Func;
use planish_ir::function::TrapKind;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_machine::FunctionAsm;
use planish_machine::isa::{Comparison, Frame, Kind, Label, Reg, is_comparison, operands_of};
use planish_machine::reference::{Arg, Directive, Nested, Target};

use super::world::World;

/// Calls so deep trap.
const MAX_DEPTH: usize = 1000;

pub(crate) struct Interpreter<'m, 'p> {
    world: World<'m>,
    code: &'p [Option<FunctionAsm<Directive>>],
    labels: Vec<Vec<usize>>,
    stack: Vec<u64>,
    base: usize,
    pub(crate) steps: u64,
    pub(crate) copies: u64,
    pub(crate) calls: u64,
}

/// The place of each label of a function.
fn labels(asm: &FunctionAsm<Directive>) -> Vec<usize> {
    let mut labels = vec![usize::MAX; asm.labels as usize];
    for (at, directive) in asm.directives.iter().enumerate() {
        if let Directive::Label(label) = directive {
            labels[label.0 as usize] = at;
        }
    }
    labels
}

impl<'m, 'p> Interpreter<'m, 'p> {
    pub(crate) fn new(module: &'m Module, code: &'p [Option<FunctionAsm<Directive>>]) -> Self {
        let labels = code.iter().map(|asm| asm.as_ref().map_or(vec![], labels)).collect();
        let world = World::new(module);
        // Poison: uninitialized registers must not be read.
        let stack = vec![0xdead_beef_0bad_f00d; 1 << 16];
        let mut interpreter = Interpreter { world, code, labels, stack, base: 0, steps: 0, copies: 0, calls: 0 };
        interpreter.instantiate(module);
        interpreter
    }

    /// Initialization before the first call.
    fn instantiate(&mut self, module: &Module) {
        for &var in &module.globals {
            if let Some(func) = module.vars[var].linkage.as_ref().and_then(|linkage| linkage.computed) {
                let words = self.call(func, &[]).expect("a first value");
                self.world.var_mut(var).copy_from_slice(&words);
            }
        }
        self.world.place_segments();
        if let Some(start) = module.start {
            self.call(start, &[]).expect("the start function returns");
        }
    }

    pub(crate) fn call(&mut self, func: Func, args: &[u64]) -> Result<Vec<u64>, TrapKind> {
        self.base = 0;
        self.stack[..args.len()].copy_from_slice(args);
        self.run(func)?;
        let results = self.asm(func).results as usize;
        Ok(self.stack[..results].to_vec())
    }

    fn asm(&self, func: Func) -> &'p FunctionAsm<Directive> {
        let code: &'p [Option<FunctionAsm<Directive>>] = self.code;
        code[func.index()].as_ref().expect("only functions with code are called")
    }

    fn read(&self, reg: Reg) -> u64 {
        self.stack[self.base + reg.0 as usize]
    }

    fn write(&mut self, reg: Reg, bits: u64) {
        self.stack[self.base + reg.0 as usize] = bits;
    }

    /// The words of an operand.
    fn words(&mut self, arg: &Arg, kind: Kind) -> Result<Vec<u64>, TrapKind> {
        Ok(match arg {
            &Arg::Reg(r) if kind == Kind::V128 => vec![self.read(r), self.read(r.offset(1))],
            &Arg::Reg(r) => vec![self.read(r)],
            &Arg::Const(bits) => vec![bits],
            &Arg::Wide(bits) => vec![bits as u64, (bits >> 64) as u64],
            Arg::Nested(inner) => {
                let Nested { op, imm, operand, result, args } = &**inner;
                let args = self.operands((*op, *imm), *operand, args)?;
                self.world.operation((*op, *imm), (*operand, *result), &args)?
            }
        })
    }

    fn word(&mut self, arg: &Arg) -> Result<u64, TrapKind> {
        Ok(self.words(arg, Kind::I64)?[0])
    }

    fn operands(&mut self, op: (Op, Imm), kind: Kind, args: &[Arg]) -> Result<Vec<Vec<u64>>, TrapKind> {
        let operands = operands_of(&self.world.types, op, kind, args.len());
        let kinds = operands.iter().flat_map(|o| std::iter::repeat_n(o.kind, o.count));
        args.iter().zip(kinds).map(|(arg, kind)| self.words(arg, kind)).collect()
    }

    fn holds(&mut self, comparison: Comparison, args: &[Arg; 2]) -> Result<bool, TrapKind> {
        assert!(is_comparison(comparison.op));
        let Comparison { op, kind, negated } = comparison;
        let op = (op, Imm::NONE);
        let args = self.operands(op, kind, args)?;
        Ok((self.world.operation(op, (kind, Kind::Bool), &args)?[0] != 0) != negated)
    }

    fn target(&mut self, target: &Target) -> Result<Func, TrapKind> {
        match target {
            &Target::Func(func) | &Target::Import(func) => Ok(func),
            Target::Value(value) => Ok(Func::from_u32((self.word(value)? - 1) as u32)),
            Target::Table { table, ty, index } => {
                let index = self.word(index)?;
                self.world.element(table.index(), index, *ty)
            }
        }
    }

    fn run(&mut self, func: Func) -> Result<(), TrapKind> {
        let (mut func, mut asm, mut at) = (func, self.asm(func), 0);
        let mut frames: Vec<(Func, usize, usize)> = vec![];
        loop {
            self.steps += 1;
            assert!(self.steps < 50_000_000, "it does not end");
            let directive = &asm.directives[at];
            at += 1;
            let mut go = |labels: &[Vec<usize>], to: Label| at = labels[func.index()][to.0 as usize];
            match directive {
                Directive::Label(_) => {}
                &Directive::Jump(to) => go(&self.labels, to),
                Directive::JumpIf { condition, nonzero, to } => {
                    if (self.word(condition)? != 0) == *nonzero {
                        go(&self.labels, *to);
                    }
                }
                Directive::JumpCompare { comparison, args, to } => {
                    if self.holds(*comparison, args)? {
                        go(&self.labels, *to);
                    }
                }
                Directive::JumpTable { index, to } => {
                    let index = self.read(*index) as u32 as usize;
                    go(&self.labels, to[index.min(to.len() - 1)]);
                }
                &Directive::Trap(kind) => return Err(kind),
                &Directive::Copy { out, from } => {
                    self.copies += 1;
                    self.write(out, self.read(from));
                }
                &Directive::Constant { out, bits } => self.write(out, bits),
                Directive::Op { op, imm, operand, result, outs, args } => {
                    let args = self.operands((*op, *imm), *operand, args)?;
                    let words = self.world.operation((*op, *imm), (*operand, *result), &args)?;
                    if *result == Kind::V128 {
                        self.write(outs[0], words[0]);
                        self.write(outs[0].offset(1), words[1]);
                    } else {
                        outs.iter().zip(words).for_each(|(&out, word)| self.write(out, word));
                    }
                }
                Directive::IndexedLoad { out, base, index, words } => {
                    let from = base.offset(self.word(index)? as u32);
                    (0..*words).for_each(|j| self.write(out.offset(j), self.read(from.offset(j))));
                }
                Directive::IndexedStore { base, index, value, words } => {
                    let to = base.offset(self.word(index)? as u32);
                    match value {
                        Arg::Reg(from) => {
                            (0..*words).for_each(|j| self.write(to.offset(j), self.read(from.offset(j))));
                        }
                        other => {
                            let word = self.word(other)?;
                            self.write(to, word);
                        }
                    }
                }
                Directive::Call { target, frame } => {
                    let callee = self.target(target)?;
                    self.calls += 1;
                    if frames.len() + 1 >= MAX_DEPTH {
                        return Err(TrapKind::StackOverflow);
                    }
                    frames.push((func, at, self.base));
                    self.base += frame.base.0 as usize;
                    self.check_frame(callee, *frame);
                    (func, asm, at) = (callee, self.asm(callee), 0);
                }
                Directive::TailCall { target, frame } => {
                    let callee = self.target(target)?;
                    self.check_frame(callee, *frame);
                    (func, asm, at) = (callee, self.asm(callee), 0);
                }
                Directive::Return => match frames.pop() {
                    None => return Ok(()),
                    Some((caller, back, base)) => {
                        (func, asm, at, self.base) = (caller, self.asm(caller), back, base);
                    }
                },
            }
        }
    }

    fn check_frame(&self, callee: Func, frame: Frame) {
        let asm = self.asm(callee);
        assert_eq!((asm.args, asm.results), (frame.args, frame.results), "a call passes what the callee takes");
    }
}
