//! Atomics, barriers, and what else orders the invocations of a stage.

use planish_ir::builder::Request;
use planish_ir::entity::Value;
use planish_ir::ops::{BARRIER_NAMES, Imm, Op as Ir, TextureFlags};
use planish_ir::types::{AddressSpace, Scalar};
use spirv::{Op, Scope as MemoryScope};

use crate::function::{Scope, Val};
use crate::report::Res;
use crate::words::Inst;

/// Bits of SPIR-V's memory semantics, and the kinds of memory that they name in the IR.
const MEMORIES: [(u32, &str); 4] = [(0x40, "buffer"), (0x800, "image"), (0x100, "shared"), (0x400, "atomic_counter")];

/// All of them.
const MEMORY_BITS: u32 = 0x40 | 0x800 | 0x100 | 0x400;
/// Bits of orders.
const ACQUIRE: u32 = 0x2;
const RELEASE: u32 = 0x4;
const ACQUIRE_RELEASE: u32 = 0x8;
const SEQUENTIAL: u32 = 0x10;

/// Whether invocations outside of the work group are in a scope of memory.
fn is_far(scope: u32) -> bool {
    [MemoryScope::CrossDevice, MemoryScope::Device, MemoryScope::QueueFamily].iter().any(|far| *far as u32 == scope)
}

impl<'w> Scope<'_, 'w, '_> {
    pub(crate) fn atomic(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        match inst.op {
            Op::ControlBarrier => self.control_barrier(inst)?,
            Op::MemoryBarrier => {
                let (scope, semantics) = (self.integer(inst, inst.word(0)?)?, self.integer(inst, inst.word(1)?)?);
                self.memory_barrier(inst, semantics, scope == MemoryScope::Workgroup as u32)?;
            }
            Op::DemoteToHelperInvocation => self.effect(inst, Ir::Demote)?,
            Op::IsHelperInvocationEXT => {
                let results = self.make_all(inst, Request::new(Ir::IsHelper, &[]))?;
                return Ok(Some(Val::Value(results[0])));
            }
            Op::BeginInvocationInterlockEXT => self.effect(inst, Ir::BeginInterlock)?,
            Op::EndInvocationInterlockEXT => self.effect(inst, Ir::EndInterlock)?,
            Op::EmitVertex => self.effect(inst, Ir::EmitVertex)?,
            Op::EndPrimitive => self.effect(inst, Ir::EndPrimitive)?,
            Op::AtomicStore => {
                let (address, value) = (self.val(inst, inst.word(0)?)?, self.operand(inst, 3)?);
                self.check_atomic(inst, &address)?;
                // The old value is of no use.
                let ops = (Ir::AtomicExchange, Ir::ImageAtomicExchange);
                self.ordered(inst, |s| s.modify_at(inst, ops, address, vec![value]))?;
            }
            _ => return self.ordered(inst, |s| s.modify(inst)).map(|value| Some(Val::Value(value))),
        }
        Ok(None)
    }

    fn effect(&mut self, inst: &Inst<'_>, op: Ir) -> Res<()> {
        self.make_all(inst, Request::new(op, &[]))?;
        Ok(())
    }

    /// A barrier orders shared memory and buffers; other memory by a barrier of its own.
    fn control_barrier(&mut self, inst: &Inst<'w>) -> Res<()> {
        let (scope, semantics) = (self.integer(inst, inst.word(0)?)?, self.integer(inst, inst.word(2)?)?);
        let memory = self.integer(inst, inst.word(1)?)?;
        if is_far(memory) && semantics & MEMORY_BITS != 0 {
            self.memory_barrier(inst, semantics, false)?;
        }
        if scope == MemoryScope::Subgroup as u32 {
            return self.effect(inst, Ir::SubgroupBarrier);
        }
        if scope != MemoryScope::Workgroup as u32 && scope != MemoryScope::Invocation as u32 {
            return inst.unsupported("a barrier of other invocations than those of a work group");
        }
        if semantics & 0xc00 != 0 && !is_far(memory) {
            self.memory_barrier(inst, semantics & 0xc00, false)?;
        }
        self.effect(inst, Ir::ControlBarrier)
    }

    /// An atomic operation with the order of other memory that its semantics ask for, which is that of barriers around one without an order.
    fn ordered<T>(&mut self, inst: &Inst<'w>, operate: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let is_exchange = matches!(inst.op, Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak);
        let mut semantics = self.integer(inst, inst.word(2)?)?;
        if is_exchange {
            semantics |= self.integer(inst, inst.word(3)?)?;
        }
        let memories = semantics & MEMORY_BITS;
        if memories != 0 && semantics & (RELEASE | ACQUIRE_RELEASE | SEQUENTIAL) != 0 {
            self.memory_barrier(inst, memories, false)?;
        }
        let result = operate(self)?;
        if memories != 0 && semantics & (ACQUIRE | ACQUIRE_RELEASE | SEQUENTIAL) != 0 {
            self.memory_barrier(inst, memories, false)?;
        }
        Ok(result)
    }

    fn memory_barrier(&mut self, inst: &Inst<'_>, semantics: u32, group: bool) -> Res<()> {
        let bit = |name: &str| BARRIER_NAMES.iter().position(|n| *n == name).map_or(0, |i| 1 << i);
        let mut kinds: u64 = MEMORIES.iter().filter(|m| semantics & m.0 != 0).map(|m| bit(m.1)).sum();
        if kinds & !bit("atomic_counter") == bit("buffer") + bit("image") + bit("shared") {
            // All there is, as in `groupMemoryBarrier` and `memoryBarrier` of GLSL.
            kinds = if group { bit("group") } else { 0 };
        }
        self.make_all(inst, Request::new(Ir::MemoryBarrier, &[]).imm(Imm(kinds)))?;
        Ok(())
    }

    /// Refuses memory that only SPIR-V has, and types that the IR has no atomics of.
    fn check_atomic(&self, inst: &Inst<'w>, address: &Val) -> Res<()> {
        let Val::Pointer(address) = address else { return Ok(()) };
        match self.pointee(*address) {
            Some((_, AddressSpace::Spirv)) => inst.unsupported("an atomic on memory of this storage class"),
            Some((ty, _)) if self.b.module.types.scalar_of(ty).is_none_or(|s| s.bits() < 32) => {
                inst.unsupported("an atomic on numbers of fewer than 32 bits")
            }
            Some((ty, _)) if self.b.module.types.vector_size(ty) != Some(1) => {
                inst.unsupported("an atomic on this type")
            }
            _ => Ok(()),
        }
    }

    /// An atomic instruction with a result.
    fn modify(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let address = self.val(inst, inst.word(0)?)?;
        self.check_atomic(inst, &address)?;
        if inst.op == Op::AtomicLoad {
            let ty = self.result_type(inst)?;
            let (operand, is_sum) = self.b.module.atomic_load_operand(ty);
            let ops = match is_sum {
                true => (Ir::AtomicAdd, Ir::ImageAtomicAdd),
                false => (Ir::AtomicOr, Ir::ImageAtomicOr),
            };
            return self.modify_at(inst, ops, address, vec![operand.into()]);
        }
        let is_exchange = matches!(inst.op, Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak);
        let (own, texel, value) = match inst.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let ty = self.result_type(inst)?;
                let bits = if inst.op == Op::AtomicIIncrement { 1 } else { u64::MAX };
                let wide = self.b.module.types.scalar_of(ty).is_some_and(|s| s.bits() == 64);
                if !self.b.module.types.scalar_of(ty).is_some_and(Scalar::is_integer) {
                    return inst.invalid("its type is no integer");
                }
                let bits = if wide { bits } else { bits & 0xffff_ffff };
                (Ir::AtomicAdd, Ir::ImageAtomicAdd, self.b.module.consts.bits(ty, bits).into())
            }
            Op::AtomicISub => {
                let value = self.operand(inst, 3)?;
                (Ir::AtomicAdd, Ir::ImageAtomicAdd, self.op(inst, Ir::Negate, &[value])?)
            }
            op => {
                let (own, texel) = match op {
                    Op::AtomicIAdd | Op::AtomicFAddEXT => (Ir::AtomicAdd, Ir::ImageAtomicAdd),
                    Op::AtomicSMin | Op::AtomicUMin | Op::AtomicFMinEXT => (Ir::AtomicMin, Ir::ImageAtomicMin),
                    Op::AtomicSMax | Op::AtomicUMax | Op::AtomicFMaxEXT => (Ir::AtomicMax, Ir::ImageAtomicMax),
                    Op::AtomicAnd => (Ir::AtomicAnd, Ir::ImageAtomicAnd),
                    Op::AtomicOr => (Ir::AtomicOr, Ir::ImageAtomicOr),
                    Op::AtomicXor => (Ir::AtomicXor, Ir::ImageAtomicXor),
                    Op::AtomicExchange => (Ir::AtomicExchange, Ir::ImageAtomicExchange),
                    _ if is_exchange => (Ir::AtomicCompareExchange, Ir::ImageAtomicCompareExchange),
                    _ => return inst.unsupported("the instruction"),
                };
                (own, texel, self.operand(inst, if is_exchange { 4 } else { 3 })?)
            }
        };
        let scalar = self.b.module.types.scalar_of(self.b.type_of(value));
        let signed = matches!(inst.op, Op::AtomicSMin | Op::AtomicSMax);
        let unsigned = matches!(inst.op, Op::AtomicUMin | Op::AtomicUMax);
        if signed && !scalar.is_some_and(Scalar::is_signed) || unsigned && scalar.is_some_and(Scalar::is_signed) {
            return inst.unsupported("an order of integers that is not that of their type");
        }
        let mut values = vec![];
        if is_exchange {
            values.push(self.operand(inst, 5)?);
        }
        values.push(value);
        self.modify_at(inst, (own, texel), address, values)
    }

    /// An atomic op, on memory or on a texel, with the operands after its address.
    fn modify_at(
        &mut self,
        inst: &Inst<'w>,
        (own, texel): (Ir, Ir),
        address: Val,
        mut values: Vec<Value>,
    ) -> Res<Value> {
        match address {
            Val::Value(address) if self.referent(inst.word(0)?).is_some() => {
                if inst.op != Op::AtomicStore {
                    let ty = self.result_type(inst)?;
                    for value in &mut values {
                        *value = self.adapt(inst, *value, ty)?;
                    }
                }
                self.atomic_at(inst, own, address, &values)
            }
            Val::Pointer(address) => {
                let Some((pointee, _)) = self.pointee(address) else { return inst.invalid("no pointer") };
                let mut args = vec![address];
                for value in values {
                    args.push(self.adapt(inst, value, pointee)?);
                }
                self.op(inst, own, &args)
            }
            Val::Texel(image, coordinate, sample) => {
                self.texel_modify(inst, texel, [image, coordinate, sample], values)
            }
            _ => inst.unsupported("an atomic on this"),
        }
    }

    /// An atomic op on a texel: address of the image, coordinate, sample; and the values.
    fn texel_modify(&mut self, inst: &Inst<'w>, op: Ir, place: [Value; 3], values: Vec<Value>) -> Res<Value> {
        let [image, coordinate, sample] = place;
        let loaded = self.op(inst, Ir::Load, &[image])?;
        let ty = self.b.module.types.as_image(self.b.type_of(loaded));
        let Some(ty) = ty else { return inst.invalid("no image") };
        let mut args = vec![loaded, coordinate];
        let mut flags = TextureFlags::NONE;
        if ty.multisampled {
            flags = flags.with(TextureFlags::SAMPLE);
            args.push(sample);
        }
        let texel = self.b.module.types.scalar(ty.sampled);
        for value in values {
            args.push(self.adapt(inst, value, texel)?);
        }
        self.op_imm(inst, op, flags, &args)
    }
}
