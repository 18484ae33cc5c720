//! Qualifiers of memory that a binary gives to single accesses, where the IR has them at the variable.

use planish_ir::decoration::{Decoration as Ours, Decorations};
use planish_ir::types::AddressSpace;
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use spirv::{ImageOperands, MemoryAccess, Op};

use crate::words::{Binary, Inst};

/// Pointers and images with all that they come from, of which some access is volatile or has its writes made visible to other invocations.
#[derive(Default)]
pub(crate) struct Accesses {
    volatile: FxHashSet<u32>,
    coherent: FxHashSet<u32>,
}

impl Accesses {
    pub(crate) fn find(binary: &Binary<'_>) -> Self {
        let (mut volatile, mut coherent) = (vec![], vec![]);
        for inst in &binary.insts {
            let Some((memory, ids)) = qualified(inst) else { continue };
            let (is_volatile, is_coherent) = memory;
            for (list, is_so) in [(&mut volatile, is_volatile), (&mut coherent, is_coherent)] {
                if is_so {
                    list.extend(ids.iter().copied());
                }
            }
        }
        let sources = |inst: &Inst<'_>| pointer_sources(binary, inst);
        Accesses { volatile: behind(binary, volatile, sources), coherent: behind(binary, coherent, sources) }
    }

    /// Gives a variable what its accesses have. Memory of one invocation needs neither, and that of a work group is ordered by its barriers.
    pub(crate) fn qualify(&self, id: u32, space: AddressSpace, decorations: &mut Decorations) {
        let is_far = matches!(space, AddressSpace::Storage | AddressSpace::Handle);
        if self.volatile.contains(&id) && (is_far || space == AddressSpace::Workgroup) {
            decorations.add(Ours::Volatile);
        }
        if self.coherent.contains(&id) && is_far {
            decorations.add(Ours::Coherent);
        }
    }
}

/// All ids that some ids come from, and those.
pub(crate) fn behind<'w>(
    binary: &Binary<'w>,
    mut open: Vec<u32>,
    sources: impl Fn(&Inst<'w>) -> SmallVec<[u32; 2]>,
) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    while let Some(id) = open.pop() {
        if found.insert(id)
            && let Some(inst) = binary.def(id)
        {
            open.extend(sources(inst));
        }
    }
    found
}

/// The operand that a part of memory or of an image comes from.
pub(crate) fn whole_of(inst: &Inst<'_>) -> SmallVec<[u32; 2]> {
    let count = match inst.op {
        Op::Load | Op::CopyObject | Op::Image | Op::ImageTexelPointer => 1,
        Op::AccessChain | Op::InBoundsAccessChain => 1,
        Op::SampledImage => 2,
        _ => 0,
    };
    inst.operands.iter().take(count).copied().collect()
}

/// Also those of a choice of pointers, and of the parameter of a function.
fn pointer_sources(binary: &Binary<'_>, inst: &Inst<'_>) -> SmallVec<[u32; 2]> {
    match inst.op {
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => inst.operands.iter().take(1).copied().collect(),
        Op::Select => inst.operands.iter().skip(1).copied().collect(),
        Op::Phi => inst.operands.iter().step_by(2).copied().collect(),
        Op::FunctionParameter => arguments(binary, inst.result),
        _ => whole_of(inst),
    }
}

/// The arguments that calls give to a parameter.
fn arguments(binary: &Binary<'_>, parameter: u32) -> SmallVec<[u32; 2]> {
    let Some((function, number)) = binary.functions.iter().find_map(|function| {
        let mut params = binary.insts[function.range.clone()].iter().filter(|i| i.op == Op::FunctionParameter);
        params.position(|i| i.result == parameter).map(|number| (function.id, number))
    }) else {
        return smallvec![];
    };
    let calls = binary.insts.iter().filter(|i| i.op == Op::FunctionCall && i.operands.first() == Some(&function));
    calls.filter_map(|call| call.operands.get(1 + number).copied()).collect()
}

/// Whether an access is volatile, and whether it is coherent, with the pointers or images that it is an access of.
fn qualified<'w>(inst: &Inst<'w>) -> Option<((bool, bool), &'w [u32])> {
    let (at, is_image) = match inst.op {
        Op::Load => (1, false),
        Op::Store | Op::CopyMemory => (2, false),
        Op::ImageRead | Op::ImageSparseRead => (2, true),
        Op::ImageWrite => (3, true),
        _ => return None,
    };
    let pointers = if inst.op == Op::CopyMemory { 2 } else { 1 };
    let words = inst.operands.get(at..).unwrap_or_default();
    let bits = if inst.op == Op::CopyMemory { bits_of_copy(words) } else { words.first().copied().unwrap_or(0) };
    let memory = match is_image {
        true => {
            let bits = ImageOperands::from_bits_truncate(bits);
            (
                bits.contains(ImageOperands::VOLATILE_TEXEL),
                bits.intersects(ImageOperands::MAKE_TEXEL_AVAILABLE | ImageOperands::MAKE_TEXEL_VISIBLE),
            )
        }
        false => {
            let bits = MemoryAccess::from_bits_truncate(bits);
            (
                bits.contains(MemoryAccess::VOLATILE),
                bits.intersects(MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE),
            )
        }
    };
    (memory != (false, false)).then(|| (memory, inst.operands.get(..pointers).unwrap_or_default()))
}

/// The bits of the store of a copy, and those of its load, which may follow.
fn bits_of_copy(words: &[u32]) -> u32 {
    let with_operand =
        MemoryAccess::ALIGNED | MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
    let (mut all, mut at) = (0, 0);
    while let Some(&bits) = words.get(at) {
        all |= bits;
        at += 1 + (bits & with_operand.bits()).count_ones() as usize;
    }
    all
}
