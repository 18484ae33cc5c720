//! Atomics and barriers.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::module::Stage;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use spirv::{Capability, MemorySemantics as Memory, Op as S, Scope, StorageClass};

use crate::Version;
use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::places::Place;
use crate::types::{Res, fail};

/// The bit of a memory access that an alignment follows.
const ALIGNED: u32 = 0x2;

impl FunctionWriter<'_, '_> {
    pub(crate) fn atomic(&mut self, node: Node, place: &Place, args: &[Value], ty: Type) -> Res<Id> {
        let op = self.body.node(node).op;
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
            StorageClass::StorageBuffer => self.far_scope(),
            StorageClass::Workgroup => self.cx.u32(Scope::Workgroup as u32),
            _ => return fail(Code::E0604, self.span, "atomics work on storage buffers and shared memory only"),
        };
        let pointer = self.pointer(&chain)?;
        self.atomic_on(node, pointer, scope, &args[1..], ty)
    }

    /// An atomic op on a pointer to memory or to a texel; `args` are the operands after the pointer. A store has no result.
    pub(crate) fn atomic_on(&mut self, node: Node, pointer: Id, scope: Id, args: &[Value], ty: Type) -> Res<Id> {
        let op = self.body.node(node).op;
        let relaxed = self.cx.u32(0);
        let is_load = self.cx.module.is_atomic_load(self.body, node);
        let is_store = self.body.result(node).is_some_and(|result| self.unread_exchanges.contains(&result));
        if (is_load || is_store) && self.shape(ty).0.bits() == 64 {
            self.cx.out.need(Capability::Int64Atomics);
        }
        if is_load {
            let result = self.cx.number(ty);
            return Ok(self.emit(S::AtomicLoad, result, &[pointer, scope, relaxed]));
        }
        if is_store {
            let value = self.id(args[0])?;
            self.emit_void(S::AtomicStore, &[pointer, scope, relaxed, value]);
            return Ok(0);
        }
        let scalar = self.shape(ty).0;
        let (signed, is_float) = (scalar.is_signed(), scalar.is_float());
        let instruction = match op {
            Op::AtomicAdd | Op::ImageAtomicAdd | Op::ReferenceAtomicAdd if is_float => S::AtomicFAddEXT,
            Op::AtomicMin | Op::ImageAtomicMin | Op::ReferenceAtomicMin if is_float => S::AtomicFMinEXT,
            Op::AtomicMax | Op::ImageAtomicMax | Op::ReferenceAtomicMax if is_float => S::AtomicFMaxEXT,
            Op::AtomicAdd | Op::ImageAtomicAdd | Op::ReferenceAtomicAdd => S::AtomicIAdd,
            Op::AtomicMin | Op::ImageAtomicMin | Op::ReferenceAtomicMin if signed => S::AtomicSMin,
            Op::AtomicMin | Op::ImageAtomicMin | Op::ReferenceAtomicMin => S::AtomicUMin,
            Op::AtomicMax | Op::ImageAtomicMax | Op::ReferenceAtomicMax if signed => S::AtomicSMax,
            Op::AtomicMax | Op::ImageAtomicMax | Op::ReferenceAtomicMax => S::AtomicUMax,
            Op::AtomicAnd | Op::ImageAtomicAnd | Op::ReferenceAtomicAnd => S::AtomicAnd,
            Op::AtomicOr | Op::ImageAtomicOr | Op::ReferenceAtomicOr => S::AtomicOr,
            Op::AtomicXor | Op::ImageAtomicXor | Op::ReferenceAtomicXor => S::AtomicXor,
            Op::AtomicExchange | Op::ImageAtomicExchange | Op::ReferenceAtomicExchange => S::AtomicExchange,
            Op::AtomicCompareExchange | Op::ImageAtomicCompareExchange | Op::ReferenceAtomicCompareExchange => {
                S::AtomicCompareExchange
            }
            _ => return self.no_such_op(op),
        };
        let is_exchange = instruction == S::AtomicExchange;
        let of_floats = matches!(instruction, S::AtomicFAddEXT | S::AtomicFMinEXT | S::AtomicFMaxEXT);
        if scalar == Scalar::Bool || (is_float && !is_exchange && !of_floats) {
            return self.no_such_op(op);
        }
        if of_floats {
            self.atomic_on_floats(instruction, scalar);
        } else if scalar.bits() == 64 {
            self.cx.out.need(Capability::Int64Atomics);
        }
        let ids = self.ids(args)?;
        let result = self.cx.number(ty);
        Ok(match ids[..] {
            [compare, value] => self.emit(instruction, result, &[pointer, scope, relaxed, relaxed, value, compare]),
            [value] => self.emit(instruction, result, &[pointer, scope, relaxed, value]),
            _ => return self.no_such_op(op),
        })
    }

    /// Notes the capability and the extension of a sum, minimum or maximum of floats.
    fn atomic_on_floats(&mut self, instruction: S, scalar: Scalar) {
        use Capability as C;
        let (adds, least) = match scalar {
            Scalar::F16 => (C::AtomicFloat16AddEXT, C::AtomicFloat16MinMaxEXT),
            Scalar::F64 => (C::AtomicFloat64AddEXT, C::AtomicFloat64MinMaxEXT),
            _ => (C::AtomicFloat32AddEXT, C::AtomicFloat32MinMaxEXT),
        };
        let is_sum = instruction == S::AtomicFAddEXT;
        self.cx.out.need(if is_sum { adds } else { least });
        self.cx.out.need_extension(match (is_sum, scalar) {
            (true, Scalar::F16) => "SPV_EXT_shader_atomic_float16_add",
            (true, _) => "SPV_EXT_shader_atomic_float_add",
            (false, _) => "SPV_EXT_shader_atomic_float_min_max",
        });
    }

    /// An op on the memory of a buffer by an address.
    pub(crate) fn reference(&mut self, node: Node, args: &[Value], ty: Type) -> Res<Option<Id>> {
        let data = self.body.node(node);
        let value = if data.op == Op::ReferenceStore { self.type_of(args[1]) } else { ty };
        self.cx.out.need(Capability::PhysicalStorageBufferAddresses);
        self.cx.out.has_addresses = true;
        if !self.cx.since(Version::V1_5) {
            self.cx.out.need_extension("SPV_KHR_physical_storage_buffer");
        }
        self.cx.share(value, StorageClass::StorageBuffer);
        let value = self.cx.number(value);
        let pointer_type = self.cx.out.pointer(StorageClass::PhysicalStorageBuffer, value);
        let address = self.id(args[0])?;
        let pointer = self.emit(S::ConvertUToPtr, pointer_type, &[address]);
        let align = data.imm.as_index();
        match data.op {
            Op::ReferenceLoad => Ok(Some(self.emit(S::Load, value, &[pointer, ALIGNED, align]))),
            Op::ReferenceStore => {
                let stored = self.id(args[1])?;
                self.emit_void(S::Store, &[pointer, stored, ALIGNED, align]);
                Ok(None)
            }
            _ => {
                let scope = self.far_scope();
                self.atomic_on(node, pointer, scope, &args[1..], ty).map(Some)
            }
        }
    }

    /// A barrier for the subgroup; shared memory and buffers are ordered.
    pub(crate) fn subgroup_barrier(&mut self) {
        let scope = self.cx.u32(Scope::Subgroup as u32);
        let semantics = self.barrier_semantics(Memory::WORKGROUP_MEMORY | Memory::UNIFORM_MEMORY);
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
        let semantics = self.barrier_semantics(Memory::WORKGROUP_MEMORY | Memory::UNIFORM_MEMORY);
        self.emit_void(S::ControlBarrier, &[scope, scope, semantics]);
    }

    /// `kinds` in the order of the op table's names: buffer, image, shared, atomic counter, group; none is all.
    pub(crate) fn memory_barrier(&mut self, kinds: u32) {
        let kinds = if kinds == 0 { 0b1_1111 } else { kinds };
        let group = kinds & 0b1_0000 != 0 && kinds & 0b1111 == 0;
        let mut memories = Memory::empty();
        for (bits, memory) in
            [(0b1_1001, Memory::UNIFORM_MEMORY), (0b1_0010, Memory::IMAGE_MEMORY), (0b1_0100, Memory::WORKGROUP_MEMORY)]
        {
            memories.set(memory, kinds & bits != 0);
        }
        let scope = if group { self.cx.u32(Scope::Workgroup as u32) } else { self.far_scope() };
        let semantics = self.barrier_semantics(memories);
        self.emit_void(S::MemoryBarrier, &[scope, semantics]);
    }
}
