//! Composites: made, taken apart, changed, chosen.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use spirv::{Op as S, StorageClass};

use crate::Version;
use crate::assemble::{Id, Sections};
use crate::function::FunctionWriter;
use crate::places::{Chain, Index};
use crate::types::{Res, fail};

/// Refuses composites of more parts than one instruction holds.
pub(crate) fn check_length(count: u32, span: Span) -> Res<()> {
    if Sections::fits(count as usize + 2).is_err() {
        return fail(Code::E0604, span, format!("SPIR-V cannot make an array of {count} elements at once"));
    }
    Ok(())
}

/// The condition of a select.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    /// One for the whole value.
    All(Id),
    /// One for each component.
    Each(Id),
}

impl FunctionWriter<'_, '_> {
    pub(crate) fn construct(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Id> {
        match op {
            Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple if args.len() > 1 => {
                let parts = self.ids(args)?;
                Ok(self.compose(ty, &parts))
            }
            Op::ConstructScalarFromScalar | Op::ConstructVectorFromMultiple => {
                let x = self.id(args[0])?;
                let to = self.shape(ty).0;
                Ok(self.convert(x, self.type_of(args[0]), to))
            }
            Op::ConstructVectorFromScalar => {
                let x = self.id(args[0])?;
                Ok(self.splat_value(ty, x))
            }
            Op::ConstructStruct | Op::ConstructArray => {
                check_length(args.len() as u32, self.span)?;
                let parts = self.ids(args)?;
                let ty = self.cx.value_type(ty, self.span)?;
                Ok(self.emit(S::CompositeConstruct, ty, &parts))
            }
            Op::Bitcast => {
                let x = self.id(args[0])?;
                let from = self.type_of(args[0]);
                Ok(self.reinterpret(x, from, ty))
            }
            _ => self.no_such_op(op),
        }
    }

    pub(crate) fn extract(&mut self, op: Op, imm: Imm, args: &[Value], ty: Type) -> Res<Id> {
        let whole = self.type_of(args[0]);
        match op {
            Op::ExtractVectorComponent | Op::ExtractStructField => {
                let base = self.id(args[0])?;
                self.take(base, ty, imm.as_index())
            }
            Op::ExtractVectorComponentMulti => {
                let base = self.id(args[0])?;
                let lanes = imm.as_lanes();
                if lanes.len() == 1 {
                    return self.take(base, ty, lanes.get(0).into());
                }
                let size = self.shape(whole).1;
                if lanes.is_prefix() && lanes.len() == usize::from(size) {
                    return Ok(base);
                }
                let mut operands = vec![base, base];
                operands.extend(lanes.iter().map(u32::from));
                let ty = self.cx.number(ty);
                Ok(self.emit(S::VectorShuffle, ty, &operands))
            }
            Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => {
                let base = self.id(args[0])?;
                let len = self.cx.types.part_count(whole).unwrap_or(1);
                match self.index(args[1], len)? {
                    Index::Const(i) => self.take(base, ty, i),
                    Index::Value(i) if matches!(self.cx.types[whole], TypeKind::Vector(..)) => {
                        let ty = self.cx.number(ty);
                        Ok(self.emit(S::VectorExtractDynamic, ty, &[base, i]))
                    }
                    Index::Value(i) => {
                        let chain = self.spilled(args[0], base, whole, ty, i)?;
                        self.load_chain(&chain)
                    }
                }
            }
            Op::InsertVectorComponent | Op::InsertStructField => self.insert(args, ty, Index::Const(imm.as_index())),
            _ => {
                let len = self.cx.types.part_count(whole).unwrap_or(1);
                let index = self.index(args[2], len)?;
                self.insert(args, ty, index)
            }
        }
    }

    /// Part of a composite, at a constant index.
    pub(crate) fn take(&mut self, composite: Id, ty: Type, index: u32) -> Res<Id> {
        let ty = self.cx.value_type(ty, self.span)?;
        Ok(self.emit(S::CompositeExtract, ty, &[composite, index]))
    }

    /// SPIR-V indexes values by constants only: the value goes into a variable. That of a constant is made once.
    fn spilled(&mut self, value: Value, base: Id, whole: Type, part: Type, index: Id) -> Res<Chain> {
        let constant = value.as_const().filter(|&c| self.cx.is_finite(c));
        let variable = match constant.and_then(|c| self.constant_variables.get(&c)) {
            Some(&known) => known,
            None => {
                let initializer = constant.map(|_| base);
                let variable = self.new_variable(whole, initializer)?;
                match constant {
                    Some(c) => {
                        self.constant_variables.insert(c, variable);
                    }
                    None => self.emit_void(S::Store, &[variable, base]),
                }
                variable
            }
        };
        let mut chain = Chain::new(variable, StorageClass::Function, part, None);
        chain.indices.push(index);
        Ok(chain)
    }

    fn insert(&mut self, args: &[Value], ty: Type, index: Index) -> Res<Id> {
        let (base, value) = (self.id(args[0])?, self.id(args[1])?);
        let whole = self.cx.value_type(ty, self.span)?;
        match index {
            Index::Const(i) => Ok(self.emit(S::CompositeInsert, whole, &[value, base, i])),
            Index::Value(i) if matches!(self.cx.types[ty], TypeKind::Vector(..)) => {
                Ok(self.emit(S::VectorInsertDynamic, whole, &[base, value, i]))
            }
            Index::Value(i) => {
                let variable = self.new_variable(ty, None)?;
                self.emit_void(S::Store, &[variable, base]);
                let part = self.type_of(args[1]);
                let mut chain = Chain::new(variable, StorageClass::Function, part, None);
                chain.indices.push(i);
                self.store_chain(&chain, value)?;
                Ok(self.emit(S::Load, whole, &[variable]))
            }
        }
    }

    // Choosing.

    /// Whether values of a type can be selected without control flow.
    pub(crate) fn is_selectable(&self, ty: Type) -> bool {
        match self.cx.types[ty] {
            TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix { .. } => true,
            TypeKind::Array { .. } | TypeKind::Struct(_) => self.cx.since(Version::V1_4),
            _ => false,
        }
    }

    /// `a` where the condition holds, else `b`. Before 1.4 only scalars and vectors can be selected, vectors by vectors of
    /// booleans. Recurses as deep as types are nested.
    pub(crate) fn select(&mut self, ty: Type, test: Test, a: Id, b: Id) -> Res<Id> {
        let id = self.cx.value_type(ty, self.span)?;
        let direct = self.cx.since(Version::V1_4) || matches!(test, Test::Each(_));
        let (Test::All(test_id) | Test::Each(test_id)) = test;
        match self.cx.types[ty] {
            TypeKind::Scalar(_) => Ok(self.emit(S::Select, id, &[test_id, a, b])),
            TypeKind::Vector(..) if direct => Ok(self.emit(S::Select, id, &[test_id, a, b])),
            TypeKind::Vector(..) => {
                let bools = self.with_scalar(ty, Scalar::Bool);
                let tests = self.splat_value(bools, test_id);
                Ok(self.emit(S::Select, id, &[tests, a, b]))
            }
            _ if self.cx.since(Version::V1_4) => Ok(self.emit(S::Select, id, &[test_id, a, b])),
            _ => {
                let count = self.cx.types.part_count(ty).unwrap_or(0);
                check_length(count, self.span)?;
                let mut parts = Vec::with_capacity(count as usize);
                for i in 0..count {
                    let part = self.cx.types.part(ty, i).expect("counted");
                    let (x, y) = (self.take(a, part, i)?, self.take(b, part, i)?);
                    parts.push(self.select(part, test, x, y)?);
                }
                Ok(self.emit(S::CompositeConstruct, id, &parts))
            }
        }
    }
}
