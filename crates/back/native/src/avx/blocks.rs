//! Blocks and edges: parameters, the instructions of a block, its end.

use cranelift_codegen::ir::{Block, BlockCall, Inst, InstructionData, Opcode, Value};
use regalloc2::{Operand, RegClass, VReg};

use super::lower::{Lower, Result, class_of};
use super::schedule::Unit;
use super::values::is_vector;
use super::vcode::{Op, Part};

impl Lower<'_> {
    pub(super) fn part_of(&mut self, block: Block) -> usize {
        if let Some(part) = self.blocks[block] {
            return part;
        }
        self.parts.push(Part { cold: self.f.layout.is_cold(block), ..Part::default() });
        self.blocks[block] = Some(self.parts.len() - 1);
        self.parts.len() - 1
    }

    pub(super) fn begin_part(&mut self, part: usize) {
        self.part = part;
        self.positions += 1;
        self.parts[part].position = self.positions;
    }

    pub(super) fn block(&mut self, block: Block, units: &[Unit], is_entry: bool) -> Result {
        let part = self.part_of(block);
        self.begin_part(part);
        self.uppers.clear();
        self.packed.clear();
        self.available.clear();
        if is_entry {
            self.entry(block)?;
        } else {
            self.parameters(block);
        }
        for &unit in units {
            self.unit(unit)?;
        }
        self.end(self.f.layout.last_inst(block).expect("a block has an end"))
    }

    /// Whether two parameters of a block are passed in one register.
    fn are_one(&self, params: &[Value], i: usize) -> bool {
        params.get(i + 1).is_some_and(|&next| self.pairs.of(params[i], next).is_some())
    }

    fn parameters(&mut self, block: Block) {
        let params = self.f.dfg.block_params(block);
        let mut i = 0;
        while i < params.len() {
            let reg = self.new_reg(class_of(self.values.ty(params[i])));
            self.parts[self.part].params.push(reg);
            if self.are_one(params, i) {
                let half = self.pairs.halves[params[i]].expect("it is half of a pair");
                self.wides[half.pair as usize] = Some(reg);
                i += 2;
            } else {
                self.singles[params[i]] = Some(reg);
                i += 1;
            }
        }
    }

    /// Puts the halves of parameters in registers of their own together.
    pub(super) fn join_params(&mut self, params: &[Value]) {
        for i in 0..params.len() {
            if self.are_one(params, i) {
                let reg = self.y([params[i], params[i + 1]]);
                let half = self.pairs.halves[params[i]].expect("it is half of a pair");
                self.wides[half.pair as usize] = Some(reg);
            }
        }
    }

    /// The arguments of an edge.
    fn arguments(&mut self, call: &BlockCall) -> Vec<VReg> {
        let lists = &self.f.dfg.value_lists;
        let params = self.f.dfg.block_params(call.block(lists));
        let args: Vec<Value> = call.args(lists).filter_map(|arg| arg.as_value()).collect();
        let mut regs = Vec::new();
        let mut i = 0;
        while i < params.len() {
            if self.are_one(params, i) {
                regs.push(self.y([args[i], args[i + 1]]));
                i += 2;
            } else {
                let is_int = class_of(self.values.ty(params[i])) == RegClass::Int;
                regs.push(if is_int { self.int(args[i]) } else { self.x(args[i]) });
                i += 1;
            }
        }
        regs
    }

    /// The part to which one of several edges leads: its block, or a part of its own that passes the arguments.
    fn edge(&mut self, call: &BlockCall) -> (usize, Vec<VReg>) {
        let block = call.block(&self.f.dfg.value_lists);
        let target = self.part_of(block);
        if self.predecessors[block] == 1 && call.args(&self.f.dfg.value_lists).next().is_none() {
            return (target, Vec::new());
        }
        self.parts.push(Part { cold: self.f.layout.is_cold(block), ..Part::default() });
        let edge = self.parts.len() - 1;
        let (from, uppers, packed) = (self.part, self.uppers.clone(), self.packed.clone());
        self.begin_part(edge);
        let args = self.arguments(call);
        self.push(Op::Jump, []);
        self.parts[edge].successors.push((target, args));
        (self.part, self.uppers, self.packed) = (from, uppers, packed);
        (edge, Vec::new())
    }

    fn end(&mut self, inst: Inst) -> Result {
        let f = self.f;
        match &f.dfg.insts[inst] {
            InstructionData::Jump { destination, .. } => {
                let target = self.part_of(destination.block(&f.dfg.value_lists));
                let args = self.arguments(destination);
                self.push(Op::Jump, []);
                self.parts[self.part].successors.push((target, args));
            }
            InstructionData::Brif { arg, blocks, .. } => {
                let condition = self.test(*arg)?;
                self.push(Op::Branch { condition }, []);
                let from = self.part;
                let edges = blocks.each_ref().map(|call| self.edge(call));
                self.parts[from].successors.extend(edges);
            }
            InstructionData::BranchTable { arg, table, .. } => {
                let index = self.int(*arg);
                self.push(Op::Table, [Operand::reg_use(index)]);
                let from = self.part;
                let table = &f.dfg.jump_tables[*table];
                let calls: Vec<BlockCall> = table.as_slice().iter().copied().chain([table.default_block()]).collect();
                for call in &calls {
                    let edge = self.edge(call);
                    self.parts[from].successors.push(edge);
                }
            }
            InstructionData::MultiAry { opcode: Opcode::Return, .. } => self.returns(inst)?,
            InstructionData::Trap { opcode: Opcode::Trap, .. } => self.push(Op::Trap, []),
            _ => return self.missing(inst),
        }
        Ok(())
    }

    fn unit(&mut self, (inst, other): Unit) -> Result {
        let f = self.f;
        let data = &f.dfg.insts[inst];
        if data.opcode().is_call() {
            return self.call(inst);
        }
        match data {
            InstructionData::Load { .. } => return self.load((inst, other)),
            InstructionData::Store { .. } => return self.store((inst, other)),
            _ => {}
        }
        let Some(&result) = f.dfg.inst_results(inst).first() else { return self.missing(inst) };
        if self.values.root(result) != result {
            return Ok(());
        }
        if is_vector(self.values.ty(result)) {
            return self.vector_instruction((inst, other));
        }
        self.scalar_instruction(inst, result)
    }
}
