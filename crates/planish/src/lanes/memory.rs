//! Variables that invocations share, in the memory of the machine: buffers, atomic counters, shared variables, and uniforms that differ
//! from one run to the next.

use planish_eval::shade::{block_from_bytes, block_len, block_to_bytes};
use planish_ir::decoration::{BlockLayout, Decoration};
use planish_ir::entity::{Type, Var};
use planish_ir::meaning::Shape;
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, StructType, TypeKind};
use planish_opt::lower_to_scalars::Addresses;
use planish_opt::widen::Replacements;
use std::sync::Arc;

use super::DrawError;
use super::program::unsupported;

/// A variable in memory.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The variable of the source.
    pub(super) source: Var,
    /// The one that the widened function uses instead: its arrays have a size.
    own: Var,
    /// Number of components.
    components: usize,
    address: Option<u32>,
}

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedMemory {
    vars: Vec<Shared>,
}

impl SharedMemory {
    /// Gives every buffer and atomic counter of a module a variable in memory, and the uniforms that change. `components` is the
    /// number of components of a buffer that the host sets.
    pub(super) fn new(
        module: &mut Module,
        changing: &[Var],
        components: &dyn Fn(Var) -> Option<usize>,
    ) -> Result<Self, DrawError> {
        let mut memory = SharedMemory::default();
        let used: Vec<Var> = module.globals.iter().copied().filter(|&var| module.is_named(var)).collect();
        for var in used {
            let data = &module.vars[var];
            let is_counter = module.types.contains(data.ty, &mut |kind| matches!(kind, TypeKind::AtomicCounter));
            let is_shared = matches!(data.space, AddressSpace::Storage | AddressSpace::Workgroup);
            if is_shared || is_counter || changing.contains(&var) {
                let space = if is_counter { AddressSpace::Storage } else { data.space };
                memory.add(module, var, space, components(var))?;
            }
        }
        Ok(memory)
    }

    /// Gives a variable one in memory, of an address space.
    pub(super) fn add(
        &mut self,
        module: &mut Module,
        source: Var,
        space: AddressSpace,
        components: Option<usize>,
    ) -> Result<(), DrawError> {
        let data = module.vars[source].clone();
        let refused = |what: &str| unsupported(data.span, what);
        let ty = sized(module, data.ty, components).ok_or_else(|| refused("an empty array without a size"))?;
        let components = module.types.components(ty).ok_or_else(|| refused("a buffer of this type"))?;
        let own = module.add_var(data.name.clone(), ty, space);
        let copy = &mut module.vars[own];
        (copy.span, copy.decorations) = (data.span, data.decorations.clone());
        if copy.decorations.block_layout().is_none() {
            copy.decorations.add(Decoration::BlockLayout(BlockLayout::Std430));
        }
        self.vars.push(Shared { source, own, components, address: None });
        Ok(())
    }

    /// The variables to widen with.
    pub(super) fn replacements(&self) -> Replacements {
        self.vars.iter().map(|shared| (shared.source, shared.own)).collect()
    }

    /// Notes the addresses. A variable without one is not used.
    pub(super) fn place(&mut self, addresses: &Addresses) {
        for shared in &mut self.vars {
            shared.address = addresses.get(&shared.own).copied();
        }
    }

    pub(super) fn get(&self, source: Var) -> Option<&Shared> {
        self.vars.iter().find(|shared| shared.source == source)
    }

    /// Sets all shared variables to zero, as a work group finds them.
    pub(super) fn clear_workgroup(&self, module: &Module, bytes: &mut [u8]) {
        for shared in self.vars.iter().filter(|shared| module.vars[shared.own].space == AddressSpace::Workgroup) {
            if let Some(range) = shared.range(module) {
                bytes[range].fill(0);
            }
        }
    }
}

impl Shared {
    fn range(&self, module: &Module) -> Option<std::ops::Range<usize>> {
        let start = self.address? as usize;
        Some(start..start + block_len(module, self.own, self.components)?)
    }

    /// Writes the components; nothing, if no code reads them.
    pub(super) fn write(&self, module: &Module, words: &[u64], bytes: &mut [u8]) {
        if let Some(range) = self.range(module)
            && let Some(block) = block_to_bytes(module, self.own, words, range.len())
        {
            bytes[range].copy_from_slice(&block);
        }
    }

    /// Writes the bytes of the block, as they lie in memory; nothing, if no code reads them.
    pub(super) fn put(&self, block: &[u8], bytes: &mut [u8]) {
        if let Some(start) = self.address {
            bytes[start as usize..start as usize + block.len()].copy_from_slice(block);
        }
    }

    /// The components; `None` if no code uses the variable.
    pub(super) fn read(&self, module: &Module, bytes: &[u8]) -> Option<Vec<u64>> {
        block_from_bytes(module, self.own, &bytes[self.range(module)?])
    }
}

/// A type whose array without a size has as many elements as so many components fill; a number for an atomic counter. `None` if the
/// array would be empty.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn sized(module: &mut Module, ty: Type, components: Option<usize>) -> Option<Type> {
    match module.types[ty].clone() {
        TypeKind::AtomicCounter => Some(Type::U32),
        TypeKind::Array { element, len } => {
            let element = sized(module, element, None)?;
            Some(module.types.array(element, len))
        }
        TypeKind::RuntimeArray { element } => {
            let count = components?.checked_div(module.types.components(element)?)?;
            let len = u32::try_from(count).ok().filter(|&len| len > 0)?;
            Some(module.types.array(element, len))
        }
        TypeKind::Struct(s) => {
            let Some((last, fixed)) = s.members.split_last() else { return Some(ty) };
            if !module.types.contains(last.ty, &mut |kind| matches!(kind, TypeKind::RuntimeArray { .. })) {
                return Some(ty);
            }
            let before: usize = fixed.iter().map(|member| module.types.components(member.ty)).sum::<Option<usize>>()?;
            let tail = sized(module, last.ty, components.and_then(|n| n.checked_sub(before)))?;
            let mut members = s.members.clone();
            members.last_mut()?.ty = tail;
            let kind = StructType { members, ..(*s).clone() };
            Some(module.types.intern(TypeKind::Struct(Arc::new(kind))))
        }
        _ => Some(ty),
    }
}
