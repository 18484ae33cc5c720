//! Parts that only SPIR-V has ([`planish_ir::spirv`]): instructions, variables and decorations that the IR has no name for, which go
//! through it as they are.

use planish_ir::builder::Request;
use planish_ir::custom::{CustomEffect, CustomOpData};
use planish_ir::decoration::{Decoration as Ours, Decorations};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Value};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op as Ir};
use planish_ir::spirv::{SpirvInstruction, SpirvOperand};
use planish_ir::types::{AddressSpace, ImageKind};
use spirv::{Decoration, Op, StorageClass};

use crate::builtins;
use crate::cfg::is_end;
use crate::function::{Scope, Val};
use crate::globals::Global;
use crate::grammar;
use crate::module::Cx;
use crate::report::{Fault, Res, too_deep};
use crate::types::TypeDef;
use crate::words::{Decorated, ExtSet, Inst, find};

/// All decorations of a variable or a member, by SPIR-V's numbers; but those that name other things of the binary, and texts.
pub(crate) fn decorations(list: &[Decorated]) -> Decorations {
    use Decoration as D;
    let mut out = Decorations::new();
    for (decoration, operands) in list {
        if operands.len() > 1
            || matches!(decoration, D::UniformId | D::AlignmentId | D::MaxByteOffsetId | D::CounterBuffer)
        {
            continue;
        }
        out.add(Ours::Spirv(*decoration as u32, operands.first().copied()));
        if *decoration == Decoration::Volatile {
            out.add(Ours::Volatile);
        }
    }
    out
}

/// Whether a decoration changes the meaning of an input or output, and the IR has none like it.
fn is_unknown(decoration: Decoration) -> bool {
    use Decoration as D;
    matches!(
        decoration,
        D::PerPrimitiveEXT
            | D::PerViewNV
            | D::PerTaskNV
            | D::PassthroughNV
            | D::OverrideCoverageNV
            | D::ViewportRelativeNV
            | D::SecondaryViewportRelativeNV
            | D::ExplicitInterpAMD
            | D::Stream
    )
}

impl Cx<'_> {
    /// Whether a variable is one that the IR does not know.
    fn is_spirv_variable(&self, inst: &Inst<'_>, class: StorageClass, pointee: u32) -> bool {
        let (StorageClass::Input | StorageClass::Output) = class else { return self.is_loose_buffer(class, pointee) };
        let stage = self.stage_of(inst.result);
        let has_unknown = |list: &[Decorated]| {
            list.iter().any(|(decoration, operands)| match decoration {
                Decoration::BuiltIn => {
                    let builtin = operands.first().and_then(|&number| spirv::BuiltIn::from_u32(number));
                    let is_output = class == StorageClass::Output;
                    builtin.is_none_or(|b| builtins::builtin(b, is_output, stage).is_none())
                }
                Decoration::Stream => operands.first() != Some(&0),
                decoration => is_unknown(*decoration),
            })
        };
        let mut members = vec![];
        if let Some((id, count)) = self.struct_of(pointee) {
            let used = if id == pointee { self.used_members(inst.result, count) } else { (0..count as u32).collect() };
            members = used.into_iter().map(|member| self.binary.member_decorations(id, member)).collect();
        }
        stage.is_some_and(|stage| stage.is_of_spirv())
            || has_unknown(self.binary.decorations(inst.result))
            || members.into_iter().any(has_unknown)
    }

    /// Whether the variable is a buffer whose type is no interface block, as binaries for Vulkan do not have it.
    fn is_loose_buffer(&self, class: StorageClass, pointee: u32) -> bool {
        let is_buffer =
            matches!(class, StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::PushConstant);
        let is_block = self.struct_of(pointee).is_some_and(|(id, _)| {
            [Decoration::Block, Decoration::BufferBlock].into_iter().any(|decoration| self.binary.has(id, decoration))
        });
        is_buffer && !is_block && !self.has_layout(pointee, true)
    }

    /// Whether an array in a type has a stride, or a struct within another one offsets: the IR has a place for those of blocks only.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn has_layout(&self, id: u32, is_outermost: bool) -> bool {
        match self.defs.get(id) {
            Some(TypeDef::Array(element, _) | TypeDef::RuntimeArray(element)) => {
                self.binary.has(id, Decoration::ArrayStride) || self.has_layout(*element, is_outermost)
            }
            Some(TypeDef::Struct(parts)) => {
                let offset = |i: usize| find(self.binary.member_decorations(id, i as u32), Decoration::Offset);
                !is_outermost && (0..parts.len()).any(|i| offset(i).is_some())
                    || parts.iter().any(|&part| self.has_layout(part, false))
            }
            _ => false,
        }
    }

    /// The struct that a type is an array of, or is, and the number of its members.
    fn struct_of(&self, mut id: u32) -> Option<(u32, usize)> {
        loop {
            match self.defs.get(id)? {
                TypeDef::Array(element, _) | TypeDef::RuntimeArray(element) => id = *element,
                TypeDef::Struct(parts) => return Some((id, parts.len())),
                _ => return None,
            }
        }
    }

    /// Finds the inputs and outputs that the IR does not know, and their structs.
    pub(crate) fn find_spirv_variables(&mut self) {
        for &index in &self.binary.declarations {
            let inst = &self.binary.insts[index];
            let Some((class, pointee)) = self.defs.pointer(inst.ty).filter(|_| inst.op == Op::Variable) else {
                continue;
            };
            if self.is_spirv_variable(inst, class, pointee) {
                self.spirv_variables.insert(inst.result);
                self.types.spirv_structs.extend(self.struct_of(pointee).map(|found| found.0));
            }
        }
    }

    /// Declares a variable in the address space `spirv`.
    pub(crate) fn spirv_variable(
        &mut self,
        module: &mut Module,
        inst: &Inst<'_>,
        class: StorageClass,
        pointee: u32,
    ) -> Res<Global> {
        let ty = self.memory_type(inst, pointee)?;
        if inst.operands.len() > 1 {
            return inst.unsupported(&format!("an initializer of a variable of storage class `{class:?}`"));
        }
        let mut decorations = decorations(self.binary.decorations(inst.result));
        decorations.add(Ours::StorageClass(class as u32));
        if class == StorageClass::ShaderRecordBufferKHR {
            self.block(module, inst, pointee, ty, AddressSpace::Spirv, &mut decorations)?;
        }
        let name = self.global_name(module, inst, AddressSpace::Spirv, pointee, &decorations);
        let var = module.add_var(name, ty, AddressSpace::Spirv);
        module.vars[var].decorations = decorations;
        module.vars[var].span = inst.span();
        Ok(Global::Var(var))
    }
}

/// Whether an instruction that the IR does not know depends on nothing but its operands.
fn is_pure(op: Op, set: Option<&str>) -> bool {
    let number = op as u32;
    let within = |first: Op, last: Op| (first as u32..=last as u32).contains(&number);
    match set {
        Some(set) => matches!(set, "SPV_AMD_shader_trinary_minmax" | "SPV_AMD_gcn_shader") && op == Op::ExtInst,
        None => {
            within(Op::VectorExtractDynamic, Op::CompositeInsert)
                || within(Op::ConvertFToU, Op::Bitcast)
                || within(Op::SNegate, Op::FUnordGreaterThanEqual)
                || within(Op::ShiftRightLogical, Op::BitCount)
                || matches!(
                    op,
                    Op::Undef
                        | Op::ConvertUToAccelerationStructureKHR
                        | Op::CooperativeMatrixLengthKHR
                        | Op::CooperativeMatrixLengthNV
                        | Op::SDot
                        | Op::UDot
                        | Op::SUDot
                        | Op::SDotAccSat
                        | Op::UDotAccSat
                        | Op::SUDotAccSat
                )
        }
    }
}

/// Kinds of instructions, with their literal operands, that a binary may have.
const MOST_INSTRUCTIONS: usize = 1000;

/// The number of `TimeAMD` in its set, which differs at each call.
const TIME: u32 = 3;

impl<'w> Scope<'_, 'w, '_> {
    /// Whether an instruction computes with types that the IR does not know. Loads, stores and calls do with any type.
    pub(crate) fn is_of_spirv_types(&self, inst: &Inst<'w>) -> bool {
        use Op as O;
        let defs = &self.cx.defs;
        if !defs.has_spirv() || matches!(inst.op, O::Load | O::Store | O::CopyObject | O::FunctionCall | O::Phi) {
            return false;
        }
        let is_such = |id: &u32| self.cx.binary.def(*id).is_some_and(|def| defs.is_spirv(def.ty) || defs.is_spirv(*id));
        defs.is_spirv(inst.ty)
            || !matches!(inst.op, O::CompositeConstruct | O::CompositeInsert | O::Select)
                && inst.operands.iter().any(is_such)
    }

    /// An instruction that the IR does not know, where `error` says so.
    pub(crate) fn otherwise(&mut self, inst: &Inst<'w>, error: Fault) -> Res<Option<Val>> {
        if error.code != Code::E0704 || !self.is_inside() {
            return Err(error);
        }
        self.spirv_instruction(inst).map_err(|_| error)
    }

    /// An instruction as it is: an op of the user's own.
    pub(crate) fn spirv_instruction(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        let binary = self.cx.binary;
        let Some(words) = grammar::operands(inst.op, inst.operands) else {
            return inst.invalid("its operands do not fit");
        };
        let mut row = SpirvInstruction { opcode: inst.op as u32, set: None, operands: vec![], ends: is_end(inst.op) };
        let (mut name, mut words) = (grammar::name(inst.op).to_owned(), &words[..]);
        let mut is_pure_op = is_pure(inst.op, None);
        if let (Op::ExtInst, [(_, set), (_, number), rest @ ..]) = (inst.op, words) {
            let Some(set) = binary
                .set_names
                .get(set)
                .filter(|_| matches!(binary.sets.get(set), Some(ExtSet::Other | ExtSet::Glsl)))
            else {
                return inst.unsupported("an instruction of this set");
            };
            (row.opcode, row.set) = (*number, Some(set.as_str().into()));
            name = format!("{set}_{number}");
            is_pure_op = is_pure(inst.op, Some(set)) && !(set == "SPV_AMD_gcn_shader" && *number == TIME);
            words = rest;
        }
        let mut args: Vec<Value> = vec![];
        for &(is_id, word) in words {
            if !is_id {
                row.operands.push(SpirvOperand::Literal(word));
                continue;
            }
            if binary.def(word).is_some_and(|def| grammar::is_type(def.op)) {
                match self.cx.types.value(word) {
                    Ok(ty) => row.operands.push(SpirvOperand::Type(ty)),
                    Err(what) => return inst.unsupported(what),
                }
                continue;
            }
            let operand = self.spirv_operand(inst, word, &mut args)?;
            row.operands.push(operand);
        }
        let effect = if is_pure_op { CustomEffect::Pure } else { CustomEffect::Ordered };
        let has_result = inst.result != 0 && self.cx.types.value(inst.ty) != Ok(Type::VOID);
        let result = if has_result { Some(self.result_type(inst)?) } else { None };
        if result.is_some_and(|ty| self.b.module.types.is_opaque(ty) || self.b.module.types.pointee(ty).is_some()) {
            return inst.unsupported("an instruction that gives a pointer, an image or a sampler");
        }
        if self.b.module.custom_ops.len() >= MOST_INSTRUCTIONS {
            let message =
                format!("there are more than {MOST_INSTRUCTIONS} kinds of instructions that the IR has no name for");
            return too_deep(inst.span(), message);
        }
        let op = self.b.module.spirv_op(&name, CustomOpData { spirv: Some(row), effect, ..CustomOpData::new(&name) });
        let operands: Vec<_> = args.iter().map(|&arg| self.b.type_of(arg)).collect();
        let ty = self.b.module.types.function(&operands, result.as_slice());
        let results = self.make_all(inst, Request::new(effect.op(), &args).imm(Imm::custom(op, ty)))?;
        Ok(results.first().map(|&value| Val::Value(value)))
    }

    /// An operand of such an instruction, and the operands of the node that it takes.
    fn spirv_operand(&mut self, inst: &Inst<'w>, id: u32, args: &mut Vec<Value>) -> Res<SpirvOperand> {
        let (operand, value) = match self.val(inst, id)? {
            Val::Value(value) | Val::Pointer(value) => (SpirvOperand::Value, value),
            Val::Handle(address) => {
                let value = self.op(inst, Ir::Load, &[address])?;
                let ty = self.b.module.types.as_image(self.b.type_of(value));
                let is_combined = ty.is_some_and(|ty| ty.kind == ImageKind::Combined);
                let declared = self.cx.binary.def(id).and_then(|def| self.cx.defs.get(def.ty));
                match declared {
                    Some(TypeDef::Image(..)) if is_combined => (SpirvOperand::Image, value),
                    _ => (SpirvOperand::Value, value),
                }
            }
            Val::Sampled(..) => (SpirvOperand::Value, self.load_image(inst, id)?.0),
            Val::SpirvTexel(place, ty) => {
                args.extend(place);
                return Ok(SpirvOperand::Texel(ty));
            }
            Val::Texel(..) | Val::BuiltIns(_) | Val::Constant(_) => {
                return inst.unsupported("a pointer to this as an operand");
            }
        };
        args.push(value);
        Ok(operand)
    }
}
