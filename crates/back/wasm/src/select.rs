//! The instructions of one node.

use planish_ir::diagnostic::Code as ErrorCode;
use planish_ir::entity::{Node, Value};
use planish_ir::ops::{Class, ImmKind, Op};
use planish_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;
use wasm_encoder::{Instruction as I, ValType};

use crate::function::Emitter;
use crate::types::val_type;
use crate::{math, ops, simd};

impl Emitter<'_> {
    /// The operands that are on the stack before the instruction of a node, in their order there.
    pub(crate) fn operands(&self, node: Node) -> SmallVec<[Value; 4]> {
        let args = self.body.args(node);
        match self.body.node(node).op {
            Op::Select => SmallVec::from_slice(&[args[1], args[2], args[0]]),
            Op::CallIndirect | Op::TailCallIndirect => args[1..].iter().chain(&args[..1]).copied().collect(),
            Op::Call | Op::TailCall | Op::Store => SmallVec::from_slice(&args[1..]),
            Op::Load | Op::RefFunc => SmallVec::new(),
            Op::SimdShuffle => SmallVec::from_slice(&args[..2]),
            Op::Equal if self.tests_zero(node) => SmallVec::from_slice(&args[..1]),
            _ => SmallVec::from_slice(args),
        }
    }

    /// Emits the instructions before the operands of a node.
    pub(crate) fn begin_node(&mut self, node: Node) {
        if self.body.node(node).op == Op::SimdLow {
            self.code.push(I::V128Const(0));
        }
    }

    /// The instructions of a node whose operands are on the stack.
    pub(crate) fn finish_node(&mut self, node: Node) {
        if self.instructions(node).is_none() {
            let (op, span) = (self.body.node(node).op, self.body.node(node).span);
            self.error(ErrorCode::E0604, span, format!("WebAssembly does not have the operation `{}`", op.text()));
        }
    }

    fn instructions(&mut self, node: Node) -> Option<()> {
        let (body, data) = (self.body, *self.body.node(node));
        let args = body.args(node);
        let of = |this: &Self, index: usize| args.get(index).and_then(|&a| this.scalar(a));
        let result = body.result(node).and_then(|r| self.scalar(r.into()));
        if data.op.info().class == Class::Simd {
            return self.wide(node);
        }
        if data.op.info().class == Class::Machine {
            return self.machine(node);
        }
        match data.op {
            Op::Call | Op::TailCall => self.code.push(I::Call(self.indices.func(args[0].as_func()?))),
            Op::CallIndirect | Op::TailCallIndirect => {
                let (table, ty) = data.imm.as_table_type();
                let type_index = self.signatures.of(&self.module.types, ty)?;
                self.code.push(I::CallIndirect { type_index, table_index: self.indices.table(table) });
            }
            Op::Load => {
                let var = args[0].as_var()?;
                match self.indices.global(var) {
                    Some(index) => self.code.push(I::GlobalGet(index)),
                    None => self.code.get(*self.variables.get(&var)?),
                }
            }
            Op::Store => {
                let var = args[0].as_var()?;
                match self.indices.global(var) {
                    Some(index) => self.code.push(I::GlobalSet(index)),
                    None => self.code.set(*self.variables.get(&var)?),
                }
            }
            Op::Select => match val_type(&self.module.types, self.module.type_of(body, args[1]))? {
                ty @ ValType::Ref(_) => self.code.push(I::TypedSelect(ty)),
                _ if self.module.types[self.module.type_of(body, args[0])] == TypeKind::Scalar(Scalar::Bool) => {
                    self.code.push(I::Select);
                }
                _ => return None,
            },
            Op::ConstructScalarFromScalar => {
                for instruction in ops::convert(of(self, 0)?, result?)? {
                    self.code.push(instruction);
                }
            }
            Op::TruncateTrapping => self.code.push(ops::truncate(of(self, 0)?, result?)?),
            Op::Bitcast => self.code.push(ops::bitcast(of(self, 0)?, result?)?),
            op => {
                let scalar = of(self, 0)?;
                if op.info().imm == ImmKind::Guard && !ops::info().has(self.module, body, node) {
                    return None;
                }
                // The amount of a shift may have another width than the value; its upper bits do not count.
                let is_shift = matches!(op, Op::ShiftLeft | Op::ShiftRight | Op::RotateLeft | Op::RotateRight);
                match of(self, 1).filter(|amount| is_shift && amount.bits() != scalar.bits()) {
                    Some(amount) if amount.bits() == 64 => self.code.push(I::I32WrapI64),
                    Some(_) => self.code.push(I::I64ExtendI32U),
                    None => {}
                }
                match math::function(op) {
                    Some((name, _)) if scalar == Scalar::F64 => self.code.push(I::Call(self.indices.math(name)?)),
                    _ if self.tests_zero(node) => self.code.push(ops::is_zero(scalar)),
                    _ => self.code.push(ops::arithmetic(op, scalar)?),
                }
            }
        }
        Some(())
    }

    /// Whether a node compares an integer with 0.
    fn tests_zero(&self, node: Node) -> bool {
        let args = self.body.args(node);
        self.body.node(node).op == Op::Equal && self.is_zero(args[1]) && self.scalar(args[0]).is_some()
    }

    /// Whether a value is the integer 0.
    pub(crate) fn is_zero(&self, value: Value) -> bool {
        value.as_const().is_some_and(|c| self.module.consts.as_integer(&self.module.types, c) == Some(0))
    }

    fn wide(&mut self, node: Node) -> Option<()> {
        let (data, args) = (self.body.node(node), self.body.args(node));
        let instruction = match data.op {
            Op::SimdShuffle => {
                let bytes = crate::constant::wide(self.module, args[2].as_const()?)?.to_le_bytes();
                I::I8x16Shuffle(bytes.map(|b| b & 31))
            }
            Op::SimdLow => match self.scalar(args[0])? {
                Scalar::I32 | Scalar::U32 => I::I32x4ReplaceLane(0),
                Scalar::I64 | Scalar::U64 => I::I64x2ReplaceLane(0),
                Scalar::F32 => I::F32x4ReplaceLane(0),
                Scalar::F64 => I::F64x2ReplaceLane(0),
                _ => return None,
            },
            op => simd::instruction(op, data.imm)?,
        };
        self.code.push(instruction);
        Some(())
    }

    fn machine(&mut self, node: Node) -> Option<()> {
        let (data, args) = (self.body.node(node), self.body.args(node));
        let (low, high) = data.imm.as_pair();
        let indices = self.indices;
        let memory = |i: u32| indices.memory(planish_ir::entity::Memory::from_u32(i));
        let table = |i: u32| indices.table(planish_ir::entity::Table::from_u32(i));
        let instruction = match data.op {
            Op::MemoryLoad => {
                let result = self.body.result(node)?;
                let arg = data.imm.as_mem_arg();
                ops::load(arg, indices.memory(arg.memory), self.scalar(result.into()))?
            }
            Op::MemoryStore => {
                let arg = data.imm.as_mem_arg();
                ops::store(arg, indices.memory(arg.memory), self.scalar(args[1]))?
            }
            Op::MemorySize => I::MemorySize(memory(low)),
            Op::MemoryGrow => I::MemoryGrow(memory(low)),
            Op::MemoryFill => I::MemoryFill(memory(low)),
            Op::MemoryCopy => I::MemoryCopy { dst_mem: memory(low), src_mem: memory(high) },
            Op::MemoryInit => I::MemoryInit { mem: memory(low), data_index: high },
            Op::DataDrop => I::DataDrop(low),
            Op::TableGet => I::TableGet(table(low)),
            Op::TableSet => I::TableSet(table(low)),
            Op::TableSize => I::TableSize(table(low)),
            Op::TableGrow => I::TableGrow(table(low)),
            Op::TableFill => I::TableFill(table(low)),
            Op::TableCopy => I::TableCopy { dst_table: table(low), src_table: table(high) },
            Op::TableInit => I::TableInit { elem_index: high, table: table(low) },
            Op::ElemDrop => I::ElemDrop(low),
            Op::RefFunc => I::RefFunc(indices.func(args[0].as_func()?)),
            Op::RefIsNull => I::RefIsNull,
            _ => return None,
        };
        self.code.push(instruction);
        Some(())
    }
}
