//! Arithmetic whose instruction has a struct of results or an operand of another type. Ops that SPIR-V lacks, or leaves
//! undefined where the IR does not, are legalized before ([`crate::INFO`]).

use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use spirv::{GlslStd450Op as Glsl, Op as S};

use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::types::Res;

impl FunctionWriter<'_, '_> {
    /// `bit_count`, `find_lsb`, `find_msb`: found in the type of the operand, given as `i32`.
    pub(crate) fn bit_query(&mut self, op: Op, value: Value, first: Type, ty: Type) -> Res<Id> {
        let x = self.id(value)?;
        let signed = self.shape(first).0.is_signed();
        let found = match op {
            Op::BitCount => self.op1(S::BitCount, first, x),
            Op::FindLsb => self.glsl(Glsl::FindILsb, first, &[x]),
            _ if signed => self.glsl(Glsl::FindSMsb, first, &[x]),
            _ => self.glsl(Glsl::FindUMsb, first, &[x]),
        };
        Ok(self.reinterpret(found, first, ty))
    }

    /// The same bits as another type.
    pub(crate) fn reinterpret(&mut self, id: Id, from: Type, to: Type) -> Id {
        if from == to { id } else { self.op1(S::Bitcast, to, id) }
    }

    /// Sum and carry, difference and borrow, or the high and low words of a product.
    pub(crate) fn two_words(&mut self, op: Op, args: &[Value], ty: Type) -> Res<[Id; 2]> {
        let (a, b) = (self.id(args[0])?, self.id(args[1])?);
        let instruction = match op {
            Op::AddCarry => S::IAddCarry,
            Op::SubtractBorrow => S::ISubBorrow,
            _ if self.shape(ty).0.is_signed() => S::SMulExtended,
            _ => S::UMulExtended,
        };
        let part = self.cx.number(ty);
        let both_type = self.cx.out.plain_type(S::TypeStruct, &[part, part]);
        let both = self.emit(instruction, both_type, &[a, b]);
        let (first, second) = if op == Op::MultiplyExtended { (1, 0) } else { (0, 1) };
        Ok([self.part(both, ty, first), self.part(both, ty, second)])
    }

    /// Both results of `frexp` and `modf`.
    pub(crate) fn split_float(&mut self, op: Op, args: &[Value], ty: Type) -> Res<[Id; 2]> {
        let x = self.id(args[0])?;
        let (instruction, other) = match op {
            Op::Frexp => (Glsl::FrexpStruct, self.with_scalar(ty, Scalar::I32)),
            _ => (Glsl::ModfStruct, ty),
        };
        let (first, second) = (self.cx.number(ty), self.cx.number(other));
        let both_type = self.cx.out.plain_type(S::TypeStruct, &[first, second]);
        let both = self.glsl_of(instruction, both_type, &[x]);
        Ok([self.part(both, ty, 0), self.part(both, other, 1)])
    }

    /// Every component of a scalar or vector converted. A float that becomes an integer is in range, or may be anything.
    pub(crate) fn convert(&mut self, x: Id, from: Type, to: Scalar) -> Id {
        let (old, _) = self.shape(from);
        let ty = self.with_scalar(from, to);
        let instruction = match (old.is_float(), to.is_float()) {
            _ if old == to => return x,
            (true, true) => S::FConvert,
            (true, false) if to.is_signed() => S::ConvertFToS,
            (true, false) => S::ConvertFToU,
            (false, true) if old.is_signed() => S::ConvertSToF,
            (false, true) => S::ConvertUToF,
            (false, false) if old.bits() == to.bits() => S::Bitcast,
            (false, false) if old.is_signed() => S::SConvert,
            (false, false) => S::UConvert,
        };
        self.op1(instruction, ty, x)
    }
}
