//! Structured statements as blocks of the IR.

use planish_ir::entity::{Block, Const, Type, Value};
use planish_ir::function::{Case, Exit, TrapKind};
use planish_ir::meaning::convert;
use planish_ir::ops::Op as Ir;
use planish_ir::types::TypeKind;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use spirv::Op;

use crate::cfg::Term;
use crate::function::{Scope, Val};
use crate::report::Res;
use crate::structure::{Arm, Loop, Stmt, Test, first_block};
use crate::words::Inst;

/// Numbers of instructions of debug information.
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

/// The end of statements: what happens there, and the block that it leads to.
#[derive(Clone, Copy)]
struct Fall {
    target: Option<usize>,
    exit: FallExit,
}

#[derive(Clone, Copy)]
enum FallExit {
    Merge,
    Break(Block),
    Continue(Block),
    /// The end of the function.
    End,
}

/// A construct that can be left, or continued.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    owner: Block,
    exit: Option<usize>,
    next: Option<usize>,
}

impl<'w> Scope<'_, 'w, '_> {
    /// Writes the whole body.
    pub(crate) fn body(&mut self, stmts: &[Stmt]) -> Res<()> {
        self.statements(stmts, Fall { target: None, exit: FallExit::End })
    }

    /// Recursion: over the statements.
    fn statements(&mut self, stmts: &[Stmt], fall: Fall) -> Res<()> {
        for (i, stmt) in stmts.iter().enumerate() {
            let target = stmts.get(i + 1).map_or(fall.target, first_block);
            match stmt {
                Stmt::Block(block) => self.block(*block)?,
                Stmt::If { block, then, otherwise } => {
                    let condition = self.condition(*block)?;
                    let blocks = self.b.if_(condition);
                    for (block, arm) in [(blocks.then, then), (blocks.otherwise, otherwise)] {
                        self.b.switch_to(block);
                        self.statements(arm, Fall { target, exit: FallExit::Merge })?;
                    }
                    self.b.switch_to(blocks.merge);
                }
                Stmt::Switch { block, arms, exit } => self.switch(*block, arms, *exit, target)?,
                Stmt::Loop(data) => self.loop_(data)?,
                Stmt::Label { target, body } => {
                    let owner = self.b.block();
                    let (inner, merge) = self.b.labelled();
                    self.frames.push(Frame { owner, exit: Some(*target), next: None });
                    self.b.switch_to(inner);
                    self.statements(body, Fall { target: Some(*target), exit: FallExit::Merge })?;
                    self.frames.pop();
                    self.b.switch_to(merge);
                }
                Stmt::Jump { from, to } => {
                    self.edge(*from, *to)?;
                    if i + 1 == stmts.len() {
                        return self.jump(*from, *to, fall);
                    }
                }
                Stmt::End(block) => return self.end(*block),
            }
        }
        self.leave(fall);
        Ok(())
    }

    fn leave(&mut self, fall: Fall) {
        match fall.exit {
            FallExit::Merge => self.b.merge(&[]),
            FallExit::Break(owner) => self.b.break_(owner, &[]),
            FallExit::Continue(owner) => self.b.continue_(owner, &[]),
            FallExit::End => self.unreachable(),
        }
    }

    /// Ends a block that is not reached.
    fn unreachable(&mut self) {
        let results: Vec<Type> = self.b.module.funcs[self.b.func()].results.iter().map(|r| r.ty).collect();
        let module = &mut *self.b.module;
        let zeros: Option<Vec<Value>> =
            results.iter().map(|&ty| module.consts.zero(&mut module.types, ty).map(Value::from)).collect();
        match zeros {
            Some(zeros) => self.b.ret(&zeros),
            None => self.b.exit(Exit::Trap(TrapKind::Unreachable)),
        }
    }

    fn jump(&mut self, from: usize, to: usize, fall: Fall) -> Res<()> {
        if fall.target == Some(to) {
            self.leave(fall);
            return Ok(());
        }
        for frame in self.frames.iter().rev() {
            if frame.exit == Some(to) {
                self.b.break_(frame.owner, &[]);
                return Ok(());
            }
            if frame.next == Some(to) {
                self.b.continue_(frame.owner, &[]);
                return Ok(());
            }
        }
        self.end_of(from).unsupported("a branch to this block")
    }

    /// The instruction that ends a block.
    fn end_of(&self, block: usize) -> Inst<'w> {
        self.cx.binary.insts[self.cfg.nodes[block].end]
    }

    /// The condition of a branch.
    fn condition(&mut self, block: usize) -> Res<Value> {
        let inst = self.end_of(block);
        self.place(block);
        self.at(&inst);
        let Term::If(condition, ..) = self.cfg.nodes[block].term else { return inst.invalid("it has no condition") };
        let value = self.value(&inst, condition)?;
        if self.b.type_of(value) != Type::BOOL {
            return inst.invalid("its condition is no `bool`");
        }
        Ok(value)
    }

    fn end(&mut self, block: usize) -> Res<()> {
        let inst = self.end_of(block);
        self.place(block);
        self.at(&inst);
        match self.cfg.nodes[block].term {
            Term::Return(value) => {
                let wanted: Vec<Type> = self.b.module.funcs[self.b.func()].results.iter().map(|r| r.ty).collect();
                match (value, &wanted[..]) {
                    (None, []) => self.b.ret(&[]),
                    (Some(value), &[ty]) => {
                        let value = self.value(&inst, value)?;
                        let value = self.adapt(&inst, value, ty)?;
                        self.b.ret(&[value]);
                    }
                    _ => return inst.invalid("the function has another result"),
                }
            }
            Term::Kill => self.b.exit(Exit::Discard),
            Term::Unreachable if inst.op != Op::Unreachable => {
                self.spirv_instruction(&inst)?;
                self.b.exit(Exit::Trap(TrapKind::Unreachable));
            }
            _ => self.unreachable(),
        }
        Ok(())
    }

    fn switch(&mut self, block: usize, arms: &[Arm], exit: Option<usize>, follows: Option<usize>) -> Res<()> {
        let inst = self.end_of(block);
        self.place(block);
        self.at(&inst);
        let Term::Switch(selector, ..) = self.cfg.nodes[block].term else { return inst.invalid("it has no cases") };
        let mut selector = self.value(&inst, selector)?;
        let scalar = match self.b.module.types[self.b.type_of(selector)] {
            TypeKind::Scalar(scalar) if scalar.is_integer() => scalar,
            _ => return inst.invalid("its selector is no integer"),
        };
        selector = self.converted(&inst, selector, scalar.widened())?;
        let ty = self.b.type_of(selector);
        let mut seen: FxHashSet<Const> = FxHashSet::default();
        let mut made: Vec<Case> = vec![];
        // Without a default case, others go to the merge block.
        let goes_out = |arm: &&Arm| {
            let jumps = matches!(arm.body[..], [Stmt::Jump { from, to }] if Some(to) == exit && !self.passes(from, to));
            jumps && arm.is_default
        };
        let left_out = arms.iter().position(|arm| goes_out(&arm)).filter(|_| arms.len() > 1);
        let kept: Vec<&Arm> = arms.iter().enumerate().filter(|(i, _)| Some(*i) != left_out).map(|a| a.1).collect();
        for arm in &kept {
            let mut values: SmallVec<[Const; 1]> = SmallVec::new();
            for &value in &arm.values {
                let bits = value & u64::MAX >> (64 - scalar.bits());
                let value = self.b.module.consts.bits(ty, convert(bits, scalar, scalar.widened()));
                if !seen.insert(value) {
                    return inst.invalid("two cases have the same value");
                }
                values.push(value);
            }
            let block = self.b.new_block();
            made.push(Case { values, is_default: arm.is_default, block });
        }
        let blocks: Vec<Block> = made.iter().map(|c| c.block).collect();
        let owner = self.b.block();
        let merge = self.b.switch(selector, made, &[]);
        self.frames.push(Frame { owner, exit, next: None });
        for (arm, block) in kept.into_iter().zip(blocks) {
            self.b.switch_to(block);
            self.statements(&arm.body, Fall { target: exit.or(follows), exit: FallExit::Break(owner) })?;
        }
        self.frames.pop();
        self.b.switch_to(merge);
        Ok(())
    }

    fn loop_(&mut self, data: &Loop) -> Res<()> {
        let Loop { header, exit, test, body, next } = data;
        if let Test::After { stmts, block, goes_on_if, label } = test {
            let blocks = self.b.do_loop(&[]);
            let target = label.unwrap_or(*header);
            self.frames.push(Frame { owner: blocks.owner, exit: *exit, next: Some(target) });
            self.b.switch_to(blocks.body);
            self.statements(body, Fall { target: Some(target), exit: FallExit::Continue(blocks.owner) })?;
            self.b.switch_to(blocks.condition);
            self.test(stmts, *block, *goes_on_if, &[Some(*header), *exit])?;
            self.frames.pop();
            self.b.switch_to(blocks.merge);
            return Ok(());
        }
        let next = next.as_ref().map(|(target, stmts)| (*target, stmts, self.is_empty(*header, stmts)));
        let blocks = self.b.loop_(&[], next.is_some_and(|n| !n.2));
        self.b.switch_to(blocks.condition);
        match test {
            Test::Before { stmts, block, goes_on_if } => self.test(stmts, *block, *goes_on_if, &[*exit])?,
            _ => self.b.loop_if(Const::TRUE.into()),
        }
        let target = next.map_or(*header, |n| n.0);
        self.frames.push(Frame { owner: blocks.owner, exit: *exit, next: Some(target) });
        self.b.switch_to(blocks.body);
        self.statements(body, Fall { target: Some(target), exit: FallExit::Continue(blocks.owner) })?;
        self.frames.pop();
        if let (Some((_, stmts, _)), Some(block)) = (next, blocks.next) {
            self.frames.push(Frame { owner: blocks.owner, exit: *exit, next: Some(*header) });
            self.b.switch_to(block);
            self.statements(stmts, Fall { target: Some(*header), exit: FallExit::Continue(blocks.owner) })?;
            self.frames.pop();
        }
        self.b.switch_to(blocks.merge);
        Ok(())
    }

    /// Writes the condition of a loop; `edges`: blocks that it may lead to and that take values.
    fn test(&mut self, stmts: &[Stmt], block: usize, goes_on_if: bool, edges: &[Option<usize>]) -> Res<()> {
        for stmt in stmts {
            if let Stmt::Block(block) = stmt {
                self.block(*block)?;
            }
        }
        let mut condition = self.condition(block)?;
        if !goes_on_if {
            condition = self.b.op(Ir::LogicalNot, &[condition]);
        }
        for &to in edges.iter().flatten() {
            self.edge(block, to)?;
        }
        self.b.loop_if(condition);
        Ok(())
    }

    /// Whether a continue target does nothing.
    fn is_empty(&self, header: usize, stmts: &[Stmt]) -> bool {
        match stmts {
            [Stmt::Block(block), Stmt::Jump { from, to }] => {
                let insts = &self.cx.binary.insts[self.cfg.nodes[*block].insts.clone()];
                insts.iter().all(|i| is_note(i.op)) && *to == header && !self.passes(*from, *to)
            }
            _ => false,
        }
    }

    /// The phis at the beginning of a block.
    fn phis(&self, block: usize) -> impl Iterator<Item = Inst<'w>> + use<'w> {
        let insts: &'w [Inst<'w>] = &self.cx.binary.insts[self.cfg.nodes[block].insts.clone()];
        insts.iter().take_while(|i| i.op == Op::Phi || is_note(i.op)).filter(|i| i.op == Op::Phi).copied()
    }

    /// Whether a jump passes values.
    fn passes(&self, _from: usize, to: usize) -> bool {
        self.cfg.nodes[to].preds.len() > 1 && self.phis(to).next().is_some()
    }

    /// Passes the values of a jump to the phis of its target.
    fn edge(&mut self, from: usize, to: usize) -> Res<()> {
        if !self.passes(from, to) {
            return Ok(());
        }
        self.place(from);
        let label = self.cfg.nodes[from].label;
        let mut stores = vec![];
        for phi in self.phis(to) {
            let Some(&var) = self.phi_vars.get(&phi.result) else { continue };
            let Some(pair) = phi.operands.chunks_exact(2).find(|pair| pair[1] == label) else {
                return phi.invalid(&format!("it has no value for the block %{label}"));
            };
            if self.cx.binary.def(pair[0]).is_some_and(|def| def.op == Op::Undef) {
                continue;
            }
            self.at(&phi);
            let value = self.value(&phi, pair[0])?;
            let ty = self.b.module.vars[var].ty;
            stores.push((var, self.adapt(&phi, value, ty)?));
        }
        for (var, value) in stores {
            self.b.store(var.into(), value);
        }
        Ok(())
    }

    /// Writes the instructions of a block.
    fn block(&mut self, block: usize) -> Res<()> {
        self.place(block);
        let range = self.cfg.nodes[block].insts.clone();
        let single = self.cfg.nodes[block].preds.len() == 1;
        let insts: &'w [Inst<'w>] = &self.cx.binary.insts[range];
        for inst in insts {
            match inst.op {
                Op::Line => {
                    let (line, column) = (inst.word(1)?, inst.word(2)?);
                    self.line = self.cx.files.get(&inst.word(0)?).map(|f| f.at_line(line, column.max(1)));
                }
                Op::NoLine => self.line = None,
                _ if self.cx.binary.debug_number(inst) == Some(DEBUG_LINE) => {
                    let (line, column) = (inst.word(3)?, inst.word(5)?);
                    let (line, column) = (self.integer(inst, line)?, self.integer(inst, column)?);
                    self.line = self.cx.files.get(&inst.word(2)?).map(|f| f.at_line(line, column.max(1)));
                }
                _ if self.cx.binary.debug_number(inst) == Some(DEBUG_NO_LINE) => self.line = None,
                Op::Phi => {
                    self.at(inst);
                    let value = match (single, self.phi_vars.get(&inst.result)) {
                        (true, _) => self.val(inst, inst.word(0)?)?,
                        (false, Some(&var)) => Val::Value(self.b.load(var.into())),
                        (false, None) => self.same_address(inst)?,
                    };
                    self.define(inst, value)?;
                }
                // Declared at the beginning.
                Op::Variable => {}
                _ if is_note(inst.op) => {}
                _ => {
                    self.at(inst);
                    self.instruction(inst)?;
                }
            }
        }
        Ok(())
    }

    /// The address that all operands of a phi are.
    fn same_address(&mut self, inst: &Inst<'w>) -> Res<Val> {
        let mut ids = inst.operands.iter().step_by(2).copied().filter(|&id| id != inst.result);
        match ids.next() {
            Some(first) if ids.all(|id| id == first) => self.val(inst, first),
            _ => inst.unsupported("a pointer to one of several variables"),
        }
    }
}

/// Whether an instruction is a note, or about the structure that is known.
fn is_note(op: Op) -> bool {
    use Op::{AssumeTrueKHR, LifetimeStart, LifetimeStop, Line, LoopMerge, NoLine, Nop, SelectionMerge};
    matches!(op, Line | NoLine | Nop | LifetimeStart | LifetimeStop | AssumeTrueKHR | LoopMerge | SelectionMerge)
}
