//! The code of functions: compiled at the first call, then only read.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, Ordering};

use planish_ir::entity::{Func, Type};
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_machine::isa::{Kind, OpOperand};

/// The code of one function, at a stable address.
pub(crate) struct FuncCode {
    start: AtomicPtr<u64>,
    frame: AtomicU32,
    /// The function of the module.
    pub(crate) func: Func,
    /// Words of the arguments and of the results.
    pub(crate) words: (u32, u32),
    /// Instruction that compiles the function; runs until the code exists.
    stub: OnceLock<Box<[u64]>>,
    compiled: OnceLock<Compiled>,
    /// Instruction that enters the function's machine code, once there is some.
    entrance: OnceLock<Box<[u64]>>,
    /// Calls and iterations until [`crate::tier`] is asked.
    countdown: AtomicI32,
}

/// A loop in which machine code can take over.
pub(crate) struct LoopFrame {
    /// Its label in the list of nodes.
    pub(crate) label: u32,
    /// The values that live there, by their numbers in the list, with their registers.
    #[cfg_attr(not(planish_native), allow(dead_code))]
    pub(crate) values: Box<[(u32, u32)]>,
    /// Whether it has machine code.
    pub(crate) has_code: AtomicBool,
}

/// The result of compiling a function.
pub(crate) struct Compiled {
    /// The code.
    pub(crate) code: Box<[u64]>,
    /// Source spans: the first word of each range, ascending, and its span.
    pub(crate) spans: Box<[(u32, Span)]>,
    /// Words of the frame.
    pub(crate) frame: u32,
    /// Operands that the code refers to by address; kept alive here.
    #[allow(clippy::vec_box, dead_code)]
    pub(crate) rares: Vec<Box<Rare>>,
    /// The loops in which machine code can take over, to which the code refers by address.
    #[allow(clippy::vec_box)]
    #[cfg_attr(not(planish_native), allow(dead_code))]
    pub(crate) heads: Vec<Box<LoopFrame>>,
}

impl FuncCode {
    /// A function that is not compiled yet.
    pub(crate) fn new(func: Func, words: (u32, u32)) -> Self {
        FuncCode {
            start: AtomicPtr::new(std::ptr::null_mut()),
            frame: AtomicU32::new(0),
            func,
            words,
            stub: OnceLock::new(),
            compiled: OnceLock::new(),
            entrance: OnceLock::new(),
            countdown: AtomicI32::new(0),
        }
    }

    /// Sets the instruction that enters its machine code: it runs instead of the code, from the next call on. The
    /// frame stays, as a thread may still be about to enter the code.
    #[cfg(planish_native)]
    pub(crate) fn set_entrance(&self, entrance: Box<[u64]>) {
        let entrance = self.entrance.get_or_init(|| entrance);
        self.start.store(entrance.as_ptr().cast_mut(), Ordering::Release);
    }

    /// Whether calls enter machine code.
    pub(crate) fn has_entrance(&self) -> bool {
        self.entrance.get().is_some()
    }

    /// First word of the return address and the caller's frame.
    #[inline(always)]
    pub(crate) fn prelude(&self) -> usize {
        self.words.0.max(self.words.1) as usize
    }

    /// Counts a call or an iteration; whether so many have been counted as [`FuncCode::count_from`] has set. Threads may
    /// miss each other's counts.
    #[inline(always)]
    pub(crate) fn count(&self) -> bool {
        let left = self.countdown.load(Ordering::Relaxed).wrapping_sub(1);
        self.countdown.store(left, Ordering::Relaxed);
        left <= 0
    }

    /// Sets the number of calls and iterations that are counted.
    pub(crate) fn count_from(&self, count: u32) {
        self.countdown.store(count.min(i32::MAX as u32) as i32, Ordering::Relaxed);
    }

    /// Sets what runs until the function is compiled.
    pub(crate) fn set_stub(&self, stub: Box<[u64]>) {
        let stub = self.stub.get_or_init(|| stub);
        self.start.store(stub.as_ptr().cast_mut(), Ordering::Release);
    }

    /// Sets the code; the first one stays.
    pub(crate) fn set(&self, compiled: Compiled) {
        let compiled = self.compiled.get_or_init(|| compiled);
        self.frame.store(compiled.frame, Ordering::Relaxed);
        self.start.store(compiled.code.as_ptr().cast_mut(), Ordering::Release);
    }

    /// The code, if it has been compiled.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get()
    }

    /// The first instruction, and the words that the frame needs.
    #[inline(always)]
    pub(crate) fn start(&self) -> (*const u64, usize) {
        // This order matters: `start` is released after the frame size.
        let start = self.start.load(Ordering::Acquire);
        (start, self.frame.load(Ordering::Relaxed) as usize)
    }

    /// Span of the instruction at an address; `None` if it is not part of this function.
    pub(crate) fn span_at(&self, ip: *const u64) -> Option<Span> {
        let compiled = self.compiled.get()?;
        let range = compiled.code.as_ptr_range();
        if !range.contains(&ip) {
            return None;
        }
        let at = (ip.addr() - range.start.addr()) / size_of::<u64>();
        let piece = compiled.spans.partition_point(|&(first, _)| first as usize <= at).checked_sub(1)?;
        Some(compiled.spans[piece].1)
    }
}

/// An op without a handler of its own.
pub(crate) struct Rare {
    /// The op.
    pub(crate) op: Op,
    /// Its immediate.
    pub(crate) imm: Imm,
    /// Locations of the words that it reads, in order.
    pub(crate) places: Vec<Place>,
    /// Its operands, to which those words belong in order.
    pub(crate) operands: Vec<RareOperand>,
    /// Type of its first result; `void` if there is none.
    pub(crate) result: Type,
    /// First registers of its results, and their words.
    pub(crate) outs: Vec<(u32, u32)>,
}

/// An operand of a [`Rare`].
pub(crate) struct RareOperand {
    /// Its type.
    pub(crate) ty: Type,
    /// Its words.
    pub(crate) words: u32,
}

impl RareOperand {
    /// The operands of an op; `type_of` gives the type of a kind, for those that the op leaves open.
    pub(crate) fn of(operands: &[OpOperand], type_of: impl Fn(Kind) -> Type) -> Vec<RareOperand> {
        let operand = |of: &OpOperand| RareOperand {
            ty: of.ty.unwrap_or_else(|| type_of(of.kind)),
            words: of.count as u32 * of.kind.words(64),
        };
        operands.iter().map(operand).collect()
    }
}

/// Location of one word, or of two.
pub(crate) enum Place {
    /// In this register.
    Reg(u32),
    /// In this register and the next one.
    Pair(u32),
    /// It is these bits.
    Bits(u64),
    /// Two words are these bits.
    Wide(u128),
}
