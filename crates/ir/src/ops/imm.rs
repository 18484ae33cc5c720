//! Immediates: the part of a node that is not an operand, in 64 bits.

use crate::arena::Id;
use crate::entity::{CustomOp, Memory, Table, Type};
use crate::types::Scalar;

/// The immediate of a node; [`super::ImmKind`] of the op says how to read it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Imm(pub u64);

impl Imm {
    /// No immediate.
    pub const NONE: Imm = Imm(0);

    /// A conversion that leaves open what NaN, and floats that the integer type cannot hold, become.
    pub const OPEN: Imm = Imm(1);

    /// A division, shift or bit field whose operands are known to be in the range in which every target computes alike: no
    /// divisor of 0 or quotient that overflows, no amount or field beyond the word; or a power whose base has no sign. The op
    /// computes the same without it.
    pub const GUARDED: Imm = Imm(1);

    /// A sum, product, minimum or maximum of floats that may be formed in another order together with others of a reduction. The
    /// op computes the same without it.
    pub const REASSOCIABLE: Imm = Imm(1);

    /// A member or component number.
    pub const fn index(index: u32) -> Self {
        Imm(index as u64)
    }

    /// The member or component number.
    pub const fn as_index(self) -> u32 {
        self.0 as u32
    }

    /// Whether a conversion leaves open what NaN, and floats that the integer type cannot hold, become.
    pub const fn is_open(self) -> bool {
        self.0 == Imm::OPEN.0
    }

    /// Whether the operands of a division, shift, power or bit field are known to be in range: [`Imm::GUARDED`].
    pub const fn is_guarded(self) -> bool {
        self.0 == Imm::GUARDED.0
    }

    /// Whether a reduction by an op of floats may be computed in another order: [`Imm::REASSOCIABLE`].
    pub const fn is_reassociable(self) -> bool {
        self.0 == Imm::REASSOCIABLE.0
    }

    /// The swizzle.
    pub const fn as_lanes(self) -> Lanes {
        Lanes(self.0 as u16)
    }

    /// The lanes that a SIMD op works on.
    pub const fn as_shape(self) -> LaneShape {
        LaneShape::ALL[(self.0 & 0xf) as usize % LaneShape::ALL.len()]
    }

    /// The number of the lane that a SIMD op takes out or puts in.
    pub const fn as_lane(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// The lanes that a SIMD op works on, and the number of one of them.
    pub const fn lane(shape: LaneShape, lane: u8) -> Self {
        Imm(shape as u64 | (lane as u64) << 8)
    }

    /// The invocations of a subgroup over which an op combines.
    pub const fn as_group(self) -> GroupOperation {
        match self.0 & 3 {
            0 => GroupOperation::Reduce,
            1 => GroupOperation::InclusiveScan,
            2 => GroupOperation::ExclusiveScan,
            _ => GroupOperation::ClusteredReduce((self.0 >> 8) as u32),
        }
    }

    /// The optional operands of a texture op.
    pub const fn as_texture(self) -> TextureFlags {
        TextureFlags(self.0 as u32)
    }

    /// The byte access.
    #[inline]
    pub fn as_mem_arg(self) -> MemArg {
        MemArg {
            offset: self.0 as u32,
            memory: Memory::new((self.0 >> 32 & 0xffff) as usize),
            width: match self.0 >> 48 & 7 {
                0 => Width::B8,
                1 => Width::B16,
                2 => Width::B32,
                3 => Width::B64,
                _ => Width::B128,
            },
            signed: self.0 >> 51 & 1 != 0,
            in_bounds: self.0 >> 52 & 1 != 0,
        }
    }

    /// Two indices.
    pub const fn pair(low: u32, high: u32) -> Self {
        Imm(low as u64 | (high as u64) << 32)
    }

    /// The two indices.
    pub const fn as_pair(self) -> (u32, u32) {
        (self.0 as u32, (self.0 >> 32) as u32)
    }

    /// A table and a function type.
    pub fn table_type(table: Table, ty: Type) -> Self {
        Imm::pair(ty.as_u32(), table.as_u32())
    }

    /// An op of the user's own, and the type of its operands and results as that of a function.
    pub fn custom(op: CustomOp, ty: Type) -> Self {
        Imm::pair(ty.as_u32(), op.as_u32())
    }

    /// The op of the user's own and the function type.
    pub fn as_custom(self) -> (CustomOp, Type) {
        let (ty, op) = self.as_pair();
        (CustomOp::from_u32(op), Type::from_u32(ty))
    }

    /// The table and the function type.
    pub fn as_table_type(self) -> (Table, Type) {
        let (ty, table) = self.as_pair();
        (Table::from_u32(table), Type::from_u32(ty))
    }
}

impl From<Lanes> for Imm {
    #[inline]
    fn from(l: Lanes) -> Self {
        Imm(l.0 as u64)
    }
}

impl From<GroupOperation> for Imm {
    #[inline]
    fn from(operation: GroupOperation) -> Self {
        match operation {
            GroupOperation::Reduce => Imm(0),
            GroupOperation::InclusiveScan => Imm(1),
            GroupOperation::ExclusiveScan => Imm(2),
            GroupOperation::ClusteredReduce(size) => Imm(3 | (size as u64) << 8),
        }
    }
}

impl From<LaneShape> for Imm {
    #[inline]
    fn from(shape: LaneShape) -> Self {
        Imm::lane(shape, 0)
    }
}

impl From<TextureFlags> for Imm {
    #[inline]
    fn from(f: TextureFlags) -> Self {
        Imm(f.0 as u64)
    }
}

impl From<MemArg> for Imm {
    #[inline]
    fn from(m: MemArg) -> Self {
        Imm(m.offset as u64
            | (m.memory.index() as u64 & 0xffff) << 32
            | (m.width as u64) << 48
            | (m.signed as u64) << 51
            | (m.in_bounds as u64) << 52)
    }
}

/// One to four component numbers, 0 to 3 each: a swizzle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lanes(u16);

impl Lanes {
    /// The components `lanes`, in this order.
    ///
    /// # Panics
    /// If there are not one to four, or one is above 3.
    pub fn new(lanes: &[u8]) -> Self {
        assert!((1..=4).contains(&lanes.len()) && lanes.iter().all(|&l| l < 4), "not a swizzle: {lanes:?}");
        let bits = lanes.iter().enumerate().fold(0, |bits, (i, &l)| bits | (l as u16) << (2 * i));
        Lanes((lanes.len() as u16) << 8 | bits)
    }

    /// Number of lanes.
    pub const fn len(self) -> usize {
        (self.0 >> 8) as usize
    }

    /// Never for a swizzle made by [`Lanes::new`].
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Component number `i`.
    pub const fn get(self, i: usize) -> u8 {
        (self.0 >> (2 * i) & 3) as u8
    }

    /// The component numbers in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = u8> + Clone {
        (0..self.len()).map(move |i| self.get(i))
    }

    /// Whether no component occurs twice, so that it may be written through.
    pub fn is_distinct(self) -> bool {
        self.iter().enumerate().all(|(i, l)| self.iter().take(i).all(|m| m != l))
    }

    /// Whether it takes the components in their order from the first on.
    pub fn is_prefix(self) -> bool {
        self.iter().enumerate().all(|(i, l)| i == l as usize)
    }
}

impl std::fmt::Debug for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for l in self.iter() {
            f.write_str(["x", "y", "z", "w"][l as usize])?;
        }
        Ok(())
    }
}

/// Lanes of a 128-bit value in a SIMD op: number and type. Lane 0 is in the low bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LaneShape {
    /// Sixteen signed bytes.
    I8x16 = 0,
    /// Sixteen unsigned bytes.
    U8x16 = 1,
    /// Eight signed 16-bit integers.
    I16x8 = 2,
    /// Eight unsigned 16-bit integers.
    U16x8 = 3,
    /// Four `i32`.
    I32x4 = 4,
    /// Four `u32`.
    U32x4 = 5,
    /// Two `i64`.
    I64x2 = 6,
    /// Two `u64`.
    U64x2 = 7,
    /// Four `f32`.
    F32x4 = 8,
    /// Two `f64`.
    F64x2 = 9,
}

impl LaneShape {
    /// Every shape, in the order of the immediates.
    pub const ALL: [LaneShape; 10] = [
        LaneShape::I8x16,
        LaneShape::U8x16,
        LaneShape::I16x8,
        LaneShape::U16x8,
        LaneShape::I32x4,
        LaneShape::U32x4,
        LaneShape::I64x2,
        LaneShape::U64x2,
        LaneShape::F32x4,
        LaneShape::F64x2,
    ];

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            LaneShape::I8x16 => "i8x16",
            LaneShape::U8x16 => "u8x16",
            LaneShape::I16x8 => "i16x8",
            LaneShape::U16x8 => "u16x8",
            LaneShape::I32x4 => "i32x4",
            LaneShape::U32x4 => "u32x4",
            LaneShape::I64x2 => "i64x2",
            LaneShape::U64x2 => "u64x2",
            LaneShape::F32x4 => "f32x4",
            LaneShape::F64x2 => "f64x2",
        }
    }

    /// Bits of a lane.
    pub const fn bits(self) -> u32 {
        match self {
            LaneShape::I8x16 | LaneShape::U8x16 => 8,
            LaneShape::I16x8 | LaneShape::U16x8 => 16,
            LaneShape::I32x4 | LaneShape::U32x4 | LaneShape::F32x4 => 32,
            LaneShape::I64x2 | LaneShape::U64x2 | LaneShape::F64x2 => 64,
        }
    }

    /// Number of lanes.
    pub const fn lanes(self) -> u32 {
        128 / self.bits()
    }

    /// Whether the lanes are floats.
    pub const fn is_float(self) -> bool {
        matches!(self, LaneShape::F32x4 | LaneShape::F64x2)
    }

    /// Whether the lanes are signed integers.
    pub const fn is_signed(self) -> bool {
        matches!(self, LaneShape::I8x16 | LaneShape::I16x8 | LaneShape::I32x4 | LaneShape::I64x2)
    }

    /// The scalar that a lane is as a value of its own: narrow lanes are `i32`, and integers have WebAssembly's
    /// sign-less types.
    pub const fn scalar(self) -> Scalar {
        match self {
            LaneShape::F32x4 => Scalar::F32,
            LaneShape::F64x2 => Scalar::F64,
            LaneShape::I64x2 | LaneShape::U64x2 => Scalar::I64,
            _ => Scalar::I32,
        }
    }
}

/// Which optional operands a texture op has. They follow image and coordinate in the order of the constants here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TextureFlags(pub u32);

impl TextureFlags {
    /// None.
    pub const NONE: TextureFlags = TextureFlags(0);
    /// The coordinate has one more component, by which the others (and the compare value) are divided.
    pub const PROJ: TextureFlags = TextureFlags(1);
    /// Operand: the depth to compare with.
    pub const COMPARE: TextureFlags = TextureFlags(2);
    /// Operand: the level of detail (float; integer for fetches and size queries).
    pub const LOD: TextureFlags = TextureFlags(4);
    /// Two operands: the derivatives of the coordinate along x and y.
    pub const GRAD: TextureFlags = TextureFlags(8);
    /// Operand: the number of the sample.
    pub const SAMPLE: TextureFlags = TextureFlags(16);
    /// Operand: added to the implicit level of detail.
    pub const BIAS: TextureFlags = TextureFlags(32);
    /// Operand: offset in texels (integer vector).
    pub const OFFSET: TextureFlags = TextureFlags(64);
    /// Operand: an array of four offsets (gather).
    pub const OFFSETS: TextureFlags = TextureFlags(128);
    /// Operand: a lower bound of the level of detail.
    pub const MIN_LOD: TextureFlags = TextureFlags(256);

    /// Names of the bits, from the lowest.
    pub const NAMES: [&'static str; 9] =
        ["proj", "compare", "lod", "grad", "sample", "bias", "offset", "offsets", "min_lod"];

    /// With the bits of both.
    pub const fn with(self, other: TextureFlags) -> Self {
        TextureFlags(self.0 | other.0)
    }

    /// Without the bits of `other`.
    pub const fn without(self, other: TextureFlags) -> Self {
        TextureFlags(self.0 & !other.0)
    }

    /// Whether all bits of `other` are there.
    pub const fn has(self, other: TextureFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The component that a gather takes, 0 to 3.
    pub const fn component(self) -> u8 {
        (self.0 >> 16 & 3) as u8
    }

    /// With the component that a gather takes.
    pub const fn with_component(self, component: u8) -> Self {
        TextureFlags(self.0 & !(3 << 16) | (component as u32 & 3) << 16)
    }

    /// Index in the operand list of the operand of `flag` (for `GRAD` the first of two); `None` without it.
    pub fn operand(self, flag: TextureFlags) -> Option<usize> {
        if flag == TextureFlags::PROJ || !self.has(flag) {
            return None;
        }
        let before = self.0 & (flag.0 - 1) & !TextureFlags::PROJ.0;
        let grad = (before & TextureFlags::GRAD.0 != 0) as usize;
        Some(2 + before.count_ones() as usize + grad)
    }

    /// Number of operands, image and coordinate included.
    pub fn operand_count(self) -> usize {
        let bits = self.0 & 0x1ff & !TextureFlags::PROJ.0;
        2 + bits.count_ones() as usize + self.has(TextureFlags::GRAD) as usize
    }
}

/// The active invocations of a subgroup whose operands an op combines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GroupOperation {
    /// All of them.
    Reduce,
    /// Those up to the invocation itself.
    InclusiveScan,
    /// Those before the invocation; the identity of the op if there is none.
    ExclusiveScan,
    /// Those of the invocation's cluster. Clusters are so many invocations that follow each other, a power of two.
    ClusteredReduce(u32),
}

impl GroupOperation {
    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            GroupOperation::Reduce => "reduce",
            GroupOperation::InclusiveScan => "inclusive_scan",
            GroupOperation::ExclusiveScan => "exclusive_scan",
            GroupOperation::ClusteredReduce(_) => "clustered_reduce",
        }
    }
}

impl std::fmt::Display for GroupOperation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            GroupOperation::ClusteredReduce(size) => write!(f, "{} {size}", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

/// Width of a byte-addressed access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    /// One byte.
    B8 = 0,
    /// Two bytes.
    B16 = 1,
    /// Four bytes.
    B32 = 2,
    /// Eight bytes.
    B64 = 3,
    /// Sixteen bytes.
    B128 = 4,
}

impl Width {
    /// In bytes.
    pub const fn bytes(self) -> u32 {
        1 << self as u32
    }

    /// The width of a whole scalar; a `bool` has none.
    pub const fn of(scalar: Scalar) -> Option<Width> {
        match scalar.bits() {
            32 => Some(Width::B32),
            64 => Some(Width::B64),
            _ => None,
        }
    }
}

/// A byte-addressed access: the address operand plus `offset`, little endian, no alignment needed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemArg {
    /// Which memory.
    pub memory: Memory,
    /// Added to the address, without wrapping.
    pub offset: u32,
    /// Width of the access in memory.
    pub width: Width,
    /// Whether a narrow load is sign-extended.
    pub signed: bool,
    /// Whether the access is known not to trap where it is: an engine may leave out its check. The op does the same
    /// without it.
    pub in_bounds: bool,
}

impl MemArg {
    /// The first offset past the access, counted from the address operand.
    pub const fn end(self) -> u64 {
        self.offset as u64 + self.width.bytes() as u64
    }
}
