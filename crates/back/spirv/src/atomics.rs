//! Atomics and barriers.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Value};
use planish_ir::module::Stage;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use spirv::{Capability, Op as S, Scope, StorageClass};

use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::places::Place;
use crate::types::{Res, fail};

/// Bits of SPIR-V's memory semantics.
pub(crate) const ACQUIRE_RELEASE: u32 = 0x8;
const UNIFORM_MEMORY: u32 = 0x40;
pub(crate) const WORKGROUP_MEMORY: u32 = 0x100;
const IMAGE_MEMORY: u32 = 0x800;

impl FunctionWriter<'_, '_> {
    pub(crate) fn atomic(&mut self, op: Op, place: &Place, args: &[Value], ty: Type) -> Res<Id> {
        let chain = match place {
            Place::Memory(chain) => chain.clone(),
            Place::Lanes(chain, lanes, _) if lanes.len() == 1 => {
                match self.access_component(Place::Memory(chain.clone()), lanes[0].into())? {
                    Place::Memory(chain) => chain,
                    _ => return self.no_such_op(op),
                }
            }
            _ => return self.no_such_op(op),
        };
        let scope = match chain.class {
            StorageClass::StorageBuffer => Scope::Device,
            StorageClass::Workgroup => Scope::Workgroup,
            _ => return fail(Code::E0604, self.span, "atomics work on storage buffers and shared memory only"),
        };
        let pointer = self.pointer(&chain)?;
        self.atomic_on(op, pointer, scope, &args[1..], ty)
    }

    /// An atomic op on a pointer to memory or to a texel; `args` are the operands after the pointer.
    pub(crate) fn atomic_on(&mut self, op: Op, pointer: Id, scope: Scope, args: &[Value], ty: Type) -> Res<Id> {
        let scalar = self.shape(ty).0;
        let signed = scalar.is_signed();
        let instruction = match op {
            Op::AtomicAdd | Op::ImageAtomicAdd if scalar.is_float() => return self.no_such_op(op),
            Op::AtomicAdd | Op::ImageAtomicAdd => S::AtomicIAdd,
            Op::AtomicMin | Op::ImageAtomicMin if signed => S::AtomicSMin,
            Op::AtomicMin | Op::ImageAtomicMin => S::AtomicUMin,
            Op::AtomicMax | Op::ImageAtomicMax if signed => S::AtomicSMax,
            Op::AtomicMax | Op::ImageAtomicMax => S::AtomicUMax,
            Op::AtomicAnd | Op::ImageAtomicAnd => S::AtomicAnd,
            Op::AtomicOr | Op::ImageAtomicOr => S::AtomicOr,
            Op::AtomicXor | Op::ImageAtomicXor => S::AtomicXor,
            Op::AtomicExchange | Op::ImageAtomicExchange => S::AtomicExchange,
            Op::AtomicCompareExchange | Op::ImageAtomicCompareExchange => S::AtomicCompareExchange,
            _ => return self.no_such_op(op),
        };
        let is_exchange = instruction == S::AtomicExchange;
        if scalar == Scalar::Bool || (scalar.is_float() && !is_exchange) {
            return self.no_such_op(op);
        }
        if scalar.bits() == 64 {
            self.cx.out.need(Capability::Int64Atomics);
        }
        let (scope, relaxed) = (self.cx.u32(scope as u32), self.cx.u32(0));
        let ids = self.ids(args)?;
        let result = self.cx.number(ty);
        Ok(match ids[..] {
            [compare, value] => self.emit(instruction, result, &[pointer, scope, relaxed, relaxed, value, compare]),
            [value] => self.emit(instruction, result, &[pointer, scope, relaxed, value]),
            _ => return self.no_such_op(op),
        })
    }

    /// A barrier for the subgroup; shared memory and buffers are ordered.
    pub(crate) fn subgroup_barrier(&mut self) {
        let scope = self.cx.u32(Scope::Subgroup as u32);
        let semantics = self.cx.u32(ACQUIRE_RELEASE | WORKGROUP_MEMORY | UNIFORM_MEMORY);
        self.emit_void(S::ControlBarrier, &[scope, scope, semantics]);
    }

    /// A barrier for the work group; shared memory and buffers are ordered.
    pub(crate) fn control_barrier(&mut self) {
        let scope = self.cx.u32(Scope::Workgroup as u32);
        if self.cx.plan.stage == Some(Stage::TessellationControl) {
            // Outputs of a patch are ordered by the barrier itself.
            let (invocation, none) = (self.cx.u32(Scope::Invocation as u32), self.cx.u32(0));
            self.emit_void(S::ControlBarrier, &[scope, invocation, none]);
            return;
        }
        let semantics = self.cx.u32(ACQUIRE_RELEASE | WORKGROUP_MEMORY | UNIFORM_MEMORY);
        self.emit_void(S::ControlBarrier, &[scope, scope, semantics]);
    }

    /// `kinds` in the order of the op table's names: buffer, image, shared, atomic counter, group; none is all.
    pub(crate) fn memory_barrier(&mut self, kinds: u32) {
        let kinds = if kinds == 0 { 0b1_1111 } else { kinds };
        let group = kinds & 0b1_0000 != 0 && kinds & 0b1111 == 0;
        let mut semantics = ACQUIRE_RELEASE;
        for (bits, memory) in [(0b1_1001, UNIFORM_MEMORY), (0b1_0010, IMAGE_MEMORY), (0b1_0100, WORKGROUP_MEMORY)] {
            if kinds & bits != 0 {
                semantics |= memory;
            }
        }
        let scope = self.cx.u32(if group { Scope::Workgroup } else { Scope::Device } as u32);
        let semantics = self.cx.u32(semantics);
        self.emit_void(S::MemoryBarrier, &[scope, semantics]);
    }
}
