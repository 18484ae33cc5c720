//! Composites: made, taken apart, changed.

use planish_ir::entity::{Const, Type, Value};
use planish_ir::ops::{Imm, Op as Ir};
use planish_ir::types::TypeKind;
use spirv::Op;

use crate::function::Scope;
use crate::report::Res;
use crate::words::Inst;

impl<'w> Scope<'_, 'w, '_> {
    /// An instruction on composites; `None` if it is another.
    pub(crate) fn composite(&mut self, inst: &Inst<'w>) -> Res<Option<Value>> {
        Ok(Some(match inst.op {
            Op::CompositeConstruct => {
                let (parts, ty) = (self.values(inst, 0)?, self.result_type(inst)?);
                self.construct(inst, parts, ty)?
            }
            Op::CompositeExtract => {
                let mut value = self.operand(inst, 0)?;
                for &index in inst.rest(1) {
                    value = self.part(inst, value, index)?;
                }
                value
            }
            Op::CompositeInsert => {
                let (part, whole) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.insert(inst, whole, part, inst.rest(2))?
            }
            Op::VectorShuffle => self.shuffle(inst)?,
            Op::VectorExtractDynamic => {
                let (vector, index) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let index = self.as_index(inst, index)?;
                self.op(inst, Ir::ExtractVectorComponentDynamic, &[vector, index])?
            }
            Op::VectorInsertDynamic => {
                let (vector, part, index) = (self.operand(inst, 0)?, self.operand(inst, 1)?, self.operand(inst, 2)?);
                let index = self.as_index(inst, index)?;
                self.op(inst, Ir::InsertVectorComponentDynamic, &[vector, part, index])?
            }
            Op::CopyLogical => self.operand(inst, 0)?,
            _ => return Ok(None),
        }))
    }

    /// A composite of its parts.
    pub(crate) fn construct(&mut self, inst: &Inst<'_>, mut parts: Vec<Value>, ty: Type) -> Res<Value> {
        let op = match &self.b.module.types[ty] {
            TypeKind::Vector(..) => Ir::ConstructVectorFromMultiple,
            TypeKind::Matrix { .. } => Ir::ConstructMatrixFromMultiple,
            TypeKind::Array { .. } => Ir::ConstructArray,
            TypeKind::Struct(s) => {
                // A struct that is padded to the stride of its arrays has a member more.
                if s.members.len() == parts.len() + 1 {
                    parts.push(Const::U32_ZERO.into());
                }
                Ir::ConstructStruct
            }
            _ => return inst.invalid("its type is no composite"),
        };
        if matches!(op, Ir::ConstructArray | Ir::ConstructStruct) {
            if self.b.module.types.part_count(ty).map(|n| n as usize) != Some(parts.len()) {
                return inst.invalid("its parts do not fit its type");
            }
            for (i, part) in parts.iter_mut().enumerate() {
                if let Some(wanted) = self.b.module.types.part(ty, i as u32) {
                    *part = self.adapt(inst, *part, wanted)?;
                }
            }
            if parts.len() > usize::from(u16::MAX) - 1 {
                return inst.unsupported("a composite of so many parts");
            }
        } else {
            let scalar = self.b.module.types.scalar_of(ty);
            if parts.iter().any(|&part| self.b.module.types.scalar_of(self.b.type_of(part)) != scalar) {
                return inst.invalid("its parts do not fit its type");
            }
            // The same component everywhere is a splat, as front ends write it.
            if let [first, rest @ ..] = &parts[..]
                && op == Ir::ConstructVectorFromMultiple
                && self.b.module.types.vector_size(ty).map(usize::from) == Some(parts.len())
                && rest.iter().all(|part| part == first)
            {
                return self.op_typed(inst, Ir::ConstructVectorFromScalar, &[*first], ty);
            }
        }
        self.op_typed(inst, op, &parts, ty)
    }

    /// The part of a value at an index.
    pub(crate) fn part(&mut self, inst: &Inst<'_>, value: Value, index: u32) -> Res<Value> {
        let ty = self.b.type_of(value);
        if self.b.module.types.part_count(ty).is_none_or(|count| index >= count) {
            return inst.invalid("there is no such part");
        }
        match &self.b.module.types[ty] {
            TypeKind::Vector(..) => self.op_imm(inst, Ir::ExtractVectorComponent, Imm::index(index), &[value]),
            TypeKind::Struct(_) => self.op_imm(inst, Ir::ExtractStructField, Imm::index(index), &[value]),
            kind => {
                let op = if matches!(kind, TypeKind::Matrix { .. }) {
                    Ir::ExtractMatrixColumn
                } else {
                    Ir::ExtractArrayElement
                };
                let index = self.b.u32(index);
                self.op(inst, op, &[value, index])
            }
        }
    }

    /// The whole with the part at a path replaced. Recursion: over the path, which is no longer than types are nested.
    fn insert(&mut self, inst: &Inst<'_>, whole: Value, part: Value, path: &[u32]) -> Res<Value> {
        let Some((&index, rest)) = path.split_first() else {
            let ty = self.b.type_of(whole);
            return self.adapt(inst, part, ty);
        };
        let old = self.part(inst, whole, index)?;
        let new = self.insert(inst, old, part, rest)?;
        match &self.b.module.types[self.b.type_of(whole)] {
            TypeKind::Vector(..) => self.op_imm(inst, Ir::InsertVectorComponent, Imm::index(index), &[whole, new]),
            TypeKind::Struct(_) => self.op_imm(inst, Ir::InsertStructField, Imm::index(index), &[whole, new]),
            kind => {
                let op = if matches!(kind, TypeKind::Matrix { .. }) {
                    Ir::InsertMatrixColumn
                } else {
                    Ir::InsertArrayElement
                };
                let index = self.b.u32(index);
                self.op(inst, op, &[whole, new, index])
            }
        }
    }

    fn shuffle(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let (a, b, ty) = (self.operand(inst, 0)?, self.operand(inst, 1)?, self.result_type(inst)?);
        let size = |scope: &Self, v: Value| scope.b.module.types.vector_size(scope.b.type_of(v)).map_or(0, u32::from);
        let (first, second) = (size(self, a), size(self, b));
        // A component that may be anything is the first.
        let lanes: Vec<u32> = inst.rest(2).iter().map(|&lane| if lane == u32::MAX { 0 } else { lane }).collect();
        let wanted = self.b.module.types.vector_size(ty).map(usize::from);
        if lanes.len() < 2 || wanted != Some(lanes.len()) || lanes.iter().any(|&lane| lane >= first + second) {
            return inst.invalid("its components do not exist or do not fit its type");
        }
        let from_one = |low: u32, high: u32| lanes.iter().all(|&lane| (low..high).contains(&lane));
        for (vector, low, high) in [(a, 0, first), (b, first, first + second)] {
            if from_one(low, high) {
                let lanes: Vec<u8> = lanes.iter().map(|&lane| (lane - low) as u8).collect();
                let is_whole =
                    high - low == lanes.len() as u32 && lanes.iter().enumerate().all(|(i, &l)| i == l.into());
                return if is_whole { Ok(vector) } else { self.swizzle(inst, vector, &lanes) };
            }
        }
        // Runs of components of one vector.
        let mut parts = vec![];
        let mut at = 0;
        while at < lanes.len() {
            let is_second = lanes[at] >= first;
            let run = lanes[at..].iter().take_while(|&&lane| (lane >= first) == is_second).count();
            let (vector, low) = if is_second { (b, first) } else { (a, 0) };
            let run: Vec<u8> = lanes[at..at + run].iter().map(|&lane| (lane - low) as u8).collect();
            at += run.len();
            parts.push(self.swizzle(inst, vector, &run)?);
        }
        self.construct(inst, parts, ty)
    }

    /// Components of a vector.
    pub(crate) fn swizzle(&mut self, inst: &Inst<'_>, vector: Value, lanes: &[u8]) -> Res<Value> {
        let size = self.b.module.types.vector_size(self.b.type_of(vector)).unwrap_or(0);
        if size < 2 || !(1..=4).contains(&lanes.len()) || lanes.iter().any(|&lane| lane >= size) {
            return inst.invalid("there is no such component");
        }
        Ok(self.b.swizzle(vector, lanes))
    }
}
