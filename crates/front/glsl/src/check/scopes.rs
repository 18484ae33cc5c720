//! Atomic operations and barriers with scopes (`GL_KHR_memory_scope_semantics`), and atomic operations on memory that only SPIR-V has. They
//! become ops of the IR, with barriers of memory for their orders; those that it lacks become instructions of SPIR-V in its memory model of GLSL 4.50: what is `coherent` is made available and visible by the order itself, so
//! these bits are dropped, and a queue family is the whole device.

use planish_ir::builder::Request;
use planish_ir::custom::{CustomEffect, CustomOpData};
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::module::Stage;
use planish_ir::ops::{BARRIER_NAMES, Imm, Op};
use planish_ir::source::Span;
use planish_ir::spirv::{SpirvInstruction, SpirvOperand};
use planish_ir::types::{AddressSpace, Scalar};
use smallvec::SmallVec;

use super::operand::Operand;
use super::vertices::stage_words;
use super::{Checked, Checker};
use crate::builtins::{Form, Scoped};
use crate::device::{self, class};

// Bits of the order, as in SPIR-V.
const ACQUIRE: u32 = 0x2;
const RELEASE: u32 = 0x4;
const ACQUIRE_RELEASE: u32 = 0x8;
const MAKE_AVAILABLE: u32 = 0x2000;
const MAKE_VISIBLE: u32 = 0x4000;
const VOLATILE: u32 = 0x8000;
const ORDER: u32 = ACQUIRE | RELEASE | ACQUIRE_RELEASE;
/// Bits of the kinds of memory: buffers, shared memory, images, outputs.
const STORAGE: u32 = 0x40 | 0x100 | 0x800 | 0x1000;

// Scopes, as in SPIR-V.
const DEVICE: u32 = 1;
const WORKGROUP: u32 = 2;
const SUBGROUP: u32 = 3;
const INVOCATION: u32 = 4;
const QUEUE_FAMILY: u32 = 5;
const SHADER_CALL: u32 = 6;

/// `gl_Scope…`, `gl_Semantics…` and `gl_StorageSemantics…`.
pub(super) const CONSTANTS: [(&str, u32); 17] = [
    ("gl_ScopeDevice", DEVICE),
    ("gl_ScopeWorkgroup", WORKGROUP),
    ("gl_ScopeSubgroup", SUBGROUP),
    ("gl_ScopeInvocation", INVOCATION),
    ("gl_ScopeQueueFamily", QUEUE_FAMILY),
    ("gl_SemanticsRelaxed", 0),
    ("gl_SemanticsAcquire", ACQUIRE),
    ("gl_SemanticsRelease", RELEASE),
    ("gl_SemanticsAcquireRelease", ACQUIRE_RELEASE),
    ("gl_SemanticsMakeAvailable", MAKE_AVAILABLE),
    ("gl_SemanticsMakeVisible", MAKE_VISIBLE),
    ("gl_SemanticsVolatile", VOLATILE),
    ("gl_StorageSemanticsNone", 0),
    ("gl_StorageSemanticsBuffer", 0x40),
    ("gl_StorageSemanticsShared", 0x100),
    ("gl_StorageSemanticsImage", 0x800),
    ("gl_StorageSemanticsOutput", 0x1000),
];

/// A fault of the order of a function, by its rule.
fn fault(form: Form, semantics: u32, storage: u32) -> Option<&'static str> {
    let order = semantics & ORDER;
    let is_barrier = matches!(form, Form::MemoryBarrier | Form::ControlBarrier);
    let known = ORDER | MAKE_AVAILABLE | MAKE_VISIBLE | VOLATILE;
    Some(match () {
        () if semantics & !known != 0 => "the order has a bit that is none of `gl_Semantics…`",
        () if storage & !STORAGE != 0 => "the kinds of memory have a bit that is none of `gl_StorageSemantics…`",
        () if form == Form::Store && order & ACQUIRE != 0 => "a store does not acquire",
        () if form == Form::Load && order & RELEASE != 0 => "a load does not release",
        () if matches!(form, Form::Load | Form::Store) && order & ACQUIRE_RELEASE != 0 => {
            "a load acquires and a store releases, none does both"
        }
        () if order.count_ones() > 1 => "the order is one of acquire, release, and both",
        () if form == Form::MemoryBarrier && order == 0 => "a memory barrier acquires, releases or does both",
        () if form == Form::MemoryBarrier && storage == 0 => "a memory barrier orders some kind of memory",
        () if form == Form::ControlBarrier && semantics != 0 && storage == 0 => {
            "a barrier with an order orders some kind of memory"
        }
        () if semantics & MAKE_AVAILABLE != 0 && order & (RELEASE | ACQUIRE_RELEASE) == 0 => {
            "only what releases makes available"
        }
        () if semantics & MAKE_VISIBLE != 0 && order & (ACQUIRE | ACQUIRE_RELEASE) == 0 => {
            "only what acquires makes visible"
        }
        () if semantics & VOLATILE != 0 && is_barrier => "a barrier is not volatile",
        () => return None,
    })
}

/// The word of SPIR-V for an order: none where it orders nothing, or what one invocation does alone.
fn word(semantics: u32, storage: u32, scope: u32) -> u32 {
    let order = semantics & ORDER;
    if order == 0 || storage == 0 || scope == INVOCATION { 0 } else { order | storage }
}

impl Checker<'_, '_> {
    /// The node of a function with a scope; `values` are its arguments.
    pub(super) fn emit_scoped(
        &mut self,
        scoped: Scoped,
        mut values: SmallVec<[Value; 8]>,
        result: Type,
        span: Span,
    ) -> Checked<Operand> {
        let count = match scoped.form {
            Form::CompareExchange => 5,
            Form::ControlBarrier => 4,
            _ => 3,
        };
        let numbers: SmallVec<[u32; 5]> =
            values.drain(values.len() - count..).map(|value| self.number(value)).collect();
        let (scopes, rest) = numbers.split_at(if scoped.form == Form::ControlBarrier { 2 } else { 1 });
        for &scope in scopes {
            self.check_scope(scope, span)?;
        }
        if scoped.form == Form::ControlBarrier && !matches!(scopes[0], WORKGROUP | SUBGROUP) {
            let message = "invocations of a work group or a subgroup wait for each other, and no others";
            return Err(self.error(
                Diagnostic::error(Code::E0303, span, message)
                    .help("the first argument is `gl_ScopeWorkgroup` or `gl_ScopeSubgroup`"),
            ));
        }
        let mut words: SmallVec<[u32; 4]> = scopes.iter().map(|&scope| known_scope(scope)).collect();
        for (which, pair) in rest.chunks_exact(2).enumerate() {
            let &[storage, semantics] = pair else { continue };
            let unequal = which == 1;
            let is_wrong = unequal && semantics & (RELEASE | ACQUIRE_RELEASE) != 0;
            let differs = unequal && (semantics ^ rest[1]) & VOLATILE != 0;
            let fault = match fault(scoped.form, semantics, storage) {
                None if is_wrong => Some("where the values are not equal, nothing is released"),
                None if differs => Some("both orders are volatile, or none"),
                fault => fault,
            };
            if let Some(fault) = fault {
                return Err(self.fail(Code::E0303, span, fault));
            }
            words.push(word(semantics, storage, scopes[scopes.len() - 1]));
        }
        if scoped.form == Form::MemoryBarrier && words[1] == 0 {
            return Ok(Operand::void());
        }
        if let Some(operand) = self.usual(scoped, &words, &values, result) {
            return Ok(operand);
        }
        Ok(self.emit_atomic(scoped, &words, &values, result))
    }

    fn number(&self, value: Value) -> u32 {
        value.as_const().and_then(|c| self.b.module.consts.as_bits(c)).map_or(0, |bits| bits as u32)
    }

    fn check_scope(&mut self, scope: u32, span: Span) -> Checked<()> {
        let stage = self.stage();
        let groups = stage.has_work_groups() || stage == Stage::TessellationControl;
        let is_of_rays = stage.is_of_spirv() && !stage.has_work_groups();
        match scope {
            WORKGROUP if !groups => {
                let message = format!("{} has no work groups", stage_words(stage));
                return Err(self.error(
                    Diagnostic::error(Code::E0303, span, message).help("write `gl_ScopeDevice` or `gl_ScopeSubgroup`"),
                ));
            }
            DEVICE..=QUEUE_FAMILY => return Ok(()),
            SHADER_CALL if is_of_rays => return Ok(()),
            _ => {}
        }
        Err(self.error(
            Diagnostic::error(Code::E0303, span, format!("there is no scope {scope}"))
                .help("write `gl_ScopeDevice` or another `gl_Scope…`"),
        ))
    }

    /// The function by ops of the IR, if these do the same: orders are barriers before and after, as they are read from binaries.
    fn usual(&mut self, scoped: Scoped, words: &[u32], values: &[Value], result: Type) -> Option<Operand> {
        let order = words[words.len().min(if scoped.form == Form::ControlBarrier { 2 } else { 1 })..]
            .iter()
            .fold(0, |all, word| all | word);
        // Outputs are no memory that a barrier of the IR names.
        if words.contains(&SHADER_CALL) || order & 0x1000 != 0 {
            return None;
        }
        match scoped.form {
            Form::MemoryBarrier => self.memory_barrier(order),
            Form::ControlBarrier => {
                let is_far = words[1] == DEVICE;
                // A barrier of the work group orders buffers and shared memory itself.
                let rest = if is_far { order } else { order & (ORDER | 0x800) };
                if rest & STORAGE != 0 {
                    self.memory_barrier(rest);
                }
                let op = if words[0] == WORKGROUP { Op::ControlBarrier } else { Op::SubgroupBarrier };
                self.b.make_all(Request::new(op, &[]));
            }
            _ => {
                if scoped.image.is_some() || !self.is_usual(values, words[0]) {
                    return None;
                }
                let op = match scoped.form {
                    Form::Load => Op::AtomicOr,
                    Form::Store => Op::AtomicExchange,
                    _ => scoped.plain?,
                };
                let mut args: SmallVec<[Value; 4]> = values.iter().copied().collect();
                if scoped.form == Form::Load {
                    let zero = self.b.module.atomic_load_operand(result).0;
                    args.push(zero.into());
                }
                if order & (RELEASE | ACQUIRE_RELEASE) != 0 {
                    self.memory_barrier(order);
                }
                let value = self.node(op, &args);
                if order & (ACQUIRE | ACQUIRE_RELEASE) != 0 {
                    self.memory_barrier(order);
                }
                return Some(if scoped.form == Form::Store { Operand::void() } else { Operand::value(value, result) });
            }
        }
        Some(Operand::void())
    }

    /// A barrier for the kinds of memory of an order.
    fn memory_barrier(&mut self, order: u32) {
        let kinds = [(0x40, "buffer"), (0x800, "image"), (0x100, "shared")];
        let bit = |name: &str| BARRIER_NAMES.iter().position(|known| *known == name).map_or(0, |at| 1 << at);
        let imm: u64 = kinds.iter().filter(|(memory, _)| order & memory != 0).map(|(_, name)| bit(name)).sum();
        self.b.make_all(Request::new(Op::MemoryBarrier, &[]).imm(Imm(imm)));
    }

    /// Whether an atomic operation of this scope is that of the IR, whose scope is that of its memory.
    fn is_usual(&self, values: &[Value], scope: u32) -> bool {
        let types = &self.b.module.types;
        let Some((pointee, space)) = values.first().and_then(|&address| types.pointee(self.b.type_of(address))) else {
            return false;
        };
        let is_narrow = types.scalar_of(pointee).is_some_and(|scalar| matches!(scalar, Scalar::I32 | Scalar::U32));
        is_narrow
            && match space {
                AddressSpace::Storage => scope == DEVICE,
                AddressSpace::Workgroup => matches!(scope, DEVICE | WORKGROUP),
                _ => false,
            }
    }

    /// An instruction of SPIR-V with scopes and orders, on memory or a texel.
    fn emit_atomic(&mut self, scoped: Scoped, words: &[u32], values: &[Value], result: Type) -> Operand {
        let mut operands = vec![];
        let mut args: SmallVec<[Value; 8]> = SmallVec::new();
        let mut values = values;
        if let Some(has_sample) = scoped.image {
            let place = if has_sample { 3 } else { 2 };
            args.extend_from_slice(&values[..place]);
            if !has_sample {
                args.push(self.b.u32(0));
            }
            let scalar = self
                .b
                .module
                .types
                .pointee(self.b.type_of(values[0]))
                .and_then(|(image, _)| self.b.module.types.as_image(image).map(|image| image.sampled));
            let texel = self.b.module.types.scalar(scalar.unwrap_or(Scalar::U32));
            operands.push(SpirvOperand::Texel(texel));
            values = &values[place..];
        } else if let [address, rest @ ..] = values {
            args.push(*address);
            operands.push(SpirvOperand::Value);
            values = rest;
        }
        for &word in words {
            args.push(self.b.u32(word));
        }
        // SPIR-V has the value before the one that it is compared with.
        args.extend(values.iter().rev().copied());
        operands.extend(std::iter::repeat_n(SpirvOperand::Value, words.len() + values.len()));
        let wide = args.iter().any(|&arg| {
            let ty = self.b.type_of(arg);
            let types = &self.b.module.types;
            let ty = types.pointee(ty).map_or(ty, |(pointee, _)| pointee);
            matches!(types.scalar_of(ty), Some(Scalar::I64 | Scalar::U64))
        });
        if wide {
            device::need(self.b.module, &device::INT64_ATOMICS);
        }
        if words.contains(&SHADER_CALL) {
            device::need(self.b.module, &device::RAY_TRACING);
        }
        let spirv = SpirvInstruction { opcode: scoped.opcode, set: None, operands, ends: false };
        let row = CustomOpData { spirv: Some(spirv), effect: CustomEffect::Ordered, ..CustomOpData::new(scoped.name) };
        let value = device::emit_row(&mut self.b, scoped.name, row, &args, result);
        value.map_or_else(Operand::void, |value| Operand::value(value, result))
    }

    /// An atomic operation without a scope on memory that only SPIR-V has.
    pub(super) fn atomic_on_device(&mut self, op: Op, values: &[Value], result: Type, span: Span) -> Checked<Operand> {
        let is_signed = self.b.module.types.scalar_of(result) == Some(Scalar::I32);
        let (name, opcode, form) = match op {
            Op::AtomicExchange => ("AtomicExchange", 229, Form::Update),
            Op::AtomicCompareExchange => ("AtomicCompareExchange", 230, Form::CompareExchange),
            _ if !self.b.module.types.scalar_of(result).is_some_and(Scalar::is_integer) => {
                return Err(self.fail(
                    Code::E0508,
                    span,
                    "atomic operations on floats in this memory are not supported",
                ));
            }
            Op::AtomicAdd => ("AtomicIAdd", 234, Form::Update),
            Op::AtomicMin if is_signed => ("AtomicSMin", 236, Form::Update),
            Op::AtomicMin => ("AtomicUMin", 237, Form::Update),
            Op::AtomicMax if is_signed => ("AtomicSMax", 238, Form::Update),
            Op::AtomicMax => ("AtomicUMax", 239, Form::Update),
            Op::AtomicAnd => ("AtomicAnd", 240, Form::Update),
            Op::AtomicOr => ("AtomicOr", 241, Form::Update),
            _ => ("AtomicXor", 242, Form::Update),
        };
        let words: &[u32] = if form == Form::CompareExchange { &[WORKGROUP, 0, 0] } else { &[WORKGROUP, 0] };
        let scoped = Scoped { name, opcode, form, plain: None, image: None };
        Ok(self.emit_atomic(scoped, words, values, result))
    }

    /// Whether an address leads to memory that only SPIR-V has, and that invocations share.
    pub(super) fn is_shared_device_memory(&self, address: Value) -> bool {
        let mut root = address;
        while let Some((_, _, args)) = self.b.definition(root) {
            let Some(&base) = args.first() else { break };
            root = base;
        }
        let payload = Decoration::StorageClass(class::TASK_PAYLOAD);
        root.as_var().is_some_and(|var| self.b.module.vars[var].decorations.has(payload))
    }
}

/// The scope in a binary: no family of queues is known there.
fn known_scope(scope: u32) -> u32 {
    if scope == QUEUE_FAMILY { DEVICE } else { scope }
}
