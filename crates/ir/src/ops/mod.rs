//! The op table: everything that is known about an op, in one row.
//!
//! From the table come the enum, the printer, the parser, the verifier's type rules, the folder's and the evaluator's
//! dispatch, the effect summaries and the op reference (`docs/ops.md`). To add an op: a row here, its meaning in
//! [`crate::meaning`], its tests, and each back end that can hold it.

mod explicit_rules;
mod imm;
mod relations;
mod rules;
mod simd_rules;
mod subgroup_rules;
mod table;
mod texture_rules;

pub use imm::{GroupOperation, Imm, LaneShape, Lanes, MemArg, TextureFlags, Width};
pub use relations::{Operands, Relations};
pub use rules::{Domain, Rule, TypeError, infer};
pub use table::{OPS, Op};

use crate::module::Stage;

/// The family an op belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// One operand, componentwise or not.
    Unary,
    /// Two operands.
    Binary,
    /// Two operands; the result is boolean.
    Compare,
    /// Other arithmetic.
    BuiltIn,
    /// Makes a composite or converts.
    Construct,
    /// Takes a part out of a value, or puts one in.
    Extract,
    /// Turns a pointer into a pointer to a part.
    Access,
    /// Loads, stores and atomics.
    Memory,
    /// Calls.
    Call,
    /// Textures and images.
    Texture,
    /// Barriers, vertices, fragments.
    Stage,
    /// Values of the other invocations of a subgroup.
    Subgroup,
    /// Byte-addressed memories, tables and references (WebAssembly).
    Machine,
    /// Lanes of 128-bit values (WebAssembly).
    Simd,
    /// Unique tokens (VL).
    Token,
    /// Ops of the user's own.
    Custom,
}

/// Effect of a node besides its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: the same operands give the same results anywhere.
    Pure,
    /// Nothing, but it may trap instead of giving a result.
    MayTrap,
    /// Nothing, but the result depends on the neighbouring invocations of the quad, so it must not move into or out of
    /// control flow that they might not share.
    Quad,
    /// Nothing, but the result depends on which invocations of the subgroup are active, and on their operands, so it must not move into or
    /// out of control flow.
    Subgroup,
    /// Reads the memory behind operand 0.
    Load,
    /// Writes the memory behind operand 0.
    Store,
    /// Reads and writes the memory behind operand 0.
    Modify,
    /// Reads the texels of the storage image that is operand 0.
    ImageLoad,
    /// Writes the texels of the storage image that is operand 0.
    ImageStore,
    /// Reads and writes the texels of the storage image that is operand 0.
    ImageModify,
    /// Reads the memory that the immediate names; may trap.
    MemoryLoad,
    /// Writes the memory that the immediate names; may trap.
    MemoryStore,
    /// Reads and writes the memory (or memories) that the immediate names; may trap.
    MemoryModify,
    /// Reads the table that the immediate names; may trap.
    TableLoad,
    /// Writes the table (or tables, or segments) that the immediate names; may trap.
    TableStore,
    /// That of the callee.
    Call,
    /// Makes a new token: ordered with its like, droppable when unused.
    NewToken,
    /// Ordered with everything that has an effect.
    World,
}

/// The kind of meaning of an op: the part of [`crate::meaning`] that computes its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A [`Kernel`](crate::meaning::Kernel) on each component.
    Componentwise,
    /// The same, of a function that is not algebraic: approximated by every target, and by graphics targets in 32 bits only.
    Transcendental,
    /// Integer division with traps.
    TrappingDivision,
    /// Float to integer with traps.
    TrappingTruncation,
    /// Two result words a component.
    TwoWords,
    /// Two results a component.
    SplitFloat,
    /// Any, all.
    Reduction,
    /// Equality of composites.
    AggregateEqual,
    /// Vectors as geometry, and matrices.
    Algebra,
    /// Words of fractions.
    Pack,
    /// Colour conversion.
    Yuv,
    /// Constructors.
    Construct,
    /// The same bits.
    Bitcast,
    /// Extraction and insertion.
    Part,
    /// Lanes of 128-bit values.
    Simd,
    /// No function of its operands' bits: it has an effect, or takes pointers, images, references or tokens.
    Outside,
}

impl Meaning {
    const fn is_componentwise(self) -> bool {
        matches!(self, Meaning::Componentwise | Meaning::Transcendental)
    }

    /// The kind of meaning of an op whose row does not name one.
    const fn usual(class: Class, effect: Effect) -> Meaning {
        match (class, effect) {
            (Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn, Effect::Pure) => Meaning::Componentwise,
            (Class::Construct, Effect::Pure) => Meaning::Construct,
            (Class::Extract, Effect::Pure) => Meaning::Part,
            (Class::Simd, Effect::Pure) => Meaning::Simd,
            _ => Meaning::Outside,
        }
    }
}

/// Kind of the immediate of an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImmKind {
    /// There is none.
    None,
    /// A member or component number; of an access by address, what the address is a multiple of.
    Index,
    /// A swizzle.
    Lanes,
    /// Which optional operands a texture op has.
    Texture,
    /// Memory, access width, sign and byte offset.
    MemArg,
    /// One or two memories, tables or segments: low 32 bits and high 32 bits.
    Pair,
    /// A [`LaneShape`].
    Shape,
    /// A [`LaneShape`] and the number of one lane.
    Lane,
    /// A table (high 32 bits) and a function type (low 32 bits).
    TableType,
    /// Over which invocations of a subgroup an op combines: a [`GroupOperation`].
    Group,
    /// Which memories a barrier orders: bits of [`BARRIER_NAMES`].
    Barrier,
    /// An op of the user's own (high 32 bits) and the function type of its operands and results (low 32 bits).
    Custom,
    /// Whether a float may convert to any integer where it is NaN or does not fit: bits of [`CONVERSION_NAMES`]. Zero
    /// unless a float becomes an integer; the builder sees to it.
    Conversion,
    /// Whether the operands are known to be those that every target computes with alike: bits of [`GUARD_NAMES`]. Zero
    /// unless the operands are integers or those of a power; the builder sees to it.
    Guard,
    /// Whether a chain of the op, as a reduction in a loop is, may be computed in another order: bits of [`ORDER_NAMES`]. Zero
    /// unless the operands are floats; the builder sees to it.
    Order,
}

/// Kind of an index of an [`ImmKind::Pair`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PairPart {
    /// Nothing: it is 0.
    Nothing,
    /// A memory.
    Memory,
    /// A table.
    Table,
    /// A data segment.
    Data,
    /// An element segment.
    Elem,
}

/// Names of the bits of a conversion's immediate.
pub const CONVERSION_NAMES: [&str; 1] = ["open"];

/// Names of the bits of a guard's immediate.
pub const GUARD_NAMES: [&str; 1] = ["guarded"];

/// Names of the bits of an order's immediate.
pub const ORDER_NAMES: [&str; 1] = ["reassociable"];

/// Names of the bits of a barrier's immediate.
pub const BARRIER_NAMES: [&str; 5] = ["buffer", "image", "shared", "atomic_counter", "group"];

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The op.
    pub op: Op,
    /// Its name in the dump and in the documentation.
    pub name: &'static str,
    /// Its name in the text form.
    pub text: &'static str,
    /// Family.
    pub class: Class,
    /// Types of operands and results.
    pub rule: Rule,
    /// Kind of the immediate.
    pub imm: ImmKind,
    /// Effect.
    pub effect: Effect,
    /// Whether the two operands may be swapped.
    pub commutative: bool,
    /// The kind of meaning.
    pub meaning: Meaning,
    /// Relations of the result, or of the written memory, to the operands.
    pub relations: Relations,
    /// One sentence for the reference.
    pub doc: &'static str,
}

/// The componentwise ops, in the order of the table.
pub static COMPONENTWISE: &[Op] = &{
    const COUNT: usize = {
        let (mut op, mut count) = (0, 0);
        while op < OPS.len() {
            count += OPS[op].meaning.is_componentwise() as usize;
            op += 1;
        }
        count
    };
    let (mut list, mut op, mut count) = ([Op::Add; COUNT], 0, 0);
    while op < OPS.len() {
        if OPS[op].meaning.is_componentwise() {
            list[count] = OPS[op].op;
            count += 1;
        }
        op += 1;
    }
    list
};

impl Op {
    /// The row.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        &OPS[self as usize]
    }

    /// The name in the dump.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The name in the text form.
    pub fn text(self) -> &'static str {
        self.info().text
    }

    /// The op with this name in the text form.
    pub fn from_text(text: &str) -> Option<Op> {
        OPS.iter().find(|row| row.text == text).map(|row| row.op)
    }

    /// Kinds of the low and the high half of an [`ImmKind::Pair`].
    pub fn pair_parts(self) -> (PairPart, PairPart) {
        match self {
            Op::MemoryCopy => (PairPart::Memory, PairPart::Memory),
            Op::MemoryInit => (PairPart::Memory, PairPart::Data),
            Op::DataDrop => (PairPart::Data, PairPart::Nothing),
            Op::TableCopy => (PairPart::Table, PairPart::Table),
            Op::TableInit => (PairPart::Table, PairPart::Elem),
            Op::ElemDrop => (PairPart::Elem, PairPart::Nothing),
            Op::TableGet | Op::TableSet | Op::TableSize | Op::TableGrow | Op::TableFill => {
                (PairPart::Table, PairPart::Nothing)
            }
            Op::MemorySize | Op::MemoryGrow | Op::MemoryFill => (PairPart::Memory, PairPart::Nothing),
            _ => (PairPart::Nothing, PairPart::Nothing),
        }
    }

    /// Whether it works on the memory of a buffer by an address.
    pub fn is_reference(self) -> bool {
        use crate::ops::rules::Rule;
        matches!(self.info().rule, Rule::ReferenceLoad | Rule::ReferenceStore | Rule::ReferenceAtomic(_))
    }

    /// The only stages that can run it, if not all can.
    pub fn stages(self) -> Option<&'static [Stage]> {
        match self {
            Op::EmitVertex | Op::EndPrimitive => Some(&[Stage::Geometry]),
            Op::Demote
            | Op::IsHelper
            | Op::BeginInterlock
            | Op::EndInterlock
            | Op::SubpassLoad
            | Op::InterpolateAtCentroid
            | Op::InterpolateAtSample
            | Op::InterpolateAtOffset => Some(&[Stage::Fragment]),
            Op::ControlBarrier => Some(&[
                Stage::Compute,
                Stage::TessellationControl,
                Stage::Task,
                Stage::Mesh,
                Stage::TaskNv,
                Stage::MeshNv,
            ]),
            _ => None,
        }
    }

    /// Whether equal operands give equal results anywhere in the function, without a trap. Such nodes may be shared,
    /// moved and dropped.
    #[inline]
    pub fn is_pure(self) -> bool {
        self.info().effect == Effect::Pure
    }

    /// Whether it applies one function to each component; an operand with one component is used for every component of the
    /// others.
    #[inline]
    pub fn is_componentwise(self) -> bool {
        self.info().meaning.is_componentwise()
    }

    /// Whether it is an exponential, logarithmic, trigonometric or hyperbolic function, or a power: targets approximate it, and
    /// graphics targets have it in 32 bits only.
    #[inline]
    pub fn is_transcendental(self) -> bool {
        self.info().meaning == Meaning::Transcendental
    }

    /// Whether a node of it with this immediate may be dropped when nothing uses its results.
    #[inline]
    pub fn is_droppable(self, imm: Imm) -> bool {
        match self.info().effect {
            Effect::Pure | Effect::Quad | Effect::Subgroup | Effect::Load | Effect::ImageLoad | Effect::NewToken => {
                true
            }
            Effect::MemoryLoad => self == Op::MemorySize || imm.as_mem_arg().in_bounds,
            _ => false,
        }
    }

    /// Whether a node of it may end the program with a trap.
    #[inline]
    pub fn may_trap(self) -> bool {
        matches!(
            self.info().effect,
            Effect::MayTrap
                | Effect::MemoryLoad
                | Effect::MemoryStore
                | Effect::MemoryModify
                | Effect::TableLoad
                | Effect::TableStore
                | Effect::Call
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_table_is_in_order_and_its_names_are_unique() {
        let mut names = HashSet::new();
        for (i, row) in OPS.iter().enumerate() {
            assert_eq!(row.op as usize, i, "{}", row.name);
            assert!(names.insert(row.text), "{} stands twice", row.text);
            assert_eq!(Op::from_text(row.text), Some(row.op));
            assert!(row.text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            assert!(!row.doc.is_empty());
        }
    }
}
