//! Words of loads, stores and barriers in the memory models of GLSL and of Vulkan.
//!
//! In that of GLSL, which all modules have whose binary needed no other, variables are decorated as coherent and volatile. In that of Vulkan each
//! access says so, and whether other invocations may see it at all. Here it says that they may, which orders more than a binary may have asked for.

use planish_ir::decoration::{Decoration, Decorations};
use planish_ir::entity::{Local, Value};
use planish_ir::function::Body;
use planish_ir::ops::Op;
use planish_ir::walk;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use spirv::{Capability, ImageOperands, MemoryAccess, MemorySemantics, Scope, StorageClass};

use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::places::Chain;

/// Variables whose accesses are special in Vulkan's memory model.
#[derive(Default)]
pub(crate) struct Special {
    coherent: FxHashSet<Id>,
    volatile: FxHashSet<Id>,
}

impl Special {
    pub(crate) fn add(&mut self, id: Id, decorations: &Decorations) {
        for (set, decoration) in
            [(&mut self.coherent, Decoration::Coherent), (&mut self.volatile, Decoration::Volatile)]
        {
            if decorations.has(decoration) {
                set.insert(id);
            }
        }
    }

    /// Whether accesses by a variable or parameter are coherent, and whether they are volatile. A parameter may be any of the variables.
    fn of(&self, base: Id, is_variable: bool) -> (bool, bool) {
        let is_in = |set: &FxHashSet<Id>| if is_variable { set.contains(&base) } else { !set.is_empty() };
        (is_in(&self.coherent), is_in(&self.volatile))
    }
}

impl FunctionWriter<'_, '_> {
    /// The memory operands of a load or store without an alignment.
    pub(crate) fn access_operands(&mut self, chain: &Chain, is_store: bool) -> SmallVec<[Id; 2]> {
        use MemoryAccess as A;
        let is_shared = matches!(chain.class, StorageClass::StorageBuffer | StorageClass::Workgroup);
        if !self.cx.out.has_vulkan_memory_model || !is_shared {
            return SmallVec::new();
        }
        let (is_coherent, is_volatile) = self.special(chain.base);
        let mut bits = A::NON_PRIVATE_POINTER;
        bits.set(A::VOLATILE, is_volatile);
        let coherent = if is_store { A::MAKE_POINTER_AVAILABLE } else { A::MAKE_POINTER_VISIBLE };
        // The memory of a work group is so by its barriers.
        let is_far = is_coherent && chain.class == StorageClass::StorageBuffer;
        bits.set(coherent, is_far);
        let scope = is_far.then(|| self.far_scope());
        [bits.bits()].into_iter().chain(scope).collect()
    }

    /// The bits of a load or store of a texel in Vulkan's memory model, and their operand.
    pub(crate) fn texel_operands(&mut self, base: Id, is_store: bool) -> (u32, Option<Id>) {
        use ImageOperands as I;
        let (is_coherent, is_volatile) = self.special(base);
        let mut bits = I::NON_PRIVATE_TEXEL;
        bits.set(I::VOLATILE_TEXEL, is_volatile);
        bits.set(if is_store { I::MAKE_TEXEL_AVAILABLE } else { I::MAKE_TEXEL_VISIBLE }, is_coherent);
        let scope = is_coherent.then(|| self.far_scope());
        (bits.bits(), scope)
    }

    fn special(&self, base: Id) -> (bool, bool) {
        let is_variable = self.cx.var_ids.values().flatten().any(|(id, _)| *id == base);
        self.cx.special.of(base, is_variable)
    }

    /// The scope of memory that all invocations of the device share.
    pub(crate) fn far_scope(&mut self) -> Id {
        let is_device =
            !self.cx.out.has_vulkan_memory_model || self.cx.out.needs(Capability::VulkanMemoryModelDeviceScope);
        let scope = if is_device { Scope::Device } else { Scope::QueueFamily };
        self.cx.u32(scope as u32)
    }

    /// The semantics of a barrier that orders some kinds of memory.
    pub(crate) fn barrier_semantics(&mut self, memories: MemorySemantics) -> Id {
        let mut bits = memories | MemorySemantics::ACQUIRE_RELEASE;
        bits.set(MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE, self.cx.out.has_vulkan_memory_model);
        self.cx.u32(bits.bits())
    }
}

/// The results of atomic exchanges that nothing reads: these are stores.
pub(crate) fn unread_exchanges(body: &Body) -> FxHashSet<Local> {
    let mut unread = FxHashSet::default();
    let is_exchange = |op| matches!(op, Op::AtomicExchange | Op::ImageAtomicExchange | Op::ReferenceAtomicExchange);
    let nodes = || walk::blocks(body).flat_map(|block| &body.blocks[block].nodes);
    unread.extend(nodes().filter(|&&node| is_exchange(body.node(node).op)).filter_map(|&node| body.result(node)));
    if unread.is_empty() {
        return unread;
    }
    let mut read = |value: Value| {
        if let Some(local) = value.as_local() {
            unread.remove(&local);
        }
    };
    for &node in nodes() {
        body.args(node).iter().for_each(|&value| read(value));
    }
    for block in walk::blocks(body) {
        body.blocks[block].exit.for_each_operand(&mut read);
    }
    unread
}
