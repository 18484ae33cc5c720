//! Memory of the runtime: the context of a call, and the tables that it leads to.

use std::mem::offset_of;

use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};

use crate::abi;
use crate::body::{Builder, Region};

impl Builder<'_, '_> {
    /// The properties of accesses of a region: they do not trap, and are aligned except in memories.
    pub(crate) fn flags(&self, region: Region) -> MemFlagsData {
        let flags = MemFlagsData::new().with_notrap().with_alias_region(Some(self.regions[region as usize]));
        if matches!(region, Region::Memory) { flags } else { flags.with_aligned() }
    }

    pub(crate) fn load(&mut self, region: Region, ty: Type, at: Value, offset: usize) -> Value {
        let flags = self.flags_for(region, ty);
        self.b.ins().load(ty, flags, at, Offset32::new(offset as i32))
    }

    /// As [`Builder::flags`]; vectors are aligned as words are.
    fn flags_for(&self, region: Region, ty: Type) -> MemFlagsData {
        let flags = MemFlagsData::new().with_notrap().with_alias_region(Some(self.regions[region as usize]));
        if ty.is_vector() { flags } else { self.flags(region) }
    }

    /// A load of what never changes while the function runs.
    pub(crate) fn load_constant(&mut self, ty: Type, at: Value, offset: usize) -> Value {
        let flags = self.flags(Region::Context).with_readonly().with_can_move();
        self.b.ins().load(ty, flags, at, Offset32::new(offset as i32))
    }

    pub(crate) fn store(&mut self, region: Region, value: Value, at: Value, offset: usize) {
        let flags = self.flags_for(region, self.b.func.dfg.value_type(value));
        self.b.ins().store(flags, value, at, Offset32::new(offset as i32));
    }

    /// The address of the [`abi::Runtime`].
    pub(crate) fn runtime(&mut self) -> Value {
        self.load_constant(types::I64, self.context, offset_of!(abi::Context, runtime))
    }
}
