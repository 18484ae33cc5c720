//! Functions on vectors of 128 bits: for each op and shape of lanes one of the prelude.
//!
//! They are written once for both forms of a vector: the vector extensions of GCC and Clang, whose operators work on all lanes, and a
//! structure with an array of lanes, in loops, for all other compilers. `LANE(x, i)` is a lane in both.

use std::sync::LazyLock;

use planish_ir::ops::{Class, LaneShape, Op};
use planish_ir::types::Scalar;
use rustc_hash::FxHashMap;

use crate::helpers::Helper;

use LaneShape::{F32x4, F64x2, I8x16, I16x8, I32x4, I64x2, U8x16, U16x8, U32x4, U64x2};

/// Every function on vectors, after the types that it needs.
pub(crate) static HELPERS: LazyLock<Vec<Helper>> = LazyLock::new(|| {
    let mut all = vec![Helper { name: "v128", needs: &[], text: TYPES }];
    all.extend(FIXED.iter().map(|&(name, needs, text)| Helper { name, needs, text }));
    for &op in OPS.iter() {
        all.extend(op.lane_shapes().iter().filter_map(|&shape| of_shape(op, shape)));
    }
    all
});

/// The name of the function of an op on lanes of a shape; `None` if C has none.
pub(crate) fn name(op: Op, shape: LaneShape) -> Option<&'static str> {
    static NAMES: LazyLock<FxHashMap<String, &'static str>> =
        LazyLock::new(|| HELPERS.iter().map(|helper| (helper.name.to_owned(), helper.name)).collect());
    let text = match op.lane_shapes() {
        [] => format!("v128_{}", plain(op)),
        _ => format!("{}_{}", plain(op), shape.name()),
    };
    NAMES.get(&text).copied()
}

/// The name of an op without `simd_`.
fn plain(op: Op) -> &'static str {
    op.text().trim_start_matches("simd_")
}

/// Ops with an immediate shape.
static OPS: LazyLock<Vec<Op>> =
    LazyLock::new(|| Op::all().filter(|op| op.info().class == Class::Simd && !op.lane_shapes().is_empty()).collect());

const TYPES: &str = "\
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error \"vectors are written for processors whose numbers begin with their lowest byte\"
#endif
/* Vectors of 128 bits: the compiler's own, or structures of lanes. */
#if defined(__GNUC__) && !defined(PLANISH_PORTABLE_VECTORS)
#define VECTOR_OPERATORS
#define LANES(scalar, name, count) typedef scalar name __attribute__((vector_size(16)))
#define LANE(x, i) (x)[i]
#else
#define LANES(scalar, name, count) typedef struct name { scalar lane[count]; } name
#define LANE(x, i) (x).lane[i]
#endif
LANES(uint8_t, v128, 16);
LANES(int8_t, i8x16, 16);
LANES(uint8_t, u8x16, 16);
LANES(int16_t, i16x8, 8);
LANES(uint16_t, u16x8, 8);
LANES(int32_t, i32x4, 4);
LANES(uint32_t, u32x4, 4);
LANES(int64_t, i64x2, 2);
LANES(uint64_t, u64x2, 2);
LANES(float, f32x4, 4);
LANES(double, f64x2, 2);
/* The bits of a vector as another. */
#define AS(type, to, from) \\
    type to; \\
    memcpy(&to, &(from), sizeof to)
";

type Fixed = (&'static str, &'static [&'static str], &'static str);

/// A function of bits.
macro_rules! bits {
    ($name:literal, $native:literal, $lane:literal) => {
        concat!(
            "static inline v128 ",
            $name,
            "(v128 a, v128 b) {\n#ifdef VECTOR_OPERATORS\n    return ",
            $native,
            ";\n#else\n    AS(u64x2, x, a);\n    AS(u64x2, y, b);\n    for (int i = 0; i < 2; i++) LANE(x, i) = ",
            $lane,
            ";\n    AS(v128, r, x);\n    return r;\n#endif\n}\n"
        )
    };
}

/// Functions of one shape, and those that make vectors.
const FIXED: &[Fixed] = &[
    ("v128_of", &["v128"], "\
/* A vector of its halves. */
static inline v128 v128_of(uint64_t low, uint64_t high) {
    u64x2 x;
    LANE(x, 0) = low;
    LANE(x, 1) = high;
    AS(v128, r, x);
    return r;
}
"),
    ("v128_read", &["v128"], "\
static inline v128 v128_read(const void *from) {
    v128 r;
    memcpy(&r, from, sizeof r);
    return r;
}
"),
    ("v128_write", &["v128"], "\
static inline void v128_write(void *to, v128 x) {
    memcpy(to, &x, sizeof x);
}
"),
    ("load_v128", &["v128_read", "place_of"], "\
static inline v128 load_v128(const planish_memory *memory, uint64_t address, const char *function, uint32_t line,
                             uint32_t column) {
    return v128_read(place_of(memory, address, 16u, function, line, column));
}
"),
    ("store_v128", &["v128_write", "place_of"], "\
static inline void store_v128(const planish_memory *memory, uint64_t address, v128 x, const char *function, uint32_t line,
                              uint32_t column) {
    v128_write(place_of(memory, address, 16u, function, line, column), x);
}
"),
    ("v128_low_u32", &["v128_of"], "\
static inline v128 v128_low_u32(uint32_t x) {
    return v128_of(x, 0u);
}
"),
    ("v128_low_u64", &["v128_of"], "\
static inline v128 v128_low_u64(uint64_t x) {
    return v128_of(x, 0u);
}
"),
    ("v128_shuffle", &["v128"], "\
/* Bytes of two vectors, by their numbers. */
static inline v128 v128_shuffle(v128 x, v128 y, v128 which) {
#if defined(VECTOR_OPERATORS) && !defined(__clang__)
    return __builtin_shuffle(x, y, which);
#else
    v128 r;
    for (int i = 0; i < 16; i++) {
        int at = LANE(which, i) & 31;
        LANE(r, i) = at < 16 ? LANE(x, at & 15) : LANE(y, at & 15);
    }
    return r;
#endif
}
"),
    ("v128_swizzle", &["v128"], "\
/* Bytes by their numbers; 0 for those beyond 15. */
static inline v128 v128_swizzle(v128 x, v128 which) {
    v128 r;
    for (int i = 0; i < 16; i++) LANE(r, i) = LANE(which, i) < 16 ? LANE(x, LANE(which, i) & 15) : (uint8_t)0;
    return r;
}
"),
    ("v128_not", &["v128"], "\
static inline v128 v128_not(v128 a) {
#ifdef VECTOR_OPERATORS
    return ~a;
#else
    AS(u64x2, x, a);
    for (int i = 0; i < 2; i++) LANE(x, i) = ~LANE(x, i);
    AS(v128, r, x);
    return r;
#endif
}
"),
    ("v128_and", &["v128"], bits!("v128_and", "a & b", "LANE(x, i) & LANE(y, i)")),
    ("v128_and_not", &["v128"], bits!("v128_and_not", "a & ~b", "LANE(x, i) & ~LANE(y, i)")),
    ("v128_or", &["v128"], bits!("v128_or", "a | b", "LANE(x, i) | LANE(y, i)")),
    ("v128_xor", &["v128"], bits!("v128_xor", "a ^ b", "LANE(x, i) ^ LANE(y, i)")),
    ("v128_select", &["v128_and", "v128_and_not", "v128_or"], "\
/* Bits of a where the mask has ones, of b elsewhere. */
static inline v128 v128_select(v128 a, v128 b, v128 mask) {
    return v128_or(v128_and(a, mask), v128_and_not(b, mask));
}
"),
    ("v128_any_true", &["v128"], "\
static inline int32_t v128_any_true(v128 a) {
    AS(u64x2, x, a);
    return (LANE(x, 0) | LANE(x, 1)) != 0u;
}
"),
    ("v128_dot", &["v128"], "\
static inline v128 v128_dot(v128 a, v128 b) {
    AS(i16x8, x, a);
    AS(i16x8, y, b);
    u32x4 z;
    for (int i = 0; i < 4; i++) {
        LANE(z, i) = (uint32_t)(LANE(x, 2 * i) * LANE(y, 2 * i)) + (uint32_t)(LANE(x, 2 * i + 1) * LANE(y, 2 * i + 1));
    }
    AS(v128, r, z);
    return r;
}
"),
    ("v128_multiply_q15", &["v128"], "\
static inline v128 v128_multiply_q15(v128 a, v128 b) {
    AS(i16x8, x, a);
    AS(i16x8, y, b);
    for (int i = 0; i < 8; i++) {
        int32_t z = (LANE(x, i) * LANE(y, i) + 0x4000) >> 15;
        LANE(x, i) = (int16_t)(z > 32767 ? 32767 : z);
    }
    AS(v128, r, x);
    return r;
}
"),
    ("v128_demote", &["v128"], "\
static inline v128 v128_demote(v128 a) {
    AS(f64x2, x, a);
    f32x4 y;
    for (int i = 0; i < 2; i++) LANE(y, i) = (float)LANE(x, i);
    LANE(y, 2) = LANE(y, 3) = 0.0f;
    AS(v128, r, y);
    return r;
}
"),
    ("v128_promote", &["v128"], "\
static inline v128 v128_promote(v128 a) {
    AS(f32x4, x, a);
    f64x2 y;
    for (int i = 0; i < 2; i++) LANE(y, i) = (double)LANE(x, i);
    AS(v128, r, y);
    return r;
}
"),
    ("canonical_f32x4", &["v128"], "\
/* A computed NaN has the bits of NAN. */
static inline v128 canonical_f32x4(v128 a) {
    AS(f32x4, x, a);
    for (int i = 0; i < 4; i++) LANE(x, i) = LANE(x, i) == LANE(x, i) ? LANE(x, i) : NAN;
    AS(v128, r, x);
    return r;
}
"),
    ("canonical_f64x2", &["v128"], "\
/* A computed NaN has the bits of NAN. */
static inline v128 canonical_f64x2(v128 a) {
    AS(f64x2, x, a);
    for (int i = 0; i < 2; i++) LANE(x, i) = LANE(x, i) == LANE(x, i) ? LANE(x, i) : (double)NAN;
    AS(v128, r, x);
    return r;
}
"),
];

/// The type of a lane.
fn scalar(shape: LaneShape) -> &'static str {
    match shape {
        I8x16 => "int8_t",
        U8x16 => "uint8_t",
        I16x8 => "int16_t",
        U16x8 => "uint16_t",
        I32x4 => "int32_t",
        U32x4 => "uint32_t",
        I64x2 => "int64_t",
        U64x2 => "uint64_t",
        F32x4 => "float",
        F64x2 => "double",
    }
}

/// Lanes of a width as integers.
fn integers(bits: u32, is_signed: bool) -> LaneShape {
    let [signed, unsigned] = match bits {
        8 => [I8x16, U8x16],
        16 => [I16x8, U16x8],
        32 => [I32x4, U32x4],
        _ => [I64x2, U64x2],
    };
    if is_signed { signed } else { unsigned }
}

/// The type of a scalar that a lane is as a value.
fn value_type(shape: LaneShape) -> &'static str {
    match shape.scalar() {
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::I64 => "int64_t",
        _ => "int32_t",
    }
}

/// A function under construction: vectors `a` and `b` as `x` and `y` of lanes, and the result `z`, of others.
struct Lanes {
    /// Name of the function.
    name: String,
    /// Number of vectors that it takes.
    count: usize,
    /// Further parameters.
    more: &'static str,
    /// Lanes of the operands.
    from: LaneShape,
    /// Lanes of the result.
    to: LaneShape,
    /// The value of lane `i` of the result.
    lane: String,
    /// The same with operators on vectors; empty if there are none.
    native: String,
    needs: &'static [&'static str],
}

impl Lanes {
    fn new(op: Op, shape: LaneShape, count: usize, lane: impl Into<String>) -> Lanes {
        let name = format!("{}_{}", plain(op), shape.name());
        let (from, to) = (shape, shape);
        Lanes { name, count, more: "", from, to, lane: lane.into(), native: String::new(), needs: &["v128"] }
    }

    fn from(self, from: LaneShape) -> Lanes {
        Lanes { from, ..self }
    }

    fn to(self, to: LaneShape) -> Lanes {
        Lanes { to, ..self }
    }

    fn more(self, more: &'static str) -> Lanes {
        Lanes { more, ..self }
    }

    fn needs(self, needs: &'static [&'static str]) -> Lanes {
        Lanes { needs, ..self }
    }

    fn native(self, native: impl Into<String>) -> Lanes {
        Lanes { native: native.into(), ..self }
    }

    fn finish(self) -> Helper {
        let Lanes { name, count, more, from, to, lane, native, needs } = self;
        let params: Vec<&str> = ["v128 a", "v128 b"][..count].to_vec();
        let mut text = format!("static inline v128 {name}({}{more}) {{\n", params.join(", "));
        for (to, of) in [("x", "a"), ("y", "b")].iter().take(count) {
            text.push_str(&format!("    AS({}, {to}, {of});\n", from.name()));
        }
        let kind = scalar(to);
        let body = format!(
            "    {} z;\n    for (int i = 0; i < {}; i++) LANE(z, i) = ({kind})({lane});\n    AS(v128, r, z);\n    return r;\n",
            to.name(),
            to.lanes()
        );
        match native.is_empty() {
            true => text.push_str(&body),
            false => {
                text.push_str(&format!("#ifdef VECTOR_OPERATORS\n    return (v128)({native});\n#else\n{body}#endif\n"))
            }
        }
        text.push_str("}\n");
        Helper { name: name.leak(), needs, text: text.leak() }
    }
}

/// The comparison that an op does.
fn comparison(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::SimdEqual => "==",
        Op::SimdNotEqual => "!=",
        Op::SimdLessThan => "<",
        Op::SimdLessThanEqual => "<=",
        Op::SimdGreaterThan => ">",
        Op::SimdGreaterThanEqual => ">=",
        _ => return None,
    })
}

/// The function of an op on lanes of a shape.
fn of_shape(op: Op, shape: LaneShape) -> Option<Helper> {
    if let Some(helper) = with_scalars(op, shape) {
        return Some(helper);
    }
    let bits = shape.bits();
    let (signed, unsigned) = (integers(bits, true), integers(bits, false));
    let half = |bits: u32| integers(bits / 2, shape.is_signed());
    let of = |count, lane: &str| Lanes::new(op, shape, count, lane);
    // Narrow lanes are computed as `int`, of which products may be too large.
    let wide = if bits == 64 { "uint64_t" } else { "uint32_t" };
    if let Some(text) = comparison(op) {
        let lane = format!("LANE(x, i) {text} LANE(y, i) ? -1 : 0");
        return Some(of(2, &lane).to(signed).native(format!("x {text} y")).finish());
    }
    if shape.is_float() {
        return floats(op, shape);
    }
    let name = signed.name();
    Some(match op {
        Op::SimdAbs => {
            of(1, "LANE(x, i) < 0 ? 0u - (WIDE)LANE(x, i) : (WIDE)LANE(x, i)".replace("WIDE", wide).as_str())
                .native(format!(
                    "((({0})x ^ ({0})(x >> ({1}){2})) - ({0})(x >> ({1}){2}))",
                    unsigned.name(),
                    scalar(signed),
                    bits - 1
                ))
                .to(unsigned)
                .finish()
        }
        Op::SimdNegate => of(1, "0u - LANE(x, i)").from(unsigned).to(unsigned).native("-x").finish(),
        Op::SimdBitCount => of(1, "ones_u32(LANE(x, i))").from(U8x16).needs(&["v128", "ones_u32"]).finish(),
        Op::SimdAdd | Op::SimdSubtract | Op::SimdMultiply => {
            let text = match op {
                Op::SimdAdd => "+",
                Op::SimdSubtract => "-",
                _ => "*",
            };
            let lane = format!("({wide})LANE(x, i) {text} ({wide})LANE(y, i)");
            of(2, &lane).from(unsigned).to(unsigned).native(format!("x {text} y")).finish()
        }
        Op::SimdAddSaturate | Op::SimdSubtractSaturate => {
            let text = if op == Op::SimdAddSaturate { "+" } else { "-" };
            of(2, &clamped(shape, &format!("LANE(x, i) {text} LANE(y, i)"))).finish()
        }
        Op::SimdMin => {
            of(2, "LANE(x, i) < LANE(y, i) ? LANE(x, i) : LANE(y, i)").native(chosen("x < y", name)).finish()
        }
        Op::SimdMax => {
            of(2, "LANE(x, i) > LANE(y, i) ? LANE(x, i) : LANE(y, i)").native(chosen("x > y", name)).finish()
        }
        Op::SimdAverage => of(2, "(LANE(x, i) + LANE(y, i) + 1) >> 1").finish(),
        Op::SimdShiftLeft => of(1, &format!("({wide})LANE(x, i) << (n & {})", bits - 1))
            .from(unsigned)
            .to(unsigned)
            .more(", int32_t n")
            .native(format!("x << ({})(n & {})", scalar(unsigned), bits - 1))
            .finish(),
        Op::SimdShiftRight => of(1, &format!("LANE(x, i) >> (n & {})", bits - 1))
            .more(", int32_t n")
            .native(format!("x >> ({})(n & {})", scalar(shape), bits - 1))
            .finish(),
        Op::SimdNarrow => {
            let both =
                format!("(i < {0} ? LANE(x, i & {1}) : LANE(y, i & {1}))", shape.lanes() / 2, shape.lanes() / 2 - 1);
            of(2, &clamped(shape, &both)).from(integers(2 * bits, true)).finish()
        }
        Op::SimdExtendLow => of(1, "LANE(x, i)").from(half(bits)).finish(),
        Op::SimdExtendHigh => of(1, &format!("LANE(x, i + {})", shape.lanes())).from(half(bits)).finish(),
        Op::SimdMultiplyLow => of(2, &product(shape, "i")).from(half(bits)).finish(),
        Op::SimdMultiplyHigh => of(2, &product(shape, &format!("i + {}", shape.lanes()))).from(half(bits)).finish(),
        Op::SimdAddPairs => {
            let lane = format!("({0})LANE(x, 2 * i) + ({0})LANE(x, 2 * i + 1)", scalar(shape));
            of(1, &lane).from(half(bits)).finish()
        }
        Op::SimdConvert => of(1, "(float)LANE(x, i)").to(F32x4).native("__builtin_convertvector(x, f32x4)").finish(),
        Op::SimdConvertLow => of(1, "(double)LANE(x, i)").to(F64x2).finish(),
        Op::SimdTruncate | Op::SimdTruncateLow => {
            let (of_unsigned, needs): (_, &[&str]) = match shape {
                U32x4 => ("to_u32", &["v128", "to_u32"]),
                _ => ("to_i32", &["v128", "to_i32"]),
            };
            match op {
                Op::SimdTruncate => {
                    of(1, &format!("{of_unsigned}((double)LANE(x, i))")).from(F32x4).needs(needs).finish()
                }
                _ => of(1, &format!("i < 2 ? {of_unsigned}(LANE(x, i & 1)) : 0")).from(F64x2).needs(needs).finish(),
            }
        }
        _ => return None,
    })
}

/// `x` in lanes where a comparison holds, else `y`, with integers of the same width.
fn chosen(condition: &str, integers: &str) -> String {
    format!("((({integers})x & ({integers})({condition})) | (({integers})y & ~({integers})({condition})))")
}

/// A number as the nearest one that a lane of at most 16 bits holds.
fn clamped(shape: LaneShape, number: &str) -> String {
    let (low, high) = match shape {
        I8x16 => (-128, 127),
        U8x16 => (0, 255),
        I16x8 => (-32768, 32767),
        _ => (0, 65535),
    };
    format!("{number} < {low} ? {low} : {number} > {high} ? {high} : {number}")
}

/// The product of lanes of half the width.
fn product(shape: LaneShape, at: &str) -> String {
    format!("({0})LANE(x, {at}) * ({0})LANE(y, {at})", if shape.bits() == 16 { "int32_t" } else { scalar(shape) })
}

/// Ops between vectors and scalars.
fn with_scalars(op: Op, shape: LaneShape) -> Option<Helper> {
    let name = format!("{}_{}", plain(op), shape.name());
    let (of, lanes, kind, value) = (shape.name(), shape.lanes(), scalar(shape), value_type(shape));
    let narrow = integers(shape.bits(), false);
    let text = match op {
        Op::SimdSplat => format!(
            "static inline v128 {name}({value} s) {{\n    {of} x;\n    for (int i = 0; i < {lanes}; i++) LANE(x, i) = ({kind})s;\n    \
             AS(v128, r, x);\n    return r;\n}}\n"
        ),
        Op::SimdExtract => {
            format!("static inline {value} {name}(v128 a, int i) {{\n    AS({of}, x, a);\n    return LANE(x, i);\n}}\n")
        }
        Op::SimdInsert => format!(
            "static inline v128 {name}(v128 a, {value} s, int i) {{\n    AS({of}, x, a);\n    LANE(x, i) = ({kind})s;\n    \
             AS(v128, r, x);\n    return r;\n}}\n"
        ),
        Op::SimdAllTrue => format!(
            "static inline int32_t {name}(v128 a) {{\n    AS({of}, x, a);\n    int32_t all = 1;\n    \
             for (int i = 0; i < {lanes}; i++) all &= LANE(x, i) != 0;\n    return all;\n}}\n"
        ),
        Op::SimdBitmask => format!(
            "static inline int32_t {name}(v128 a) {{\n    AS({0}, x, a);\n    uint32_t mask = 0u;\n    \
             for (int i = 0; i < {lanes}; i++) mask |= (uint32_t)(LANE(x, i) >> {1}) << i;\n    return (int32_t)mask;\n}}\n",
            narrow.name(),
            shape.bits() - 1
        ),
        _ => return None,
    };
    Some(Helper { name: name.leak(), needs: &["v128"], text: text.leak() })
}

/// Ops on floats.
fn floats(op: Op, shape: LaneShape) -> Option<Helper> {
    let of = |count, lane: &str| Lanes::new(op, shape, count, lane);
    let (is_double, bits) = (shape == F64x2, shape.bits());
    let suffix = if is_double { "" } else { "f" };
    let (signed, unsigned) = (integers(bits, true), integers(bits, false));
    let call = |name: &str| of(1, &format!("{name}{suffix}(LANE(x, i))")).finish();
    // Of the sign bit.
    let (sign, rest) = match is_double {
        true => ("UINT64_C(0x8000000000000000)", "UINT64_C(0x7fffffffffffffff)"),
        false => ("0x80000000u", "0x7fffffffu"),
    };
    Some(match op {
        Op::SimdAbs => {
            of(1, &format!("LANE(x, i) & {rest}")).from(unsigned).to(unsigned).native(format!("x & {rest}")).finish()
        }
        Op::SimdNegate => {
            of(1, &format!("LANE(x, i) ^ {sign}")).from(unsigned).to(unsigned).native(format!("x ^ {sign}")).finish()
        }
        Op::SimdAdd => of(2, "LANE(x, i) + LANE(y, i)").native("x + y").finish(),
        Op::SimdSubtract => of(2, "LANE(x, i) - LANE(y, i)").native("x - y").finish(),
        Op::SimdMultiply => of(2, "LANE(x, i) * LANE(y, i)").native("x * y").finish(),
        Op::SimdDivide => of(2, "LANE(x, i) / LANE(y, i)").native("x / y").finish(),
        Op::SimdMin | Op::SimdMax => extreme(op, shape, signed),
        Op::SimdPseudoMin => of(2, "LANE(y, i) < LANE(x, i) ? LANE(y, i) : LANE(x, i)")
            .native(chosen("~(y < x)", signed.name()))
            .finish(),
        Op::SimdPseudoMax => of(2, "LANE(x, i) < LANE(y, i) ? LANE(y, i) : LANE(x, i)")
            .native(chosen("~(x < y)", signed.name()))
            .finish(),
        Op::SimdSqrt => call("sqrt"),
        Op::SimdCeil => call("ceil"),
        Op::SimdFloor => call("floor"),
        Op::SimdTrunc => call("trunc"),
        Op::SimdRoundEven => call("nearbyint"),
        _ => return None,
    })
}

/// Minimum and maximum: NaN if a lane is one, and -0 is below +0.
fn extreme(op: Op, shape: LaneShape, signed: LaneShape) -> Helper {
    let is_min = op == Op::SimdMin;
    let name = format!("{}_{}", plain(op), shape.name());
    // Of equal numbers, zeros of different signs differ: their bits joined by `|` have the sign of -0, by `&` that of +0.
    let (less, join, not) = if is_min { ("<", "|", "") } else { (">", "&", "!") };
    let kind = scalar(shape);
    let nan = if shape == F64x2 { "UINT64_C(0x7ff8000000000000)" } else { "0x7fc00000u" };
    let (of, whole, words, lanes) = (shape.name(), signed.name(), integers(shape.bits(), false).name(), shape.lanes());
    let text = format!(
        "static inline v128 {name}(v128 a, v128 b) {{
    AS({of}, x, a);
    AS({of}, y, b);
#ifdef VECTOR_OPERATORS
    {whole} p = ({whole})a, q = ({whole})b, first = x {less} y, same = x == y, nan = (x != x) | (y != y);
    {whole} r = (p & first) | (q & ~first);
    r = ((p {join} q) & same) | (r & ~same);
    return (v128)((({words})r & ~({words})nan) | (({words})nan & {nan}));
#else
    for (int i = 0; i < {lanes}; i++) {{
        {kind} p = LANE(x, i), q = LANE(y, i);
        LANE(x, i) = p != p || q != q ? ({kind})NAN : p {less} q || (p == q && {not}signbit(p)) ? p : q;
    }}
    AS(v128, r, x);
    return r;
#endif
}}
"
    );
    Helper { name: name.leak(), needs: &["v128"], text: text.leak() }
}
