//! Nodes: one op after the other, by the table's meaning.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_target::legal::Operation;
use spirv::{Capability, GlslStd450Op as Glsl, Op as S};

use crate::assemble::Id;
use crate::composites::Test;
use crate::function::{FunctionWriter, Val};
use crate::module::Context;
use crate::ops::{INFO, Instruction, instruction};
use crate::places::Place;
use crate::types::{Res, fail};

/// Whether a node is one of those that a module without `Float16`, `Int8` or `Int16` may have of such numbers: loads, stores and conversions
/// between floats, between signed and between unsigned integers.
fn moves_small(module: &Module, body: &Body, node: Node) -> bool {
    let (op, args) = (body.node(node).op, body.args(node));
    let kind = |value: Value| {
        let ty = module.type_of(body, value);
        let kind = |scalar: Scalar| (scalar == Scalar::Bool, scalar.is_float(), scalar.is_signed());
        (module.types.scalar_of(ty).map(kind), module.types.vector_size(ty))
    };
    match op {
        Op::ConstructScalarFromScalar | Op::ConstructVectorFromMultiple => {
            args.len() == 1 && body.result(node).is_some_and(|result| kind(result.into()) == kind(args[0]))
        }
        _ => matches!(op.info().class, Class::Access | Class::Memory),
    }
}

impl Context<'_> {
    /// Whether a function computes with numbers of a type, so that the module has the capability of theirs.
    pub(crate) fn computes_with(&self, scalar: Scalar) -> bool {
        let module = self.module;
        let bodies = self.reach.funcs.iter().filter_map(|&func| module.funcs[func].body.as_ref());
        let has = |ty: Type| module.types.scalar_of(ty) == Some(scalar);
        bodies.into_iter().any(|body| {
            body.nodes().any(|(node, _)| {
                let args = body.args(node);
                let on_such = args.iter().any(|&arg| has(module.type_of(body, arg)))
                    || body.results(node).any(|result| has(body.local_type(result)));
                on_such && !moves_small(module, body, node)
            })
        })
    }
}

impl FunctionWriter<'_, '_> {
    /// Writes a node.
    pub(crate) fn node(&mut self, node: Node) -> Res<()> {
        let body = self.body;
        let data = body.node(node);
        self.begin_node(data.span, data.precise);
        let args = body.args(node);
        let result = body.result(node);
        let ty = result.map_or(Type::VOID, |r| body.local_type(r));
        if !INFO.has(self.cx.module, body, node) {
            // Legalization has an expansion, or reports the same error.
            let operation = Operation::of(self.cx.module, body, node);
            return fail(Code::E0604, data.span, format!("SPIR-V has no {}", operation.text()));
        }
        if !moves_small(self.cx.module, body, node) {
            self.cx.compute_with(ty);
            for &arg in args {
                self.cx.compute_with(self.type_of(arg));
            }
        }
        let val = match data.op.info().class {
            Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn => {
                return self.value_node(node, args, ty);
            }
            Class::Construct if result.is_some_and(|r| self.factors.contains(&r)) => {
                Some(Val::Splat(self.id(args[0])?))
            }
            Class::Construct => Some(Val::Id(self.construct(data.op, args, ty)?)),
            Class::Extract => Some(Val::Id(self.extract(data.op, data.imm, args, ty)?)),
            Class::Access => Some(Val::Place(self.access(node, args, ty)?)),
            Class::Memory => self.memory(node, args, ty)?,
            Class::Call => return self.call(node, args),
            Class::Texture => self.texture(node, args, ty)?,
            Class::Stage => self.stage(node, args, ty)?.map(Val::Id),
            Class::Subgroup => self.subgroup(node, args, ty)?.map(Val::Id),
            Class::Custom => return self.spirv_instruction(node, args),
            Class::Machine | Class::Simd | Class::Token => return self.no_such_op(data.op),
        };
        if let (Some(result), Some(val)) = (result, val) {
            self.define(result, val);
        }
        Ok(())
    }

    /// The error for an op that SPIR-V does not have.
    pub(crate) fn no_such_op<T>(&self, op: Op) -> Res<T> {
        fail(Code::E0604, self.span, format!("SPIR-V has no `{}`", op.text()))
    }

    fn value_node(&mut self, node: Node, args: &[Value], ty: Type) -> Res<()> {
        let op = self.body.node(node).op;
        let results: Vec<_> = self.body.results(node).collect();
        let pair = match op {
            Op::AddCarry | Op::SubtractBorrow | Op::MultiplyExtended => Some(self.two_words(op, args, ty)?),
            Op::Frexp | Op::Modf => Some(self.split_float(op, args, ty)?),
            _ => None,
        };
        if let Some(pair) = pair {
            for (local, id) in results.into_iter().zip(pair) {
                self.define(local, Val::Id(id));
            }
            return Ok(());
        }
        let id = self.one_value(op, args, ty)?;
        self.define(results[0], Val::Id(id));
        Ok(())
    }

    fn one_value(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Id> {
        let first = args.first().map_or(Type::VOID, |&a| self.type_of(a));
        let scalar = self.cx.types.scalar_of(first).unwrap_or(Scalar::Bool);
        let simple = instruction(op, scalar);
        if simple == Instruction::No || op == Op::BitCount {
            return self.other_value(op, args, first, ty);
        }
        if op == Op::Multiply
            && let Some(id) = self.scaled(args, ty)?
        {
            return Ok(id);
        }
        if matches!(
            op,
            Op::DfdxFine | Op::DfdyFine | Op::FwidthFine | Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse
        ) {
            self.cx.out.need(Capability::DerivativeControl);
        }
        let operands = self.ids(args)?;
        let simple = match op {
            // The first operand counts where the other one is NaN.
            Op::Min if scalar == Scalar::F32 && self.is_number(args[0]) => Instruction::Glsl(Glsl::NMin),
            Op::Max if scalar == Scalar::F32 && self.is_number(args[0]) => Instruction::Glsl(Glsl::NMax),
            _ => simple,
        };
        Ok(self.apply(simple, ty, &operands))
    }

    /// Whether a value is a constant of `f32` without a NaN.
    fn is_number(&self, value: Value) -> bool {
        let bits = self.cx.const_bits(value);
        bits.is_some_and(|bits| bits.iter().all(|&b| !f32::from_bits(b as u32).is_nan()))
    }

    /// A vector times a repeated scalar.
    fn scaled(&mut self, args: &[Value], ty: Type) -> Res<Option<Id>> {
        let (vector, scalar) = match (self.val(args[0])?, self.val(args[1])?) {
            (Val::Splat(scalar), _) => (args[1], scalar),
            (_, Val::Splat(scalar)) => (args[0], scalar),
            _ => return Ok(None),
        };
        let vector = self.id(vector)?;
        Ok(Some(self.op2(S::VectorTimesScalar, ty, vector, scalar)))
    }

    /// One instruction on ids.
    pub(crate) fn apply(&mut self, instruction: Instruction, ty: Type, operands: &[Id]) -> Id {
        match instruction {
            Instruction::Core(op) => {
                let ty = self.cx.number(ty);
                self.emit(op, ty, operands)
            }
            Instruction::Glsl(op) | Instruction::Single(op) => self.glsl(op, ty, operands),
            Instruction::No => unreachable!("checked before"),
        }
    }

    fn other_value(&mut self, op: Op, args: &[Value], first: Type, ty: Type) -> Res<Id> {
        Ok(match op {
            Op::ArrayLength => {
                let Place::Memory(chain) = self.place(args[0])? else {
                    return fail(Code::E0604, self.span, "this array has no length at run time");
                };
                let length = self.array_length(&chain)?;
                self.op1(S::Bitcast, ty, length)
            }
            Op::NonUniform => {
                let index = self.id(args[0])?;
                self.mark_non_uniform(index);
                index
            }
            Op::Saturate => {
                let (x, zero, one) = (self.id(args[0])?, self.cx.splat(ty, 0), self.cx.splat_number(ty, 1));
                self.glsl(Glsl::FClamp, ty, &[x, zero, one])
            }
            Op::BitCount | Op::FindLsb | Op::FindMsb => self.bit_query(op, args[0], first, ty)?,
            Op::Select => {
                let (test, a, b) = (self.id(args[0])?, self.id(args[1])?, self.id(args[2])?);
                let each = self.shape(self.type_of(args[0])).1 > 1;
                self.select(ty, if each { Test::Each(test) } else { Test::All(test) }, a, b)?
            }
            _ => return self.no_such_op(op),
        })
    }

    fn access(&mut self, node: Node, args: &[Value], ty: Type) -> Res<Place> {
        let imm = self.body.node(node).imm;
        let place = self.place(args[0])?;
        match self.body.node(node).op {
            Op::AccessVectorComponent => self.access_component(place, imm.as_index()),
            Op::AccessVectorComponentMulti => {
                let Some((part, _)) = self.cx.types.pointee(ty) else {
                    return fail(Code::E0699, self.span, "a pointer was expected");
                };
                self.access_lanes(place, imm.as_lanes(), part)
            }
            Op::AccessStructField => self.access_field(place, imm.as_index()),
            _ => self.access_element(place, args[1]),
        }
    }

    fn memory(&mut self, node: Node, args: &[Value], ty: Type) -> Res<Option<Val>> {
        let place = self.place(args[0])?;
        match self.body.node(node).op {
            Op::Load if self.cx.types.is_opaque(ty) => Ok(Some(Val::Handle(place))),
            Op::Load => Ok(Some(Val::Id(self.load(&place)?))),
            Op::Store => {
                let value = self.id(args[1])?;
                self.store(&place, value)?;
                Ok(None)
            }
            _ => self.atomic(node, &place, args, ty).map(|id| Some(Val::Id(id))),
        }
    }

    fn stage(&mut self, node: Node, args: &[Value], ty: Type) -> Res<Option<Id>> {
        let op = self.body.node(node).op;
        match op {
            Op::ControlBarrier => self.control_barrier(),
            Op::EmitVertex => self.emit_void(S::EmitVertex, &[]),
            Op::EndPrimitive => self.emit_void(S::EndPrimitive, &[]),
            Op::MemoryBarrier => self.memory_barrier(self.body.node(node).imm.0 as u32),
            Op::Demote => self.demote(),
            Op::IsHelper => {
                self.may_demote();
                let ty = self.cx.number(ty);
                return Ok(Some(self.emit(S::IsHelperInvocationEXT, ty, &[])));
            }
            Op::BeginInterlock => self.emit_void(S::BeginInvocationInterlockEXT, &[]),
            Op::EndInterlock => self.emit_void(S::EndInvocationInterlockEXT, &[]),
            Op::InterpolateAtCentroid | Op::InterpolateAtSample | Op::InterpolateAtOffset => {
                return self.interpolate(op, args, ty).map(Some);
            }
            op if op.is_reference() => return self.reference(node, args, ty),
            Op::SubpassLoad => return self.subpass_load(node, args, ty).map(Some),
            _ => return self.no_such_op(op),
        }
        Ok(None)
    }

    fn interpolate(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Id> {
        if self.cx.module.types.scalar_of(ty) == Some(Scalar::F16) {
            let message = "SPIR-V interpolates inputs of 32-bit floats only at another place";
            return fail(Code::E0604, self.span, message);
        }
        let place = self.place(args[0])?;
        self.cx.out.need(Capability::InterpolationFunction);
        let instruction = match op {
            Op::InterpolateAtCentroid => Glsl::InterpolateAtCentroid,
            Op::InterpolateAtSample => Glsl::InterpolateAtSample,
            _ => Glsl::InterpolateAtOffset,
        };
        let (chain, lanes) = match place {
            Place::Memory(chain) => (chain, None),
            Place::Lanes(chain, lanes, _) => (chain, Some(lanes)),
            Place::Path(_) => return fail(Code::E0699, self.span, "an input was expected"),
        };
        let mut operands = vec![self.pointer(&chain)?];
        for &arg in &args[1..] {
            operands.push(self.id(arg)?);
        }
        let whole = self.glsl(instruction, chain.ty, &operands);
        let Some(lanes) = lanes else { return Ok(whole) };
        if let [lane] = lanes[..] {
            return Ok(self.part(whole, ty, lane.into()));
        }
        let mut shuffle = vec![whole, whole];
        shuffle.extend(lanes.iter().map(|&l| u32::from(l)));
        let ty = self.cx.number(ty);
        Ok(self.emit(S::VectorShuffle, ty, &shuffle))
    }
}
