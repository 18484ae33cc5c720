//! Addresses, loads and stores.

use planish_ir::builder::Request;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op as Ir};
use planish_ir::types::{AddressSpace, TypeKind};
use rustc_hash::FxHashSet;
use spirv::{Decoration, Op};

use crate::accesses::{behind, whole_of};
use crate::function::{Scope, Val};
use crate::report::Res;
use crate::words::{Binary, Inst};

/// Ids that differ among invocations: those that are decorated so, and the pointers and images behind them.
pub(crate) fn non_uniform(binary: &Binary<'_>) -> FxHashSet<u32> {
    let decorated = |inst: &&Inst<'_>| inst.result != 0 && binary.has(inst.result, Decoration::NonUniform);
    behind(binary, binary.insts.iter().filter(decorated).map(|inst| inst.result).collect(), whole_of)
}

impl<'w> Scope<'_, 'w, '_> {
    /// Instructions on memory, and all others that are left.
    pub(crate) fn memory(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        match inst.op {
            Op::AccessChain | Op::InBoundsAccessChain => self.access(inst).map(Some),
            Op::Load => {
                let address = self.val(inst, inst.word(0)?)?;
                self.load(inst, address).map(Some)
            }
            Op::Store => {
                let (address, value) = (self.val(inst, inst.word(0)?)?, self.operand(inst, 1)?);
                self.store(inst, &address, value)?;
                Ok(None)
            }
            Op::CopyMemory => {
                let (to, from) = (self.val(inst, inst.word(0)?)?, self.val(inst, inst.word(1)?)?);
                match self.load(inst, from)? {
                    Val::Value(value) => self.store(inst, &to, value)?,
                    _ => return inst.unsupported("a copy of an image or sampler"),
                }
                Ok(None)
            }
            Op::ArrayLength => {
                let (block, member) = (self.address(inst, inst.word(0)?)?, inst.word(1)?);
                let array = self.op_imm(inst, Ir::AccessStructField, Imm::index(member), &[block])?;
                Ok(Some(Val::Value(self.op(inst, Ir::ArrayLength, &[array])?)))
            }
            _ => inst.unsupported("the instruction"),
        }
    }

    /// An address.
    pub(crate) fn address(&mut self, user: &Inst<'w>, id: u32) -> Res<Value> {
        match self.val(user, id)? {
            Val::Pointer(address) => Ok(address),
            _ => user.unsupported(&format!("%{id} as an address")),
        }
    }

    fn access(&mut self, inst: &Inst<'w>) -> Res<Val> {
        let base = self.val(inst, inst.word(0)?)?;
        let mut indices = inst.rest(1);
        let (mut address, is_handle) = match base {
            Val::Pointer(address) => (address, false),
            Val::Handle(address) => (address, true),
            Val::BuiltIns(vars) => {
                let Some((&first, rest)) = indices.split_first() else { return Ok(Val::BuiltIns(vars)) };
                let member = self.integer(inst, first)? as usize;
                indices = rest;
                match vars.get(member) {
                    Some(&Some(var)) => (var.into(), false),
                    _ => return inst.invalid("the block has no such member"),
                }
            }
            _ => return inst.unsupported("a part of this"),
        };
        for &id in indices {
            let Some((pointee, _)) = self.pointee(address) else { return inst.invalid("the base is no pointer") };
            address = match self.b.module.types[pointee].clone() {
                TypeKind::Struct(_) => {
                    let member = self.integer(inst, id)?;
                    self.op_imm(inst, Ir::AccessStructField, Imm::index(member), &[address])?
                }
                TypeKind::Vector(_, size) => {
                    let index = self.value(inst, id)?;
                    let index = self.as_index(inst, index)?;
                    let number = index.as_const().and_then(|c| self.b.module.consts.as_bits(c));
                    match number.and_then(|n| u32::try_from(n).ok()).filter(|n| *n < u32::from(size)) {
                        Some(n) => self.op_imm(inst, Ir::AccessVectorComponent, Imm::index(n), &[address])?,
                        None => self.op(inst, Ir::AccessVectorComponentDynamic, &[address, index])?,
                    }
                }
                TypeKind::Matrix { .. } => {
                    let index = self.value(inst, id)?;
                    let index = self.as_index(inst, index)?;
                    self.op(inst, Ir::AccessMatrixColumn, &[address, index])?
                }
                kind => {
                    let index = self.value(inst, id)?;
                    let mut index = self.as_index(inst, index)?;
                    let element = match kind {
                        TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => Some(element),
                        _ => None,
                    };
                    if element
                        .is_some_and(|element| self.b.module.types.is_binding(element) || self.cx.defs.has_spirv())
                        && index.as_const().is_none()
                        && [inst.result, id].iter().any(|id| self.cx.non_uniform.contains(id))
                    {
                        index = self.op(inst, Ir::NonUniform, &[index])?;
                    }
                    self.op(inst, Ir::AccessArrayElement, &[address, index])?
                }
            };
        }
        Ok(if is_handle { Val::Handle(address) } else { Val::Pointer(address) })
    }

    /// The struct of values for an interface block; `None` for other types.
    fn plain(&self, ty: Type) -> Option<(Type, u32)> {
        let plain = self.cx.types.plain(ty)?;
        Some((plain, self.b.module.types.part_count(plain)?))
    }

    fn load(&mut self, inst: &Inst<'w>, address: Val) -> Res<Val> {
        let address = match address {
            Val::Pointer(address) => address,
            Val::Constant(id) => return self.val(inst, id),
            // Loaded where it is used.
            Val::Handle(_) | Val::Sampled(..) => return Ok(address),
            Val::BuiltIns(vars) => {
                let mut parts = vec![];
                for var in vars {
                    let Some(var) = var else { return inst.invalid("a member is missing") };
                    parts.push(self.b.load(var.into()));
                }
                let ty = self.result_type(inst)?;
                return Ok(Val::Value(self.op_typed(inst, Ir::ConstructStruct, &parts, ty)?));
            }
            _ => return inst.unsupported("a load from this"),
        };
        let Some((pointee, _)) = self.pointee(address) else { return inst.invalid("its operand is no pointer") };
        if matches!(self.b.module.types[pointee], TypeKind::RuntimeArray { .. }) {
            return inst.invalid("a value without a size");
        }
        let Some((plain, count)) = self.plain(pointee) else {
            return Ok(Val::Value(self.op(inst, Ir::Load, &[address])?));
        };
        let mut parts = vec![];
        for i in 0..count {
            let part = self.op_imm(inst, Ir::AccessStructField, Imm::index(i), &[address])?;
            parts.push(self.op(inst, Ir::Load, &[part])?);
        }
        Ok(Val::Value(self.op_typed(inst, Ir::ConstructStruct, &parts, plain)?))
    }

    /// Recursion: one level, from a block of built-in variables to each.
    fn store(&mut self, inst: &Inst<'w>, address: &Val, value: Value) -> Res<()> {
        let address = match address {
            Val::Pointer(address) => *address,
            Val::BuiltIns(vars) => {
                for (i, var) in vars.clone().into_iter().enumerate() {
                    let Some(var) = var else { return inst.invalid("a member is missing") };
                    let part = self.op_imm(inst, Ir::ExtractStructField, Imm::index(i as u32), &[value])?;
                    self.store(inst, &Val::Pointer(var.into()), part)?;
                }
                return Ok(());
            }
            _ => return inst.unsupported("a store to this"),
        };
        let Some((pointee, space)) = self.pointee(address) else { return inst.invalid("its operand is no pointer") };
        if space.is_read_only() || space == AddressSpace::Handle {
            return inst.invalid("the memory is read-only");
        }
        if let Some((plain, count)) = self.plain(pointee) {
            let value = self.adapt(inst, value, plain)?;
            for i in 0..count {
                let part = self.op_imm(inst, Ir::AccessStructField, Imm::index(i), &[address])?;
                let member = self.op_imm(inst, Ir::ExtractStructField, Imm::index(i), &[value])?;
                self.make_all(inst, Request::new(Ir::Store, &[part, member]))?;
            }
            return Ok(());
        }
        let value = self.adapt(inst, value, pointee)?;
        self.make_all(inst, Request::new(Ir::Store, &[address, value]))?;
        Ok(())
    }

    /// Stores to an address that an operand is.
    pub(crate) fn store_to(&mut self, inst: &Inst<'w>, id: u32, value: Value) -> Res<()> {
        let address = self.val(inst, id)?;
        self.store(inst, &address, value)
    }
}
