//! The rows of the op table.
//! whole: one table, one row an op.

use super::rules::Domain;
use super::rules::Rule::*;
use super::{Effect, ImmKind, Meaning, OpInfo, Relations};
use crate::entity::Type;

macro_rules! ops {
    ($($class:ident { $($name:ident $text:ident $rule:expr, $effect:ident $(, imm $imm:ident)? $(, commutative $comm:literal)? $(, meaning $meaning:ident)? $(, relations $relations:ident)?; $doc:literal)* })*) => {
        /// Op of a node.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op { $($(#[doc = $doc] $name),*),* }

        /// The rows, in the order of [`Op`].
        pub static OPS: &[OpInfo] = &[$($(OpInfo {
            op: Op::$name,
            name: stringify!($name),
            text: stringify!($text),
            class: super::Class::$class,
            rule: $rule,
            imm: ops!(@imm $($imm)?),
            effect: Effect::$effect,
            commutative: ops!(@comm $($comm)?),
            meaning: ops!(@meaning $class $effect $($meaning)?),
            relations: ops!(@relations $class $effect $($relations)?),
            doc: $doc,
        }),*),*];
    };
    (@imm) => { ImmKind::None };
    (@imm $imm:ident) => { ImmKind::$imm };
    (@comm) => { false };
    (@comm $comm:literal) => { $comm };
    (@meaning $class:ident $effect:ident) => { Meaning::usual(super::Class::$class, Effect::$effect) };
    (@meaning $class:ident $effect:ident $meaning:ident) => { Meaning::$meaning };
    (@relations $class:ident $effect:ident) => { Relations::usual(super::Class::$class, Effect::$effect) };
    (@relations $class:ident $effect:ident $relations:ident) => { Relations::$relations };
}

const NUMERIC: Domain = Domain::FLOAT.or(Domain::INTEGER);
const NUMERIC_MATRIX: Domain = NUMERIC.or(Domain::MATRIX);
const FLOAT: Domain = Domain::FLOAT;
const INTEGER: Domain = Domain::INTEGER;
const WORD: Domain = Domain::WORD;
const BOOL: Domain = Domain::BOOL;
const VALUE: Domain = NUMERIC.or(Domain::BOOL);

ops! {
    Unary {
        Negate negate Same(NUMERIC_MATRIX, 1), Pure; "`-x`; integers wrap."
        LogicalNot logical_not Same(BOOL, 1), Pure; "`!x`, componentwise."
        BitwiseNot bitwise_not Same(INTEGER, 1), Pure; "`~x`."
        PrefixIncrement prefix_increment Increment, Modify; "`++x` on the memory behind the pointer; gives the new value."
        PrefixDecrement prefix_decrement Increment, Modify; "`--x` on the memory behind the pointer; gives the new value."
        PostfixIncrement postfix_increment Increment, Modify; "`x++` on the memory behind the pointer; gives the old value."
        PostfixDecrement postfix_decrement Increment, Modify; "`x--` on the memory behind the pointer; gives the old value."
        ArrayLength array_length ArrayLength, Load; "Elements of the runtime-sized array behind the pointer, as `i32`."
        Radians radians Same(FLOAT, 1), Pure; "Degrees to radians: `x * (pi / 180)`."
        Degrees degrees Same(FLOAT, 1), Pure; "Radians to degrees: `x * (180 / pi)`."
        Sin sin Same(FLOAT, 1), Pure, meaning Transcendental; "Sine of an angle in radians."
        Cos cos Same(FLOAT, 1), Pure, meaning Transcendental; "Cosine of an angle in radians."
        Tan tan Same(FLOAT, 1), Pure, meaning Transcendental; "Tangent of an angle in radians."
        Asin asin Same(FLOAT, 1), Pure, meaning Transcendental; "Arc sine, in [-pi/2, pi/2]."
        Acos acos Same(FLOAT, 1), Pure, meaning Transcendental; "Arc cosine, in [0, pi]."
        Atan atan Same(FLOAT, 1), Pure, meaning Transcendental; "Arc tangent, in [-pi/2, pi/2]."
        Sinh sinh Same(FLOAT, 1), Pure, meaning Transcendental; "Hyperbolic sine."
        Cosh cosh Same(FLOAT, 1), Pure, meaning Transcendental; "Hyperbolic cosine."
        Tanh tanh Same(FLOAT, 1), Pure, meaning Transcendental; "Hyperbolic tangent."
        Asinh asinh Same(FLOAT, 1), Pure, meaning Transcendental; "Inverse hyperbolic sine."
        Acosh acosh Same(FLOAT, 1), Pure, meaning Transcendental; "Inverse hyperbolic cosine."
        Atanh atanh Same(FLOAT, 1), Pure, meaning Transcendental; "Inverse hyperbolic tangent."
        Exp exp Same(FLOAT, 1), Pure, meaning Transcendental; "e to the power x."
        Log log Same(FLOAT, 1), Pure, meaning Transcendental; "Natural logarithm."
        Exp2 exp2 Same(FLOAT, 1), Pure, meaning Transcendental; "2 to the power x."
        Log2 log2 Same(FLOAT, 1), Pure, meaning Transcendental; "Logarithm to base 2."
        Sqrt sqrt Same(FLOAT, 1), Pure; "Square root, correctly rounded."
        InverseSqrt inverse_sqrt Same(FLOAT, 1), Pure; "1 / sqrt(x)."
        Abs abs Same(NUMERIC, 1), Pure; "Absolute value; the least integer stays itself."
        Sign sign Same(NUMERIC, 1), Pure; "-1, 0 or 1; a float zero keeps its sign, NaN stays NaN."
        Floor floor Same(FLOAT, 1), Pure; "Rounds down."
        Trunc trunc Same(FLOAT, 1), Pure; "Rounds towards zero."
        Round round Same(FLOAT, 1), Pure; "Rounds to nearest; halfway cases to even, as GLSL allows."
        RoundEven round_even Same(FLOAT, 1), Pure; "Rounds to nearest, halfway cases to even."
        Ceil ceil Same(FLOAT, 1), Pure; "Rounds up."
        Fract fract Same(FLOAT, 1), Pure; "`x - floor(x)`."
        Saturate saturate Same(FLOAT, 1), Pure; "`min(max(x, 0), 1)`."
        IsNan is_nan Test(FLOAT), Pure; "Whether x is NaN."
        IsInf is_inf Test(FLOAT), Pure; "Whether x is infinite."
        Length length ToScalar(1), Pure, meaning Algebra; "Euclidean length."
        HorizontalAdd horizontal_add ToScalar(1), Pure, meaning Algebra; "Sum of the components, added from the first on."
        HorizontalMin horizontal_min ToScalar(1), Pure, meaning Algebra; "Least component: `min` of the components in order."
        HorizontalMax horizontal_max ToScalar(1), Pure, meaning Algebra; "Greatest component: `max` of the components in order."
        Normalize normalize Same(FLOAT, 1), Pure, meaning Algebra; "`x / length(x)`."
        Transpose transpose Transpose, Pure, meaning Algebra; "Transposed matrix."
        Determinant determinant Determinant, Pure, meaning Algebra; "Determinant of a square matrix."
        Inverse inverse Square, Pure, meaning Algebra; "Inverse of a square matrix."
        Any any ToBool, Pure, meaning Reduction; "Whether a component is true."
        All all ToBool, Pure, meaning Reduction; "Whether all components are true."
        BitCount bit_count BitQuery, Pure; "Number of one bits, as `i32` (64-bit operands: as their own type)."
        BitReverse bit_reverse Same(INTEGER, 1), Pure; "Bits in reverse order."
        FindLsb find_lsb BitQuery, Pure; "Number of the lowest one bit; -1 if there is none."
        FindMsb find_msb BitQuery, Pure; "Number of the highest bit that differs from the sign (unsigned: the highest one bit); -1 if there is none."
        CountLeadingZeros count_leading_zeros Same(INTEGER, 1), Pure; "Number of zero bits above the highest one bit; the width if there is none."
        CountTrailingZeros count_trailing_zeros Same(INTEGER, 1), Pure; "Number of zero bits below the lowest one bit; the width if there is none."
        SignExtend8 sign_extend8 Same(INTEGER, 1), Pure; "The low 8 bits, sign-extended."
        SignExtend16 sign_extend16 Same(INTEGER, 1), Pure; "The low 16 bits, sign-extended."
        SignExtend32 sign_extend32 Same(INTEGER, 1), Pure; "The low 32 bits, sign-extended."
        NonUniform non_uniform Same(INTEGER, 1), Pure; "x, an index of textures or buffers that invocations which run together may have different ones of."
        PackSnorm2x16 pack_snorm2x16 Fixed(&[Type::VEC2], Type::U32), Pure, meaning Pack; "Two floats in [-1, 1] as signed 16-bit fractions."
        PackUnorm2x16 pack_unorm2x16 Fixed(&[Type::VEC2], Type::U32), Pure, meaning Pack; "Two floats in [0, 1] as unsigned 16-bit fractions."
        PackHalf2x16 pack_half2x16 Fixed(&[Type::VEC2], Type::U32), Pure, meaning Pack; "Two floats as binary16."
        PackSnorm4x8 pack_snorm4x8 Fixed(&[Type::VEC4], Type::U32), Pure, meaning Pack; "Four floats in [-1, 1] as signed 8-bit fractions."
        PackUnorm4x8 pack_unorm4x8 Fixed(&[Type::VEC4], Type::U32), Pure, meaning Pack; "Four floats in [0, 1] as unsigned 8-bit fractions."
        PackDouble2x32 pack_double2x32 PackDouble, Pure, meaning Pack; "Two words as a binary64, low word first."
        UnpackSnorm2x16 unpack_snorm2x16 Fixed(&[Type::U32], Type::VEC2), Pure, meaning Pack; "The reverse of `pack_snorm2x16`."
        UnpackUnorm2x16 unpack_unorm2x16 Fixed(&[Type::U32], Type::VEC2), Pure, meaning Pack; "The reverse of `pack_unorm2x16`."
        UnpackHalf2x16 unpack_half2x16 Fixed(&[Type::U32], Type::VEC2), Pure, meaning Pack; "The reverse of `pack_half2x16`."
        UnpackSnorm4x8 unpack_snorm4x8 Fixed(&[Type::U32], Type::VEC4), Pure, meaning Pack; "The reverse of `pack_snorm4x8`."
        UnpackUnorm4x8 unpack_unorm4x8 Fixed(&[Type::U32], Type::VEC4), Pure, meaning Pack; "The reverse of `pack_unorm4x8`."
        UnpackDouble2x32 unpack_double2x32 UnpackDouble, Pure, meaning Pack; "A binary64 as two words, low word first."
        Dfdx dfdx Same(FLOAT, 1), Quad; "Change along x over the quad."
        Dfdy dfdy Same(FLOAT, 1), Quad; "Change along y over the quad."
        Fwidth fwidth Same(FLOAT, 1), Quad; "`abs(dfdx(x)) + abs(dfdy(x))`."
        DfdxFine dfdx_fine Same(FLOAT, 1), Quad; "Change along x over this row of the quad."
        DfdyFine dfdy_fine Same(FLOAT, 1), Quad; "Change along y over this column of the quad."
        FwidthFine fwidth_fine Same(FLOAT, 1), Quad; "`abs(dfdx_fine(x)) + abs(dfdy_fine(x))`."
        DfdxCoarse dfdx_coarse Same(FLOAT, 1), Quad; "Change along x, one for the quad."
        DfdyCoarse dfdy_coarse Same(FLOAT, 1), Quad; "Change along y, one for the quad."
        FwidthCoarse fwidth_coarse Same(FLOAT, 1), Quad; "`abs(dfdx_coarse(x)) + abs(dfdy_coarse(x))`."
    }
    Binary {
        Add add Same(NUMERIC_MATRIX, 2), Pure, imm Order, commutative true; "`x + y`; integers wrap."
        Subtract subtract Same(NUMERIC_MATRIX, 2), Pure, imm Order; "`x - y`; integers wrap."
        Multiply multiply Same(NUMERIC, 2), Pure, imm Order, commutative true; "`x * y`, componentwise; integers wrap."
        Divide divide Same(NUMERIC_MATRIX, 2), Pure, imm Guard; "`x / y`, componentwise. Integers: `x / 0` is `x`, the least integer / -1 is itself."
        Remainder remainder Same(INTEGER, 2), Pure, imm Guard; "`x % y` with the sign of x; `x % 0` is 0."
        DivideTrapping divide_trapping Same(WORD, 2), MayTrap, meaning TrappingDivision; "`x / y`; traps if y is 0 or the quotient does not fit."
        RemainderTrapping remainder_trapping Same(WORD, 2), MayTrap, meaning TrappingDivision; "`x % y` with the sign of x; traps if y is 0."
        MatrixComponentMultiply matrix_component_multiply Same(Domain::MATRIX, 2), Pure, commutative true; "Product of corresponding components."
        MatrixTimesScalar matrix_times_scalar MatrixTimesScalar, Pure; "Every component times a scalar."
        MatrixTimesVector matrix_times_vector MatrixTimesVector, Pure, meaning Algebra; "Linear transformation of a column vector."
        VectorTimesMatrix vector_times_matrix VectorTimesMatrix, Pure, meaning Algebra; "Linear transformation of a row vector."
        MatrixTimesMatrix matrix_times_matrix MatrixTimesMatrix, Pure, meaning Algebra; "Product of linear transformations."
        OuterProduct outer_product OuterProduct, Pure, meaning Algebra; "Column vector times row vector."
        LogicalAnd logical_and Same(BOOL, 2), Pure, commutative true; "Both; both operands are evaluated."
        LogicalOr logical_or Same(BOOL, 2), Pure, commutative true; "At least one; both operands are evaluated."
        LogicalXor logical_xor Same(BOOL, 2), Pure, commutative true; "Exactly one."
        BitwiseAnd bitwise_and Same(INTEGER, 2), Pure, commutative true; "`x & y`."
        BitwiseOr bitwise_or Same(INTEGER, 2), Pure, commutative true; "`x | y`."
        BitwiseXor bitwise_xor Same(INTEGER, 2), Pure, commutative true; "`x ^ y`."
        ShiftLeft shift_left Shift, Pure, imm Guard; "`x << y`, y taken modulo the width."
        ShiftRight shift_right Shift, Pure, imm Guard; "`x >> y`, y taken modulo the width; copies the sign of a signed x."
        RotateLeft rotate_left Shift, Pure; "Bits rotated upwards, y taken modulo the width."
        RotateRight rotate_right Shift, Pure; "Bits rotated downwards, y taken modulo the width."
        Atan2 atan2 Same(FLOAT, 2), Pure, meaning Transcendental; "Angle of the point (y's operand 1, operand 0), in [-pi, pi]."
        Hypot hypot Same(FLOAT, 2), Pure; "`sqrt(x * x + y * y)` without undue overflow or underflow."
        Pow pow Same(FLOAT, 2), Pure, imm Guard, meaning Transcendental; "x to the power y; NaN for negative x, as GLSL leaves it undefined."
        Mod mod Same(FLOAT, 2), Pure; "`x - y * floor(x / y)`."
        Min min Same(NUMERIC, 2), Pure, imm Order; "`y < x ? y : x`."
        Max max Same(NUMERIC, 2), Pure, imm Order; "`x < y ? y : x`."
        Minimum minimum Same(FLOAT, 2), Pure, commutative true; "IEEE 754-2019 minimum: NaN if either is, -0 below +0."
        Maximum maximum Same(FLOAT, 2), Pure, commutative true; "IEEE 754-2019 maximum: NaN if either is, -0 below +0."
        CopySign copy_sign Same(FLOAT, 2), Pure; "x with the sign of y."
        Step step Same(FLOAT, 2), Pure; "`x < edge ? 0 : 1`; operand 0 is the edge."
        Distance distance ToScalar(2), Pure, meaning Algebra; "`length(x - y)`."
        Dot dot ToScalar(2), Pure, commutative true, meaning Algebra; "Sum of the products of components, added from the first on."
        Cross cross Cross, Pure, meaning Algebra; "Cross product of two vectors of three."
        Reflect reflect Same(FLOAT, 2), Pure, meaning Algebra; "`I - 2 * dot(N, I) * N`."
        Ldexp ldexp Ldexp, Pure; "`x * 2^exponent`."
    }
    Compare {
        Equal equal Compare(VALUE), Pure, commutative true; "`x == y`, componentwise; NaN is not equal."
        NotEqual not_equal Compare(VALUE), Pure, commutative true; "`x != y`, componentwise; NaN is."
        LessThan less_than Compare(NUMERIC), Pure; "`x < y`, componentwise; false for NaN."
        LessThanEqual less_than_equal Compare(NUMERIC), Pure; "`x <= y`, componentwise; false for NaN."
        GreaterThan greater_than Compare(NUMERIC), Pure; "`x > y`, componentwise; false for NaN."
        GreaterThanEqual greater_than_equal Compare(NUMERIC), Pure; "`x >= y`, componentwise; false for NaN."
        AggregateEqual aggregate_equal AggregateEqual, Pure, commutative true, meaning AggregateEqual; "Whether all components of two matrices, arrays or structs are equal."
    }
    BuiltIn {
        Clamp clamp Same(NUMERIC, 3), Pure; "`min(max(x, low), high)`."
        Mix mix Same(FLOAT, 3), Pure; "`x * (1 - a) + y * a`."
        SmoothStep smooth_step Same(FLOAT, 3), Pure; "Hermite interpolation of operand 2 between the edges."
        Fma fma Same(FLOAT, 3), Pure; "`a * b + c`, rounded once."
        MultiplyAdd multiply_add Same(NUMERIC, 3), Pure; "`a * b + c`, rounded after each step; integers wrap."
        Lerp lerp Same(FLOAT, 3), Pure; "`(y - x) * a + x`, rounded after each step."
        FaceForward face_forward Same(FLOAT, 3), Pure, meaning Algebra; "`dot(Nref, I) < 0 ? N : -N`."
        Refract refract Refract, Pure, meaning Algebra; "Refraction of I at N with the ratio eta (a scalar)."
        BitfieldExtract bitfield_extract BitfieldExtract, Pure, imm Guard; "`bits` bits from `offset` on, sign-extended if signed; 0 if the field does not lie within the word and is empty."
        BitfieldInsert bitfield_insert BitfieldInsert, Pure, imm Guard; "The base with `bits` bits from `offset` on replaced."
        AddCarry add_carry TwoWords, Pure, meaning TwoWords; "Sum modulo 2^32 and the carry."
        SubtractBorrow subtract_borrow TwoWords, Pure, meaning TwoWords; "Difference modulo 2^32 and the borrow."
        MultiplyExtended multiply_extended TwoWords, Pure, meaning TwoWords; "High and low words of the product."
        Frexp frexp Frexp, Pure, meaning SplitFloat; "Significand in [0.5, 1) and exponent."
        Modf modf Modf, Pure, meaning SplitFloat; "Fraction and whole part, both with the sign of x."
        Select select Select, Pure, relations CHOICE; "Operand 1 where operand 0 is true, else operand 2; with a boolean vector, componentwise."
        RgbToYuv rgb_to_yuv Fixed(&[Type::VEC3, Type::YUV_CSC], Type::VEC3), Pure, meaning Yuv; "`rgb_2_yuv`."
        YuvToRgb yuv_to_rgb Fixed(&[Type::VEC3, Type::YUV_CSC], Type::VEC3), Pure, meaning Yuv; "`yuv_2_rgb`."
    }
    Construct {
        ConstructScalarFromScalar construct_scalar_from_scalar ConvertScalar, Pure, imm Conversion, relations NONE; "Conversion. Float to integer truncates and saturates, NaN gives 0 (`open`: a target may give anything there); to `bool` is `x != 0`; wider to narrower integers drops bits."
        ConstructVectorFromScalar construct_vector_from_scalar Splat, Pure, imm Conversion; "A vector whose components are all the (converted) scalar."
        ConstructVectorFromMultiple construct_vector_from_multiple VectorFromParts, Pure, imm Conversion; "A vector of the components of the operands in order, converted; what is left over of the last is dropped."
        ConstructMatrixFromScalar construct_matrix_from_scalar MatrixFromScalar, Pure; "The scalar on the diagonal, 0 elsewhere."
        ConstructMatrixFromMatrix construct_matrix_from_matrix MatrixFromMatrix, Pure; "The part that both have, the identity elsewhere."
        ConstructMatrixFromMultiple construct_matrix_from_multiple MatrixFromParts, Pure; "The components of the operands in order, by columns, converted."
        ConstructStruct construct_struct StructFromParts, Pure; "A struct of its members."
        ConstructArray construct_array ArrayFromParts, Pure; "An array of its elements."
        Bitcast bitcast Bitcast, Pure, meaning Bitcast, relations NONE; "The same bits as another type of the same width and shape."
        TruncateTrapping truncate_trapping TruncateTrapping, MayTrap, meaning TrappingTruncation; "Float to integer of 32 or 64 bits; traps for NaN and where the result does not fit."
    }
    Extract {
        ExtractVectorComponent extract_vector_component ExtractComponent, Pure, imm Index; "Component at a constant index."
        ExtractVectorComponentMulti extract_vector_component_multi ExtractLanes, Pure, imm Lanes; "A swizzle."
        ExtractVectorComponentDynamic extract_vector_component_dynamic ExtractDynamic, Pure; "Component at an index, clamped to the vector."
        ExtractMatrixColumn extract_matrix_column ExtractDynamic, Pure; "Column at an index, clamped to the matrix."
        ExtractArrayElement extract_array_element ExtractDynamic, Pure; "Element at an index, clamped to the array."
        ExtractStructField extract_struct_field ExtractField, Pure, imm Index; "Member of a struct."
        InsertVectorComponent insert_vector_component InsertComponent, Pure, imm Index, relations INSERT; "The vector with one component replaced."
        InsertVectorComponentDynamic insert_vector_component_dynamic InsertDynamic, Pure, relations INSERT; "The vector with the component at an index (operand 2, clamped) replaced."
        InsertMatrixColumn insert_matrix_column InsertDynamic, Pure, relations INSERT; "The matrix with the column at an index (operand 2, clamped) replaced."
        InsertArrayElement insert_array_element InsertDynamic, Pure, relations INSERT; "The array with the element at an index (operand 2, clamped) replaced."
        InsertStructField insert_struct_field InsertField, Pure, imm Index, relations INSERT; "The struct with one member replaced."
    }
    Access {
        AccessVectorComponent access_vector_component AccessComponent, Pure, imm Index; "Pointer to a component at a constant index."
        AccessVectorComponentMulti access_vector_component_multi AccessLanes, Pure, imm Lanes; "Pointer to a swizzle: loads and stores go to its components in order."
        AccessVectorComponentDynamic access_vector_component_dynamic AccessDynamic, Pure; "Pointer to the component at an index, clamped to the vector."
        AccessMatrixColumn access_matrix_column AccessDynamic, Pure; "Pointer to the column at an index, clamped to the matrix."
        AccessArrayElement access_array_element AccessDynamic, Pure; "Pointer to the element at an index, clamped to the array."
        AccessStructField access_struct_field AccessField, Pure, imm Index; "Pointer to a member."
    }
    Memory {
        Load load Load, Load; "The value behind a pointer."
        Store store Store, Store; "Puts operand 1 behind the pointer."
        Append append Append, Modify, relations STORE; "Adds operand 1 at the end of the growable array behind the pointer: a variable of a function whose type is a runtime-sized array."
        AtomicAdd atomic_add Atomic, Modify; "Adds; gives the old value."
        AtomicMin atomic_min Atomic, Modify; "Minimum; gives the old value."
        AtomicMax atomic_max Atomic, Modify; "Maximum; gives the old value."
        AtomicAnd atomic_and Atomic, Modify; "Bitwise and; gives the old value."
        AtomicOr atomic_or Atomic, Modify; "Bitwise or; gives the old value."
        AtomicXor atomic_xor Atomic, Modify; "Bitwise exclusive or; gives the old value."
        AtomicExchange atomic_exchange Atomic, Modify; "Replaces; gives the old value."
        AtomicCompareExchange atomic_compare_exchange AtomicCompare, Modify; "Replaces by operand 2 if equal to operand 1; gives the old value."
        AtomicCounterLoad atomic_counter_load CounterLoad, Load; "Value of the atomic counter behind the pointer."
        AtomicCounterIncrement atomic_counter_increment CounterLoad, Modify, relations EXTRACT; "Increments the counter; gives the old value."
        AtomicCounterDecrement atomic_counter_decrement CounterLoad, Modify, relations EXTRACT; "Decrements the counter; gives the new value."
    }
    Call {
        Call call Call, Call; "Calls operand 0 with the other operands; gives all its results."
        CallIndirect call_indirect CallIndirect, Call, imm TableType; "Calls the table's element at operand 0 with the other operands; traps if it is null or not of the type."
        TailCall tail_call Call, Call; "As `call`. The block then returns its results, and the caller's frame is given up before the callee begins."
        TailCallIndirect tail_call_indirect CallIndirect, Call, imm TableType; "As `call_indirect`, and `tail_call`."
    }
    Texture {
        CombineSampler combine_sampler CombineSampler, Pure, relations PAIR; "A texture and a sampler as one."
        TextureSample texture_sample TextureSample, Quad, imm Texture; "Sample with the implicit level of detail."
        TextureSampleLod texture_sample_lod TextureSample, Pure, imm Texture; "Sample with a given level of detail."
        TextureSampleGrad texture_sample_grad TextureSample, Pure, imm Texture; "Sample with given derivatives."
        TextureGather texture_gather TextureGather, Pure, imm Texture; "One component of the four texels that a bilinear sample would take."
        TextureFetch texture_fetch TextureFetch, Pure, imm Texture; "The texel at an integer coordinate."
        TextureSize texture_size TextureSize, Pure, imm Texture, relations NONE; "Size in texels (and layers) of a level. The coordinate operand is absent."
        TextureQueryLod texture_query_lod TextureQueryLod, Quad, relations NONE; "The level of detail a sample would take: clamped, and computed."
        TextureQueryLevels texture_query_levels TextureCount, Pure, relations NONE; "Number of levels."
        TextureQuerySamples texture_query_samples TextureCount, Pure, relations NONE; "Number of samples of a texel."
        ImageLoad image_load ImageLoad, ImageLoad, imm Texture; "The texel of a storage image."
        ImageStore image_store ImageStore, ImageStore, imm Texture; "Writes the texel of a storage image (last operand)."
        ImageAtomicAdd image_atomic_add ImageAtomic(1), ImageModify, imm Texture; "Adds to a texel; gives the old value."
        ImageAtomicMin image_atomic_min ImageAtomic(1), ImageModify, imm Texture; "Minimum with a texel; gives the old value."
        ImageAtomicMax image_atomic_max ImageAtomic(1), ImageModify, imm Texture; "Maximum with a texel; gives the old value."
        ImageAtomicAnd image_atomic_and ImageAtomic(1), ImageModify, imm Texture; "Bitwise and with a texel; gives the old value."
        ImageAtomicOr image_atomic_or ImageAtomic(1), ImageModify, imm Texture; "Bitwise or with a texel; gives the old value."
        ImageAtomicXor image_atomic_xor ImageAtomic(1), ImageModify, imm Texture; "Bitwise exclusive or with a texel; gives the old value."
        ImageAtomicExchange image_atomic_exchange ImageAtomic(1), ImageModify, imm Texture; "Replaces a texel; gives the old value."
        ImageAtomicCompareExchange image_atomic_compare_exchange ImageAtomic(2), ImageModify, imm Texture; "Replaces a texel if it is equal to the next to last operand; gives the old value."
        ImageSize image_size ImageSize, Pure, relations NONE; "Size in texels (and layers) of a storage image."
        ImageSamples image_samples TextureCount, Pure, relations NONE; "Number of samples of a texel of a storage image."
    }
    Stage {
        ControlBarrier control_barrier Fixed(&[], Type::VOID), World; "Waits until all invocations of the work group are here."
        MemoryBarrier memory_barrier Fixed(&[], Type::VOID), World, imm Barrier; "Orders memory accesses of the kinds the immediate names."
        EmitVertex emit_vertex Fixed(&[], Type::VOID), World; "Emits a vertex (geometry)."
        EndPrimitive end_primitive Fixed(&[], Type::VOID), World; "Ends a primitive (geometry)."
        Demote demote Fixed(&[], Type::VOID), World; "Discards the fragment's results, but goes on for the derivatives of its neighbours."
        IsHelper is_helper Fixed(&[], Type::BOOL), World; "Whether the fragment's results do not count: it was so from the start, or has been demoted."
        BeginInterlock begin_interlock Fixed(&[], Type::VOID), World; "Waits until no other fragment that the stage's `interlock` names is between this and `end_interlock`."
        EndInterlock end_interlock Fixed(&[], Type::VOID), World; "Lets the next of these fragments go on."
        InterpolateAtCentroid interpolate_at_centroid Interpolate(&[]), Load, relations EXTRACT; "The input at the centroid."
        InterpolateAtSample interpolate_at_sample Interpolate(&[Type::I32]), Load, relations EXTRACT; "The input at a sample."
        InterpolateAtOffset interpolate_at_offset Interpolate(&[Type::VEC2]), Load, relations EXTRACT; "The input at an offset in pixels from the centre."
        ReferenceLoad reference_load ReferenceLoad, World, imm Index; "The number or vector at an address of a buffer, which is a multiple of the immediate."
        ReferenceStore reference_store ReferenceStore, World, imm Index; "Puts a number or vector at an address of a buffer, which is a multiple of the immediate."
        ReferenceAtomicAdd reference_atomic_add ReferenceAtomic(1), World; "Adds to the number at an address of a buffer; gives the old value."
        ReferenceAtomicMin reference_atomic_min ReferenceAtomic(1), World; "Minimum with the number at an address of a buffer; gives the old value."
        ReferenceAtomicMax reference_atomic_max ReferenceAtomic(1), World; "Maximum with the number at an address of a buffer; gives the old value."
        ReferenceAtomicAnd reference_atomic_and ReferenceAtomic(1), World; "Bitwise and with the number at an address of a buffer; gives the old value."
        ReferenceAtomicOr reference_atomic_or ReferenceAtomic(1), World; "Bitwise or with the number at an address of a buffer; gives the old value."
        ReferenceAtomicXor reference_atomic_xor ReferenceAtomic(1), World; "Bitwise exclusive or with the number at an address of a buffer; gives the old value."
        ReferenceAtomicExchange reference_atomic_exchange ReferenceAtomic(1), World; "Replaces the number at an address of a buffer; gives the old value."
        ReferenceAtomicCompareExchange reference_atomic_compare_exchange ReferenceAtomic(2), World; "Replaces the number at an address of a buffer if it is equal to operand 1; gives the old value."
        SubpassLoad subpass_load SubpassLoad, Pure, imm Texture, relations EXTRACT; "The fragment's own texel of an input attachment."
    }
    Subgroup {
        SubgroupElect subgroup_elect Fixed(&[], Type::BOOL), Subgroup; "Whether this is the first active invocation of its subgroup."
        SubgroupAll subgroup_all Fixed(&[Type::BOOL], Type::BOOL), Subgroup; "Whether the operand is true in all active invocations."
        SubgroupAny subgroup_any Fixed(&[Type::BOOL], Type::BOOL), Subgroup; "Whether the operand is true in one of the active invocations."
        SubgroupAllEqual subgroup_all_equal SubgroupAllEqual, Subgroup; "Whether all active invocations have equal operands; floats by value."
        SubgroupBroadcast subgroup_broadcast SubgroupMove, Subgroup; "Operand 0 of the invocation whose number operand 1 is, which is the same in all active ones."
        SubgroupBroadcastFirst subgroup_broadcast_first Same(VALUE, 1), Subgroup; "The operand of the first active invocation."
        SubgroupBallot subgroup_ballot Fixed(&[Type::BOOL], Type::UVEC4), Subgroup; "A bit for each invocation: whether it is active and its operand true."
        SubgroupInverseBallot subgroup_inverse_ballot Fixed(&[Type::UVEC4], Type::BOOL), Subgroup; "This invocation's bit of a ballot."
        SubgroupBallotBitExtract subgroup_ballot_bit_extract Fixed(&[Type::UVEC4, Type::U32], Type::BOOL), Subgroup; "The bit of a ballot whose number operand 1 is."
        SubgroupBallotBitCount subgroup_ballot_bit_count Fixed(&[Type::UVEC4], Type::U32), Subgroup, imm Group; "Number of one bits of a ballot, of those that the immediate names."
        SubgroupBallotFindLsb subgroup_ballot_find_lsb Fixed(&[Type::UVEC4], Type::U32), Subgroup; "Number of the lowest one bit of a ballot."
        SubgroupBallotFindMsb subgroup_ballot_find_msb Fixed(&[Type::UVEC4], Type::U32), Subgroup; "Number of the highest one bit of a ballot."
        SubgroupShuffle subgroup_shuffle SubgroupMove, Subgroup; "Operand 0 of the invocation whose number operand 1 is."
        SubgroupShuffleXor subgroup_shuffle_xor SubgroupMove, Subgroup; "Operand 0 of the invocation whose number is this one's exclusive or operand 1."
        SubgroupShuffleUp subgroup_shuffle_up SubgroupMove, Subgroup; "Operand 0 of the invocation whose number is this one's less operand 1."
        SubgroupShuffleDown subgroup_shuffle_down SubgroupMove, Subgroup; "Operand 0 of the invocation whose number is this one's and operand 1."
        SubgroupAdd subgroup_add Same(NUMERIC, 1), Subgroup, imm Group; "Sum over active invocations; integers wrap, floats are added in an order that is open."
        SubgroupMultiply subgroup_multiply Same(NUMERIC, 1), Subgroup, imm Group; "Product over active invocations; integers wrap."
        SubgroupMin subgroup_min Same(NUMERIC, 1), Subgroup, imm Group; "Minimum over active invocations."
        SubgroupMax subgroup_max Same(NUMERIC, 1), Subgroup, imm Group; "Maximum over active invocations."
        SubgroupAnd subgroup_and Same(INTEGER.or(BOOL), 1), Subgroup, imm Group; "Bitwise or logical and over active invocations."
        SubgroupOr subgroup_or Same(INTEGER.or(BOOL), 1), Subgroup, imm Group; "Bitwise or logical or over active invocations."
        SubgroupXor subgroup_xor Same(INTEGER.or(BOOL), 1), Subgroup, imm Group; "Bitwise or logical exclusive or over active invocations."
        QuadBroadcast quad_broadcast SubgroupMove, Subgroup; "Operand 0 of the invocation of the quad whose number, 0 to 3, operand 1 is."
        QuadSwapHorizontal quad_swap_horizontal Same(VALUE, 1), Subgroup; "The operand of the invocation beside this one in its quad."
        QuadSwapVertical quad_swap_vertical Same(VALUE, 1), Subgroup; "The operand of the invocation above or below this one in its quad."
        QuadSwapDiagonal quad_swap_diagonal Same(VALUE, 1), Subgroup; "The operand of the invocation of the quad that is in another row and column."
        SubgroupBarrier subgroup_barrier Fixed(&[], Type::VOID), World; "Waits until all active invocations of the subgroup are here, and orders their memory accesses."
    }
    Machine {
        MemoryLoad memory_load MemoryLoad, MemoryLoad, imm MemArg; "Loads a scalar of the access width from a byte address, extended to the result type."
        MemoryStore memory_store MemoryStore, MemoryStore, imm MemArg; "Stores the low bits of operand 1 at a byte address."
        MemorySize memory_size Fixed(&[], Type::I32), MemoryLoad, imm Pair, relations NONE; "Size of a memory in pages of 64 KiB."
        MemoryGrow memory_grow Fixed(&[Type::I32], Type::I32), MemoryModify, imm Pair, relations NONE; "Grows a memory by pages; gives the old size, or -1."
        MemoryFill memory_fill Fixed(&[Type::I32, Type::I32, Type::I32], Type::VOID), MemoryModify, imm Pair; "Address, byte, length."
        MemoryCopy memory_copy Fixed(&[Type::I32, Type::I32, Type::I32], Type::VOID), MemoryModify, imm Pair, relations NAMED_COPY; "Destination, source, length; low: destination memory, high: source memory."
        MemoryInit memory_init Fixed(&[Type::I32, Type::I32, Type::I32], Type::VOID), MemoryModify, imm Pair, relations NAMED_COPY; "Destination, offset in the segment, length; low: memory, high: data segment."
        DataDrop data_drop Fixed(&[], Type::VOID), World, imm Pair; "Frees a data segment."
        TableGet table_get TableGet, TableLoad, imm Pair; "The reference at an index."
        TableSet table_set TableSet, TableStore, imm Pair; "Puts a reference at an index."
        TableSize table_size Fixed(&[], Type::I32), TableLoad, imm Pair, relations NONE; "Number of elements."
        TableGrow table_grow TableGrow, TableStore, imm Pair; "Grows by operand 1 copies of operand 0; gives the old size, or -1."
        TableFill table_fill TableFill, TableStore, imm Pair; "Index, reference, length."
        TableCopy table_copy Fixed(&[Type::I32, Type::I32, Type::I32], Type::VOID), TableStore, imm Pair, relations NAMED_COPY; "Destination, source, length; low: destination table, high: source table."
        TableInit table_init Fixed(&[Type::I32, Type::I32, Type::I32], Type::VOID), TableStore, imm Pair, relations NAMED_COPY; "Destination, offset in the segment, length; low: table, high: element segment."
        ElemDrop elem_drop Fixed(&[], Type::VOID), World, imm Pair; "Frees an element segment."
        RefFunc ref_func RefFunc, Pure; "A function as `funcref`."
        RefIsNull ref_is_null RefIsNull, Pure; "Whether a reference is null."
    }
    Simd {
        SimdSplat simd_splat SimdSplat, Pure, imm Shape; "All lanes hold the scalar (its low bits)."
        SimdLow simd_low SimdLow, Pure; "The scalar in the low bits, 0 above."
        SimdExtract simd_extract SimdExtract, Pure, imm Lane; "One lane as a scalar, narrow ones extended by the shape's sign."
        SimdInsert simd_insert SimdInsert, Pure, imm Lane; "The value with one lane replaced by (the low bits of) the scalar."
        SimdShuffle simd_shuffle Simd(3), Pure; "Bytes out of operand 0 (numbers 0 to 15) and operand 1 (16 to 31), as the bytes of operand 2, a constant, say."
        SimdSwizzle simd_swizzle Simd(2), Pure; "Bytes of operand 0 as the bytes of operand 1 say; 0 where that is above 15."
        SimdNot simd_not Simd(1), Pure; "Every bit flipped."
        SimdAnd simd_and Simd(2), Pure, commutative true; "Bitwise and."
        SimdAndNot simd_and_not Simd(2), Pure; "Bitwise and of operand 0 with operand 1 flipped."
        SimdOr simd_or Simd(2), Pure, commutative true; "Bitwise or."
        SimdXor simd_xor Simd(2), Pure, commutative true; "Bitwise exclusive or."
        SimdSelect simd_select Simd(3), Pure; "Bits of operand 0 where operand 2 has ones, of operand 1 where it has zeros."
        SimdAnyTrue simd_any_true SimdToI32, Pure; "1 if a bit is set, else 0."
        SimdAllTrue simd_all_true SimdToI32, Pure, imm Shape; "1 if no lane is 0, else 0."
        SimdBitmask simd_bitmask SimdToI32, Pure, imm Shape; "The highest bits of the lanes, lane 0 lowest."
        SimdEqual simd_equal Simd(2), Pure, imm Shape, commutative true; "Ones in the lanes that are equal."
        SimdNotEqual simd_not_equal Simd(2), Pure, imm Shape, commutative true; "Ones in the lanes that are not equal."
        SimdLessThan simd_less_than Simd(2), Pure, imm Shape; "Ones in the lanes where x < y."
        SimdLessThanEqual simd_less_than_equal Simd(2), Pure, imm Shape; "Ones in the lanes where x <= y."
        SimdGreaterThan simd_greater_than Simd(2), Pure, imm Shape; "Ones in the lanes where x > y."
        SimdGreaterThanEqual simd_greater_than_equal Simd(2), Pure, imm Shape; "Ones in the lanes where x >= y."
        SimdAbs simd_abs Simd(1), Pure, imm Shape; "Absolute values; floats lose their sign bit."
        SimdNegate simd_negate Simd(1), Pure, imm Shape; "Negated lanes; floats flip their sign bit."
        SimdBitCount simd_bit_count Simd(1), Pure, imm Shape; "Number of one bits of each lane."
        SimdAdd simd_add Simd(2), Pure, imm Shape, commutative true; "Sums; integers wrap."
        SimdSubtract simd_subtract Simd(2), Pure, imm Shape; "Differences; integers wrap."
        SimdMultiply simd_multiply Simd(2), Pure, imm Shape, commutative true; "Products; integers wrap."
        SimdDivide simd_divide Simd(2), Pure, imm Shape; "Quotients of floats."
        SimdAddSaturate simd_add_saturate Simd(2), Pure, imm Shape, commutative true; "Sums, the nearest value where they do not fit."
        SimdSubtractSaturate simd_subtract_saturate Simd(2), Pure, imm Shape; "Differences, the nearest value where they do not fit."
        SimdMin simd_min Simd(2), Pure, imm Shape; "Minima; of floats as `minimum`."
        SimdMax simd_max Simd(2), Pure, imm Shape; "Maxima; of floats as `maximum`."
        SimdPseudoMin simd_pseudo_min Simd(2), Pure, imm Shape; "`y < x ? y : x` of floats."
        SimdPseudoMax simd_pseudo_max Simd(2), Pure, imm Shape; "`x < y ? y : x` of floats."
        SimdAverage simd_average Simd(2), Pure, imm Shape, commutative true; "`(x + y + 1) / 2` of unsigned integers, without overflow."
        SimdShiftLeft simd_shift_left SimdShift, Pure, imm Shape; "Every lane shifted up by the `i32`, taken modulo the width."
        SimdShiftRight simd_shift_right SimdShift, Pure, imm Shape; "Every lane shifted down by the `i32`, taken modulo the width, copying the sign of signed lanes."
        SimdNarrow simd_narrow Simd(2), Pure, imm Shape; "The signed lanes of twice the width of both operands, saturated to the lanes of the shape."
        SimdExtendLow simd_extend_low Simd(1), Pure, imm Shape; "The lower half of the lanes of half the width, extended to the lanes of the shape."
        SimdExtendHigh simd_extend_high Simd(1), Pure, imm Shape; "The upper half of the lanes of half the width, extended to the lanes of the shape."
        SimdMultiplyLow simd_multiply_low Simd(2), Pure, imm Shape; "Products of the lower halves, extended to the lanes of the shape."
        SimdMultiplyHigh simd_multiply_high Simd(2), Pure, imm Shape; "Products of the upper halves, extended to the lanes of the shape."
        SimdAddPairs simd_add_pairs Simd(1), Pure, imm Shape; "Sums of neighbouring lanes of half the width, extended to the lanes of the shape."
        SimdDot simd_dot Simd(2), Pure; "Sums of neighbouring products of signed 16-bit lanes, as `i32x4`."
        SimdMultiplyQ15 simd_multiply_q15 Simd(2), Pure, commutative true; "Products of fixed-point numbers in [-1, 1), rounded and saturated, in signed 16-bit lanes."
        SimdSqrt simd_sqrt Simd(1), Pure, imm Shape; "Square roots."
        SimdCeil simd_ceil Simd(1), Pure, imm Shape; "Rounds up."
        SimdFloor simd_floor Simd(1), Pure, imm Shape; "Rounds down."
        SimdTrunc simd_trunc Simd(1), Pure, imm Shape; "Rounds towards zero."
        SimdRoundEven simd_round_even Simd(1), Pure, imm Shape; "Rounds to nearest, halfway cases to even."
        SimdConvert simd_convert Simd(1), Pure, imm Shape; "The 32-bit integers of the shape to `f32x4`."
        SimdConvertLow simd_convert_low Simd(1), Pure, imm Shape; "The two lower 32-bit integers of the shape to `f64x2`."
        SimdTruncate simd_truncate Simd(1), Pure, imm Shape; "`f32x4` to the 32-bit integers of the shape, truncated and saturated; NaN gives 0."
        SimdTruncateLow simd_truncate_low Simd(1), Pure, imm Shape; "`f64x2` to the two lower 32-bit integers of the shape, truncated and saturated; 0 above."
        SimdDemote simd_demote Simd(1), Pure; "`f64x2` to the two lower lanes of `f32x4`; 0 above."
        SimdPromote simd_promote Simd(1), Pure; "The two lower lanes of `f32x4` to `f64x2`."
    }
    Token {
        NewToken new_token NewToken, NewToken; "A token unlike any other, above all that were made before."
        TokenEqual token_equal TokenCompare, Pure, commutative true; "Whether two tokens are the same."
        TokenLess token_less TokenCompare, Pure; "Whether the first was made before the second."
    }
    Custom {
        Custom custom Custom, Pure, imm Custom; "An op of the user's own: a pure function of its operands."
        CustomTrapping custom_trapping Custom, MayTrap, imm Custom; "As `custom`; it may trap instead of giving a result."
        CustomOrdered custom_ordered Custom, World, imm Custom; "As `custom`, with effects: ordered with everything that has one."
    }
}

/// Every op there is.
impl Op {
    /// All ops in the order of the table.
    pub fn all() -> impl Iterator<Item = Op> {
        OPS.iter().map(|row| row.op)
    }
}
