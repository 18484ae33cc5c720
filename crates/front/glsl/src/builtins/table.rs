//! The table of built-in functions that are neither texture nor image functions. Facts from GLSL ES 3.20.8 and GLSL
//! 4.60.8, chapter 8, and the texts of the extensions named.
//!
//! Signatures are written small: `F I U B` scalar or vector of `float int uint bool`, all of one size; `FV IV UV BV` the
//! vectors of them; `f i u b d h` scalars; `f2 … u4` fixed vectors; `c e s t l w` as well `int8_t uint8_t
//! int16_t uint16_t int64_t uint64_t`; `M` a matrix, `MT` its transpose, `MS` a square one;
//! `a` an atomic counter; `y` a `yuvCscStandardEXT`; `v` no result. Before a parameter: `>` written, `&` memory, `%`
//! interpolant, `!` a constant expression.

use std::sync::LazyLock;

use planish_ir::module::Stage;
use planish_ir::ops::GroupOperation::{self, ExclusiveScan, InclusiveScan, Reduce};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use rustc_hash::FxHashMap;

use super::{Action, Availability};

/// A row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) signature: &'static str,
    /// First ES version, first desktop version; 0: none.
    since: (u16, u16),
    /// Extensions, any of which makes it available earlier.
    extensions: &'static [&'static str],
    stages: Stages,
    /// Whether floats may also be doubles (desktop 4.00).
    pub(super) double: bool,
    /// Whether floats may also be 16-bit floats (extensions).
    pub(super) half: bool,
    /// Whether integers may also be of 8 and 16 bits (extensions).
    pub(super) small: bool,
    /// Whether integers may also be of 64 bits (extensions).
    pub(super) long: bool,
    pub(super) action: Action,
}

/// In which stages a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stages {
    All,
    Fragment,
    Compute,
    ComputeOrControl,
    Geometry,
    /// With derivatives.
    Quads,
    /// These.
    These(&'static [Stage]),
}

impl Row {
    fn stage_fits(&self, cx: &Availability<'_>) -> bool {
        let stage = cx.stage;
        match self.stages {
            Stages::All => true,
            Stages::Fragment => stage == Stage::Fragment,
            Stages::Compute => stage.has_work_groups(),
            Stages::ComputeOrControl => stage.has_work_groups() || stage == Stage::TessellationControl,
            Stages::Geometry => stage == Stage::Geometry,
            Stages::Quads => cx.has_quads(),
            Stages::These(stages) => stages.contains(&stage),
        }
    }

    pub(super) fn is_available(&self, cx: &Availability<'_>) -> bool {
        let version = cx.version.at_least(self.since.0, self.since.1) || cx.any_extension(self.extensions);
        // The extensions of derivatives in compute shaders bring all of them.
        let comes_along = self.stages == Stages::Quads && cx.stage == Stage::Compute;
        (version || comes_along) && self.stage_fits(cx)
    }

    /// Description of the missing requirement.
    pub(super) fn needs(&self, cx: &Availability<'_>) -> String {
        if !self.stage_fits(cx) {
            let stages = match self.stages {
                Stages::Fragment => "fragment",
                Stages::Compute => "compute",
                Stages::ComputeOrControl => "compute and tessellation control",
                Stages::Geometry => "geometry",
                Stages::Quads if cx.stage == Stage::Compute => {
                    return format!("needs the extension `{}` in compute shaders", COMPUTE_DERIVATIVES[0]);
                }
                Stages::Quads => "fragment",
                Stages::All => "all",
                Stages::These(stages) => {
                    let names: Vec<String> = stages.iter().map(|stage| stage.name().replace('_', " ")).collect();
                    return format!("is only in {} shaders", list(&names));
                }
            };
            return format!("is only in {stages} shaders");
        }
        needs(cx, self.since, self.extensions)
    }
}

/// `a, b and c`
pub(crate) fn list(names: &[String]) -> String {
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}

/// "needs GLSL ES 3.00 or the extension `…`".
pub(super) fn needs(cx: &Availability<'_>, since: (u16, u16), extensions: &[&str]) -> String {
    let (family, number) = if cx.version.is_es() { ("GLSL ES", since.0) } else { ("GLSL", since.1) };
    let version = (number != 0).then(|| format!("{family} {}.{:02}", number / 100, number % 100));
    let prefix = if cx.version.is_es() { ["GL_EXT", "GL_OES", "GL_KHR"] } else { ["GL_ARB", "GL_EXT", "GL_KHR"] };
    let extension =
        extensions.iter().find(|e| prefix.iter().any(|p| e.starts_with(p))).map(|e| format!("the extension `{e}`"));
    match (version, extension) {
        (Some(v), Some(e)) => format!("needs {v} or {e}"),
        (Some(v), None) => format!("needs {v}"),
        (None, Some(e)) => format!("needs {e}"),
        (None, None) => format!("is not in {family}"),
    }
}

pub(super) const fn row(name: &'static str, signature: &'static str, since: (u16, u16), op: Op) -> Row {
    Row {
        name,
        signature,
        since,
        extensions: &[],
        stages: Stages::All,
        double: false,
        half: false,
        small: false,
        long: false,
        action: Action::Op(op),
    }
}

impl Row {
    pub(super) const fn with(self, extensions: &'static [&'static str]) -> Row {
        Row { extensions, ..self }
    }
    pub(super) const fn only(self, stages: Stages) -> Row {
        Row { stages, ..self }
    }
    const fn double(self) -> Row {
        Row { double: true, half: true, ..self }
    }
    /// Doubles, but no 16-bit floats.
    const fn doubles(self) -> Row {
        Row { double: true, ..self }
    }
    const fn half(self) -> Row {
        Row { half: true, ..self }
    }
    /// Integers of 8, 16 and 64 bits.
    const fn any_integer(self) -> Row {
        Row { small: true, long: true, ..self }
    }
    /// Integers of 8 and 16 bits, but none of 64.
    const fn small(self) -> Row {
        Row { small: true, ..self }
    }
    pub(super) const fn does(self, action: Action) -> Row {
        Row { action, ..self }
    }
}

/// The extensions by which compute shaders have derivatives.
pub(crate) const COMPUTE_DERIVATIVES: &[&str] =
    &["GL_NV_compute_shader_derivatives", "GL_KHR_compute_shader_derivatives"];
const V1: (u16, u16) = (100, 110);
const V3: (u16, u16) = (300, 130);
/// The extensions by which a program computes with 16-bit floats, the usual one first.
const HALVES: &[&str] = &[
    "GL_EXT_shader_explicit_arithmetic_types_float16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_AMD_gpu_shader_half_float",
];
/// The extensions by which a program computes with 8-bit integers.
const INT8: &[&str] = &["GL_EXT_shader_explicit_arithmetic_types_int8", "GL_EXT_shader_explicit_arithmetic_types"];
/// The extensions by which a program computes with 16-bit integers.
const INT16: &[&str] = &[
    "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_AMD_gpu_shader_int16",
];
/// The extensions by which a program computes with 64-bit integers, the usual one first.
pub(crate) const LONGS: &[&str] = &[
    "GL_ARB_gpu_shader_int64",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
    "GL_EXT_shader_explicit_arithmetic_types",
];
/// Of the functions of 64-bit integers.
const INT64: &[&str] = &["GL_EXT_shader_explicit_arithmetic_types_int64", "GL_EXT_shader_explicit_arithmetic_types"];

/// The extensions by which a program computes with numbers of 8 or 16 bits, the usual one first; none for others.
pub(crate) const fn extensions_of(scalar: Scalar) -> &'static [&'static str] {
    match scalar {
        Scalar::F16 => HALVES,
        Scalar::I8 | Scalar::U8 => INT8,
        Scalar::I16 | Scalar::U16 => INT16,
        _ => &[],
    }
}

const GPU5: &[&str] = &["GL_EXT_gpu_shader5", "GL_OES_gpu_shader5", "GL_ARB_gpu_shader5"];
const DERIVATIVES: &[&str] = &["GL_OES_standard_derivatives"];
const DOUBLES: &[&str] = &["GL_ARB_gpu_shader_fp64"];
const CONTROL: &[&str] = &["GL_ARB_derivative_control"];
const ENCODING: &[&str] = &["GL_ARB_shader_bit_encoding", "GL_ARB_gpu_shader5"];
const PACKING: &[&str] = &["GL_ARB_shading_language_packing"];
const INTERPOLATION: &[&str] =
    &["GL_OES_shader_multisample_interpolation", "GL_EXT_shader_multisample_interpolation", "GL_ARB_gpu_shader5"];
const STORAGE: &[&str] = &["GL_ARB_shader_storage_buffer_object"];
/// The extensions of atomic operations on floats.
pub(super) const FLOAT_ATOMICS: &[&str] = &["GL_EXT_shader_atomic_float"];
pub(super) const FLOAT_ATOMICS_2: &[&str] = &["GL_EXT_shader_atomic_float2"];
/// The extension of atomic operations on 64-bit integers.
const LONG_ATOMICS: &[&str] = &["GL_EXT_shader_atomic_int64"];
const COUNTERS: &[&str] = &["GL_ARB_shader_atomic_counters"];
const IMAGES: &[&str] = &["GL_ARB_shader_image_load_store"];
/// The extensions of subgroups, each of which brings the basic functions.
pub(crate) const SUBGROUP_BASIC: &[&str; 8] = &[
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_vote",
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_clustered",
    "GL_KHR_shader_subgroup_quad",
];
const SUBGROUP_VOTE: &[&str] = &["GL_KHR_shader_subgroup_vote"];
const SUBGROUP_BALLOT: &[&str] = &["GL_KHR_shader_subgroup_ballot"];
const SUBGROUP_SHUFFLE: &[&str] = &["GL_KHR_shader_subgroup_shuffle"];
const SUBGROUP_SHUFFLE_RELATIVE: &[&str] = &["GL_KHR_shader_subgroup_shuffle_relative"];
const SUBGROUP_QUAD: &[&str] = &["GL_KHR_shader_subgroup_quad"];
const COMPUTE: &[&str] = &["GL_ARB_compute_shader"];
const BARRIER: &[&str] = &["GL_ARB_compute_shader", "GL_ARB_tessellation_shader"];

/// A function over the active invocations of a subgroup.
const fn reduction(name: &'static str, signature: &'static str, op: Op, group: GroupOperation) -> Row {
    row(name, signature, (0, 0), op).does(Action::Subgroup(op, group)).with(&["GL_KHR_shader_subgroup_arithmetic"])
}

/// The same over clusters, whose size is the last argument.
const fn clustered(name: &'static str, signature: &'static str, op: Op) -> Row {
    row(name, signature, (0, 0), op).does(Action::Clustered(op)).with(&["GL_KHR_shader_subgroup_clustered"])
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    // Angles.
    row("radians", "F(F)", V1, Op::Radians).half(),
    row("degrees", "F(F)", V1, Op::Degrees).half(),
    row("sin", "F(F)", V1, Op::Sin).half(),
    row("cos", "F(F)", V1, Op::Cos).half(),
    row("tan", "F(F)", V1, Op::Tan).half(),
    row("asin", "F(F)", V1, Op::Asin).half(),
    row("acos", "F(F)", V1, Op::Acos).half(),
    row("atan", "F(F,F)", V1, Op::Atan2).half(),
    row("atan", "F(F)", V1, Op::Atan).half(),
    row("sinh", "F(F)", V3, Op::Sinh).half(),
    row("cosh", "F(F)", V3, Op::Cosh).half(),
    row("tanh", "F(F)", V3, Op::Tanh).half(),
    row("asinh", "F(F)", V3, Op::Asinh).half(),
    row("acosh", "F(F)", V3, Op::Acosh).half(),
    row("atanh", "F(F)", V3, Op::Atanh).half(),
    // Exponentials.
    row("pow", "F(F,F)", V1, Op::Pow).half(),
    row("exp", "F(F)", V1, Op::Exp).half(),
    row("log", "F(F)", V1, Op::Log).half(),
    row("exp2", "F(F)", V1, Op::Exp2).half(),
    row("log2", "F(F)", V1, Op::Log2).half(),
    row("sqrt", "F(F)", V1, Op::Sqrt).double(),
    row("inversesqrt", "F(F)", V1, Op::InverseSqrt).double(),
    // Common functions.
    row("abs", "F(F)", V1, Op::Abs).double(),
    row("abs", "I(I)", V3, Op::Abs).any_integer(),
    row("sign", "F(F)", V1, Op::Sign).double(),
    row("sign", "I(I)", V3, Op::Sign).any_integer(),
    row("floor", "F(F)", V1, Op::Floor).double(),
    row("trunc", "F(F)", V3, Op::Trunc).double(),
    row("round", "F(F)", V3, Op::Round).double(),
    row("roundEven", "F(F)", V3, Op::RoundEven).double(),
    row("ceil", "F(F)", V1, Op::Ceil).double(),
    row("fract", "F(F)", V1, Op::Fract).double(),
    row("mod", "F(F,f)", V1, Op::Mod).double(),
    row("mod", "F(F,F)", V1, Op::Mod).double(),
    row("modf", "F(F,>F)", V3, Op::Modf).double().does(Action::TwoResults(Op::Modf)),
    row("min", "F(F,F)", V1, Op::Min).double(),
    row("min", "F(F,f)", V1, Op::Min).double(),
    row("min", "I(I,I)", V3, Op::Min).any_integer(),
    row("min", "I(I,i)", V3, Op::Min).any_integer(),
    row("min", "U(U,U)", V3, Op::Min).any_integer(),
    row("min", "U(U,u)", V3, Op::Min).any_integer(),
    row("max", "F(F,F)", V1, Op::Max).double(),
    row("max", "F(F,f)", V1, Op::Max).double(),
    row("max", "I(I,I)", V3, Op::Max).any_integer(),
    row("max", "I(I,i)", V3, Op::Max).any_integer(),
    row("max", "U(U,U)", V3, Op::Max).any_integer(),
    row("max", "U(U,u)", V3, Op::Max).any_integer(),
    row("clamp", "F(F,F,F)", V1, Op::Clamp).double(),
    row("clamp", "F(F,f,f)", V1, Op::Clamp).double(),
    row("clamp", "I(I,I,I)", V3, Op::Clamp).any_integer(),
    row("clamp", "I(I,i,i)", V3, Op::Clamp).any_integer(),
    row("clamp", "U(U,U,U)", V3, Op::Clamp).any_integer(),
    row("clamp", "U(U,u,u)", V3, Op::Clamp).any_integer(),
    row("mix", "F(F,F,F)", V1, Op::Mix).double(),
    row("mix", "F(F,F,f)", V1, Op::Mix).double(),
    row("mix", "F(F,F,B)", V3, Op::Select).double().does(Action::MixSelect),
    row("mix", "I(I,I,B)", (310, 450), Op::Select).does(Action::MixSelect).with(&["GL_EXT_shader_integer_mix"]).any_integer(),
    row("mix", "U(U,U,B)", (310, 450), Op::Select).does(Action::MixSelect).with(&["GL_EXT_shader_integer_mix"]).any_integer(),
    row("mix", "B(B,B,B)", (310, 450), Op::Select).does(Action::MixSelect).with(&["GL_EXT_shader_integer_mix"]),
    row("step", "F(F,F)", V1, Op::Step).double(),
    row("step", "F(f,F)", V1, Op::Step).double(),
    row("smoothstep", "F(F,F,F)", V1, Op::SmoothStep).double(),
    row("smoothstep", "F(f,f,F)", V1, Op::SmoothStep).double(),
    row("isnan", "B(F)", V3, Op::IsNan).double(),
    row("isinf", "B(F)", V3, Op::IsInf).double(),
    row("floatBitsToInt", "I(F)", (300, 330), Op::Bitcast).does(Action::Bitcast).with(ENCODING),
    row("floatBitsToUint", "U(F)", (300, 330), Op::Bitcast).does(Action::Bitcast).with(ENCODING),
    row("intBitsToFloat", "F(I)", (300, 330), Op::Bitcast).does(Action::Bitcast).with(ENCODING),
    row("uintBitsToFloat", "F(U)", (300, 330), Op::Bitcast).does(Action::Bitcast).with(ENCODING),
    row("fma", "F(F,F,F)", (320, 400), Op::Fma).double().with(GPU5),
    row("frexp", "F(F,>I)", (310, 400), Op::Frexp).does(Action::TwoResults(Op::Frexp)).with(GPU5).double(),
    row("ldexp", "F(F,I)", (310, 400), Op::Ldexp).with(GPU5).double(),
    // Packing.
    row("packSnorm2x16", "u(f2)", (300, 420), Op::PackSnorm2x16).with(PACKING),
    row("unpackSnorm2x16", "f2(u)", (300, 420), Op::UnpackSnorm2x16).with(PACKING),
    row("packUnorm2x16", "u(f2)", (300, 410), Op::PackUnorm2x16).with(PACKING),
    row("unpackUnorm2x16", "f2(u)", (300, 410), Op::UnpackUnorm2x16).with(PACKING),
    row("packHalf2x16", "u(f2)", (300, 420), Op::PackHalf2x16).with(PACKING),
    row("unpackHalf2x16", "f2(u)", (300, 420), Op::UnpackHalf2x16).with(PACKING),
    row("packFloat2x16", "u(h2)", (0, 0), Op::PackHalf2x16).does(Action::PackFloats).with(HALVES),
    row("unpackFloat2x16", "h2(u)", (0, 0), Op::UnpackHalf2x16).does(Action::UnpackFloats).with(HALVES),
    row("pack16", "s(c2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT8),
    row("pack16", "t(e2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT8),
    row("pack32", "i(c4)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT8),
    row("pack32", "u(e4)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT8),
    row("pack32", "i(s2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("pack32", "u(t2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("pack64", "l(s4)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("pack64", "w(t4)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("pack64", "l(i2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT64),
    row("pack64", "w(u2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT64),
    row("unpack8", "c2(s)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT8),
    row("unpack8", "e2(t)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT8),
    row("unpack8", "c4(i)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT8),
    row("unpack8", "e4(u)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT8),
    row("unpack16", "s2(i)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("unpack16", "t2(u)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("unpack16", "s4(l)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("unpack16", "t4(w)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("unpack32", "i2(l)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT64),
    row("unpack32", "u2(w)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT64),
    row("packInt2x32", "l(i2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(LONGS),
    row("packUint2x32", "w(u2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(LONGS),
    row("unpackInt2x32", "i2(l)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(LONGS),
    row("unpackUint2x32", "u2(w)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(LONGS),
    row("doubleBitsToInt64", "l(d)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("doubleBitsToInt64", "l2(d2)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("doubleBitsToInt64", "l3(d3)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("doubleBitsToInt64", "l4(d4)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("doubleBitsToUint64", "w(d)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("doubleBitsToUint64", "w2(d2)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("doubleBitsToUint64", "w3(d3)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("doubleBitsToUint64", "w4(d4)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("int64BitsToDouble", "d(l)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("int64BitsToDouble", "d2(l2)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("int64BitsToDouble", "d3(l3)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("int64BitsToDouble", "d4(l4)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("uint64BitsToDouble", "d(w)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("uint64BitsToDouble", "d2(w2)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("uint64BitsToDouble", "d3(w3)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("uint64BitsToDouble", "d4(w4)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(LONGS),
    row("packInt2x16", "i(s2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("packUint2x16", "u(t2)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("unpackInt2x16", "s2(i)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("unpackUint2x16", "t2(u)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("packInt4x16", "l(s4)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("packUint4x16", "w(t4)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("unpackInt4x16", "s4(l)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("unpackUint4x16", "t4(w)", (0, 0), Op::Bitcast).does(Action::Reinterpret).with(INT16),
    row("float16BitsToInt16", "S(H)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(INT16),
    row("float16BitsToUint16", "T(H)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(INT16),
    row("halfBitsToInt16", "S(H)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(INT16),
    row("halfBitsToUint16", "T(H)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(INT16),
    row("int16BitsToFloat16", "H(S)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(INT16),
    row("uint16BitsToFloat16", "H(T)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(INT16),
    row("int16BitsToHalf", "H(S)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(INT16),
    row("uint16BitsToHalf", "H(T)", (0, 0), Op::Bitcast).does(Action::Bitcast).with(INT16),
    row("packSnorm4x8", "u(f4)", (310, 400), Op::PackSnorm4x8).with(PACKING),
    row("unpackSnorm4x8", "f4(u)", (310, 400), Op::UnpackSnorm4x8).with(PACKING),
    row("packUnorm4x8", "u(f4)", (310, 400), Op::PackUnorm4x8).with(PACKING),
    row("unpackUnorm4x8", "f4(u)", (310, 400), Op::UnpackUnorm4x8).with(PACKING),
    row("packDouble2x32", "d(u2)", (0, 400), Op::PackDouble2x32).with(DOUBLES),
    row("unpackDouble2x32", "u2(d)", (0, 400), Op::UnpackDouble2x32).with(DOUBLES),
    // Geometry of vectors.
    row("length", "f(F)", V1, Op::Length).double(),
    row("distance", "f(F,F)", V1, Op::Distance).double(),
    row("dot", "f(F,F)", V1, Op::Dot).double(),
    row("cross", "f3(f3,f3)", V1, Op::Cross).double(),
    row("normalize", "F(F)", V1, Op::Normalize).double(),
    row("faceforward", "F(F,F,F)", V1, Op::FaceForward).double(),
    row("reflect", "F(F,F)", V1, Op::Reflect).double(),
    row("refract", "F(F,F,f)", V1, Op::Refract).double(),
    // Matrices.
    row("matrixCompMult", "M(M,M)", V1, Op::MatrixComponentMultiply).double(),
    row("outerProduct", "O(FV,FV)", (300, 120), Op::OuterProduct).double(),
    row("transpose", "MT(M)", (300, 120), Op::Transpose).double(),
    row("determinant", "f(MS)", (300, 150), Op::Determinant).double(),
    row("inverse", "MS(MS)", (300, 140), Op::Inverse).double(),
    // Comparison of vectors.
    row("lessThan", "BV(FV,FV)", V1, Op::LessThan).double(),
    row("lessThan", "BV(IV,IV)", V1, Op::LessThan).any_integer(),
    row("lessThan", "BV(UV,UV)", V3, Op::LessThan).any_integer(),
    row("lessThanEqual", "BV(FV,FV)", V1, Op::LessThanEqual).double(),
    row("lessThanEqual", "BV(IV,IV)", V1, Op::LessThanEqual).any_integer(),
    row("lessThanEqual", "BV(UV,UV)", V3, Op::LessThanEqual).any_integer(),
    row("greaterThan", "BV(FV,FV)", V1, Op::GreaterThan).double(),
    row("greaterThan", "BV(IV,IV)", V1, Op::GreaterThan).any_integer(),
    row("greaterThan", "BV(UV,UV)", V3, Op::GreaterThan).any_integer(),
    row("greaterThanEqual", "BV(FV,FV)", V1, Op::GreaterThanEqual).double(),
    row("greaterThanEqual", "BV(IV,IV)", V1, Op::GreaterThanEqual).any_integer(),
    row("greaterThanEqual", "BV(UV,UV)", V3, Op::GreaterThanEqual).any_integer(),
    row("equal", "BV(FV,FV)", V1, Op::Equal).double(),
    row("equal", "BV(IV,IV)", V1, Op::Equal).any_integer(),
    row("equal", "BV(UV,UV)", V3, Op::Equal).any_integer(),
    row("equal", "BV(BV,BV)", V1, Op::Equal),
    row("notEqual", "BV(FV,FV)", V1, Op::NotEqual).double(),
    row("notEqual", "BV(IV,IV)", V1, Op::NotEqual).any_integer(),
    row("notEqual", "BV(UV,UV)", V3, Op::NotEqual).any_integer(),
    row("notEqual", "BV(BV,BV)", V1, Op::NotEqual),
    row("any", "b(BV)", V1, Op::Any),
    row("all", "b(BV)", V1, Op::All),
    row("not", "BV(BV)", V1, Op::LogicalNot),
    // Integers.
    row("uaddCarry", "U(U,U,>U)", (310, 400), Op::AddCarry).does(Action::TwoResults(Op::AddCarry)).with(GPU5),
    row("usubBorrow", "U(U,U,>U)", (310, 400), Op::SubtractBorrow).does(Action::TwoResults(Op::SubtractBorrow)).with(GPU5),
    row("umulExtended", "v(U,U,>U,>U)", (310, 400), Op::MultiplyExtended).does(Action::TwoOuts(Op::MultiplyExtended)).with(GPU5),
    row("imulExtended", "v(I,I,>I,>I)", (310, 400), Op::MultiplyExtended).does(Action::TwoOuts(Op::MultiplyExtended)).with(GPU5),
    row("bitfieldExtract", "I(I,i,i)", (310, 400), Op::BitfieldExtract).with(GPU5),
    row("bitfieldExtract", "U(U,i,i)", (310, 400), Op::BitfieldExtract).with(GPU5),
    row("bitfieldInsert", "I(I,I,i,i)", (310, 400), Op::BitfieldInsert).with(GPU5),
    row("bitfieldInsert", "U(U,U,i,i)", (310, 400), Op::BitfieldInsert).with(GPU5),
    row("bitfieldReverse", "I(I)", (310, 400), Op::BitReverse).with(GPU5),
    row("bitfieldReverse", "U(U)", (310, 400), Op::BitReverse).with(GPU5),
    row("bitCount", "I(I)", (310, 400), Op::BitCount).with(GPU5).small(),
    row("bitCount", "I(U)", (310, 400), Op::BitCount).with(GPU5).small(),
    row("findLSB", "I(I)", (310, 400), Op::FindLsb).with(GPU5).small(),
    row("findLSB", "I(U)", (310, 400), Op::FindLsb).with(GPU5).small(),
    row("findMSB", "I(I)", (310, 400), Op::FindMsb).with(GPU5).small(),
    row("findMSB", "I(U)", (310, 400), Op::FindMsb).with(GPU5).small(),
    // Derivatives and interpolation.
    row("dFdx", "F(F)", (300, 110), Op::Dfdx).only(Stages::Quads).with(DERIVATIVES).half(),
    row("dFdy", "F(F)", (300, 110), Op::Dfdy).only(Stages::Quads).with(DERIVATIVES).half(),
    row("fwidth", "F(F)", (300, 110), Op::Fwidth).only(Stages::Quads).with(DERIVATIVES).half(),
    row("dFdxFine", "F(F)", (0, 450), Op::DfdxFine).only(Stages::Quads).with(CONTROL).half(),
    row("dFdyFine", "F(F)", (0, 450), Op::DfdyFine).only(Stages::Quads).with(CONTROL).half(),
    row("fwidthFine", "F(F)", (0, 450), Op::FwidthFine).only(Stages::Quads).with(CONTROL).half(),
    row("dFdxCoarse", "F(F)", (0, 450), Op::DfdxCoarse).only(Stages::Quads).with(CONTROL).half(),
    row("dFdyCoarse", "F(F)", (0, 450), Op::DfdyCoarse).only(Stages::Quads).with(CONTROL).half(),
    row("fwidthCoarse", "F(F)", (0, 450), Op::FwidthCoarse).only(Stages::Quads).with(CONTROL).half(),
    row("interpolateAtCentroid", "F(%F)", (320, 400), Op::InterpolateAtCentroid).only(Stages::Fragment).with(INTERPOLATION),
    row("interpolateAtSample", "F(%F,i)", (320, 400), Op::InterpolateAtSample).only(Stages::Fragment).with(INTERPOLATION),
    row("interpolateAtOffset", "F(%F,f2)", (320, 400), Op::InterpolateAtOffset).only(Stages::Fragment).with(INTERPOLATION),
    // Memory.
    row("atomicAdd", "w(&w,w)", (0, 0), Op::AtomicAdd).with(LONG_ATOMICS),
    row("atomicAdd", "l(&l,l)", (0, 0), Op::AtomicAdd).with(LONG_ATOMICS),
    row("atomicMin", "w(&w,w)", (0, 0), Op::AtomicMin).with(LONG_ATOMICS),
    row("atomicMin", "l(&l,l)", (0, 0), Op::AtomicMin).with(LONG_ATOMICS),
    row("atomicMax", "w(&w,w)", (0, 0), Op::AtomicMax).with(LONG_ATOMICS),
    row("atomicMax", "l(&l,l)", (0, 0), Op::AtomicMax).with(LONG_ATOMICS),
    row("atomicAnd", "w(&w,w)", (0, 0), Op::AtomicAnd).with(LONG_ATOMICS),
    row("atomicAnd", "l(&l,l)", (0, 0), Op::AtomicAnd).with(LONG_ATOMICS),
    row("atomicOr", "w(&w,w)", (0, 0), Op::AtomicOr).with(LONG_ATOMICS),
    row("atomicOr", "l(&l,l)", (0, 0), Op::AtomicOr).with(LONG_ATOMICS),
    row("atomicXor", "w(&w,w)", (0, 0), Op::AtomicXor).with(LONG_ATOMICS),
    row("atomicXor", "l(&l,l)", (0, 0), Op::AtomicXor).with(LONG_ATOMICS),
    row("atomicExchange", "w(&w,w)", (0, 0), Op::AtomicExchange).with(LONG_ATOMICS),
    row("atomicExchange", "l(&l,l)", (0, 0), Op::AtomicExchange).with(LONG_ATOMICS),
    row("atomicCompSwap", "w(&w,w,w)", (0, 0), Op::AtomicCompareExchange).with(LONG_ATOMICS),
    row("atomicCompSwap", "l(&l,l,l)", (0, 0), Op::AtomicCompareExchange).with(LONG_ATOMICS),
    row("atomicAdd", "u(&u,u)", (310, 430), Op::AtomicAdd).with(STORAGE),
    row("atomicAdd", "i(&i,i)", (310, 430), Op::AtomicAdd).with(STORAGE),
    row("atomicAdd", "f(&f,f)", (0, 0), Op::AtomicAdd).doubles().with(FLOAT_ATOMICS),
    row("atomicMin", "u(&u,u)", (310, 430), Op::AtomicMin).with(STORAGE),
    row("atomicMin", "i(&i,i)", (310, 430), Op::AtomicMin).with(STORAGE),
    row("atomicMin", "f(&f,f)", (0, 0), Op::AtomicMin).doubles().with(FLOAT_ATOMICS_2),
    row("atomicMax", "u(&u,u)", (310, 430), Op::AtomicMax).with(STORAGE),
    row("atomicMax", "i(&i,i)", (310, 430), Op::AtomicMax).with(STORAGE),
    row("atomicMax", "f(&f,f)", (0, 0), Op::AtomicMax).doubles().with(FLOAT_ATOMICS_2),
    row("atomicAnd", "u(&u,u)", (310, 430), Op::AtomicAnd).with(STORAGE),
    row("atomicAnd", "i(&i,i)", (310, 430), Op::AtomicAnd).with(STORAGE),
    row("atomicOr", "u(&u,u)", (310, 430), Op::AtomicOr).with(STORAGE),
    row("atomicOr", "i(&i,i)", (310, 430), Op::AtomicOr).with(STORAGE),
    row("atomicXor", "u(&u,u)", (310, 430), Op::AtomicXor).with(STORAGE),
    row("atomicXor", "i(&i,i)", (310, 430), Op::AtomicXor).with(STORAGE),
    row("atomicExchange", "u(&u,u)", (310, 430), Op::AtomicExchange).with(STORAGE),
    row("atomicExchange", "i(&i,i)", (310, 430), Op::AtomicExchange).with(STORAGE),
    row("atomicExchange", "f(&f,f)", (0, 0), Op::AtomicExchange).doubles().with(FLOAT_ATOMICS),
    row("atomicCompSwap", "u(&u,u,u)", (310, 430), Op::AtomicCompareExchange).with(STORAGE),
    row("atomicCompSwap", "i(&i,i,i)", (310, 430), Op::AtomicCompareExchange).with(STORAGE),
    row("atomicCounter", "u(&a)", (310, 420), Op::AtomicCounterLoad).does(Action::Counter(Op::AtomicCounterLoad)).with(COUNTERS),
    row("atomicCounterIncrement", "u(&a)", (310, 420), Op::AtomicCounterIncrement).does(Action::Counter(Op::AtomicCounterIncrement)).with(COUNTERS),
    row("atomicCounterDecrement", "u(&a)", (310, 420), Op::AtomicCounterDecrement).does(Action::Counter(Op::AtomicCounterDecrement)).with(COUNTERS),
    // Invocations.
    row("barrier", "v()", (310, 400), Op::ControlBarrier).does(Action::Barrier).only(Stages::ComputeOrControl).with(BARRIER),
    row("memoryBarrier", "v()", (310, 420), Op::MemoryBarrier).does(Action::MemoryBarrier(0b01111)).with(IMAGES),
    row("memoryBarrierBuffer", "v()", (310, 430), Op::MemoryBarrier).does(Action::MemoryBarrier(0b00001)).with(COMPUTE),
    row("memoryBarrierImage", "v()", (310, 430), Op::MemoryBarrier).does(Action::MemoryBarrier(0b00010)).with(COMPUTE),
    row("memoryBarrierShared", "v()", (310, 430), Op::MemoryBarrier).does(Action::MemoryBarrier(0b00100)).only(Stages::Compute).with(COMPUTE),
    row("memoryBarrierAtomicCounter", "v()", (310, 430), Op::MemoryBarrier).does(Action::MemoryBarrier(0b01000)).with(COMPUTE),
    row("groupMemoryBarrier", "v()", (310, 430), Op::MemoryBarrier).does(Action::MemoryBarrier(0b11111)).only(Stages::Compute).with(COMPUTE),
    row("EmitVertex", "v()", (320, 150), Op::EmitVertex).only(Stages::Geometry).with(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]),
    row("EndPrimitive", "v()", (320, 150), Op::EndPrimitive).only(Stages::Geometry).with(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]),
    row("helperInvocationEXT", "b()", (0, 0), Op::IsHelper).only(Stages::Fragment).with(&["GL_EXT_demote_to_helper_invocation"]),
    row("beginInvocationInterlockARB", "v()", (0, 0), Op::BeginInterlock).only(Stages::Fragment).with(&["GL_ARB_fragment_shader_interlock"]),
    row("endInvocationInterlockARB", "v()", (0, 0), Op::EndInterlock).only(Stages::Fragment).with(&["GL_ARB_fragment_shader_interlock"]),
    row("beginInvocationInterlockNV", "v()", (0, 0), Op::BeginInterlock).only(Stages::Fragment).with(&["GL_NV_fragment_shader_interlock"]),
    row("endInvocationInterlockNV", "v()", (0, 0), Op::EndInterlock).only(Stages::Fragment).with(&["GL_NV_fragment_shader_interlock"]),
    // Subgroups.
    row("subgroupBarrier", "v()", (0, 0), Op::SubgroupBarrier).with(SUBGROUP_BASIC),
    row("subgroupMemoryBarrier", "v()", (0, 0), Op::MemoryBarrier).does(Action::MemoryBarrier(0b01111)).with(SUBGROUP_BASIC),
    row("subgroupMemoryBarrierBuffer", "v()", (0, 0), Op::MemoryBarrier).does(Action::MemoryBarrier(0b00001)).with(SUBGROUP_BASIC),
    row("subgroupMemoryBarrierImage", "v()", (0, 0), Op::MemoryBarrier).does(Action::MemoryBarrier(0b00010)).with(SUBGROUP_BASIC),
    row("subgroupMemoryBarrierShared", "v()", (0, 0), Op::MemoryBarrier).does(Action::MemoryBarrier(0b00100)).only(Stages::Compute).with(SUBGROUP_BASIC),
    row("subgroupElect", "b()", (0, 0), Op::SubgroupElect).with(SUBGROUP_BASIC),
    row("subgroupAll", "b(b)", (0, 0), Op::SubgroupAll).with(SUBGROUP_VOTE),
    row("subgroupAny", "b(b)", (0, 0), Op::SubgroupAny).with(SUBGROUP_VOTE),
    row("subgroupAllEqual", "b(F)", (0, 0), Op::SubgroupAllEqual).doubles().with(SUBGROUP_VOTE),
    row("subgroupAllEqual", "b(I)", (0, 0), Op::SubgroupAllEqual).with(SUBGROUP_VOTE),
    row("subgroupAllEqual", "b(U)", (0, 0), Op::SubgroupAllEqual).with(SUBGROUP_VOTE),
    row("subgroupAllEqual", "b(B)", (0, 0), Op::SubgroupAllEqual).with(SUBGROUP_VOTE),
    row("subgroupBroadcast", "F(F,u)", (0, 0), Op::SubgroupBroadcast).doubles().with(SUBGROUP_BALLOT),
    row("subgroupBroadcast", "I(I,u)", (0, 0), Op::SubgroupBroadcast).with(SUBGROUP_BALLOT),
    row("subgroupBroadcast", "U(U,u)", (0, 0), Op::SubgroupBroadcast).with(SUBGROUP_BALLOT),
    row("subgroupBroadcast", "B(B,u)", (0, 0), Op::SubgroupBroadcast).with(SUBGROUP_BALLOT),
    row("subgroupBroadcastFirst", "F(F)", (0, 0), Op::SubgroupBroadcastFirst).doubles().with(SUBGROUP_BALLOT),
    row("subgroupBroadcastFirst", "I(I)", (0, 0), Op::SubgroupBroadcastFirst).with(SUBGROUP_BALLOT),
    row("subgroupBroadcastFirst", "U(U)", (0, 0), Op::SubgroupBroadcastFirst).with(SUBGROUP_BALLOT),
    row("subgroupBroadcastFirst", "B(B)", (0, 0), Op::SubgroupBroadcastFirst).with(SUBGROUP_BALLOT),
    row("subgroupBallot", "u4(b)", (0, 0), Op::SubgroupBallot).with(SUBGROUP_BALLOT),
    row("subgroupInverseBallot", "b(u4)", (0, 0), Op::SubgroupInverseBallot).with(SUBGROUP_BALLOT),
    row("subgroupBallotBitExtract", "b(u4,u)", (0, 0), Op::SubgroupBallotBitExtract).with(SUBGROUP_BALLOT),
    row("subgroupBallotBitCount", "u(u4)", (0, 0), Op::SubgroupBallotBitCount).does(Action::Subgroup(Op::SubgroupBallotBitCount, Reduce)).with(SUBGROUP_BALLOT),
    row("subgroupBallotInclusiveBitCount", "u(u4)", (0, 0), Op::SubgroupBallotBitCount).does(Action::Subgroup(Op::SubgroupBallotBitCount, InclusiveScan)).with(SUBGROUP_BALLOT),
    row("subgroupBallotExclusiveBitCount", "u(u4)", (0, 0), Op::SubgroupBallotBitCount).does(Action::Subgroup(Op::SubgroupBallotBitCount, ExclusiveScan)).with(SUBGROUP_BALLOT),
    row("subgroupBallotFindLSB", "u(u4)", (0, 0), Op::SubgroupBallotFindLsb).with(SUBGROUP_BALLOT),
    row("subgroupBallotFindMSB", "u(u4)", (0, 0), Op::SubgroupBallotFindMsb).with(SUBGROUP_BALLOT),
    row("subgroupShuffle", "F(F,u)", (0, 0), Op::SubgroupShuffle).doubles().with(SUBGROUP_SHUFFLE),
    row("subgroupShuffle", "I(I,u)", (0, 0), Op::SubgroupShuffle).with(SUBGROUP_SHUFFLE),
    row("subgroupShuffle", "U(U,u)", (0, 0), Op::SubgroupShuffle).with(SUBGROUP_SHUFFLE),
    row("subgroupShuffle", "B(B,u)", (0, 0), Op::SubgroupShuffle).with(SUBGROUP_SHUFFLE),
    row("subgroupShuffleXor", "F(F,u)", (0, 0), Op::SubgroupShuffleXor).doubles().with(SUBGROUP_SHUFFLE),
    row("subgroupShuffleXor", "I(I,u)", (0, 0), Op::SubgroupShuffleXor).with(SUBGROUP_SHUFFLE),
    row("subgroupShuffleXor", "U(U,u)", (0, 0), Op::SubgroupShuffleXor).with(SUBGROUP_SHUFFLE),
    row("subgroupShuffleXor", "B(B,u)", (0, 0), Op::SubgroupShuffleXor).with(SUBGROUP_SHUFFLE),
    row("subgroupShuffleUp", "F(F,u)", (0, 0), Op::SubgroupShuffleUp).doubles().with(SUBGROUP_SHUFFLE_RELATIVE),
    row("subgroupShuffleUp", "I(I,u)", (0, 0), Op::SubgroupShuffleUp).with(SUBGROUP_SHUFFLE_RELATIVE),
    row("subgroupShuffleUp", "U(U,u)", (0, 0), Op::SubgroupShuffleUp).with(SUBGROUP_SHUFFLE_RELATIVE),
    row("subgroupShuffleUp", "B(B,u)", (0, 0), Op::SubgroupShuffleUp).with(SUBGROUP_SHUFFLE_RELATIVE),
    row("subgroupShuffleDown", "F(F,u)", (0, 0), Op::SubgroupShuffleDown).doubles().with(SUBGROUP_SHUFFLE_RELATIVE),
    row("subgroupShuffleDown", "I(I,u)", (0, 0), Op::SubgroupShuffleDown).with(SUBGROUP_SHUFFLE_RELATIVE),
    row("subgroupShuffleDown", "U(U,u)", (0, 0), Op::SubgroupShuffleDown).with(SUBGROUP_SHUFFLE_RELATIVE),
    row("subgroupShuffleDown", "B(B,u)", (0, 0), Op::SubgroupShuffleDown).with(SUBGROUP_SHUFFLE_RELATIVE),
    reduction("subgroupAdd", "F(F)", Op::SubgroupAdd, Reduce).doubles(),
    reduction("subgroupAdd", "I(I)", Op::SubgroupAdd, Reduce),
    reduction("subgroupAdd", "U(U)", Op::SubgroupAdd, Reduce),
    reduction("subgroupInclusiveAdd", "F(F)", Op::SubgroupAdd, InclusiveScan).doubles(),
    reduction("subgroupInclusiveAdd", "I(I)", Op::SubgroupAdd, InclusiveScan),
    reduction("subgroupInclusiveAdd", "U(U)", Op::SubgroupAdd, InclusiveScan),
    reduction("subgroupExclusiveAdd", "F(F)", Op::SubgroupAdd, ExclusiveScan).doubles(),
    reduction("subgroupExclusiveAdd", "I(I)", Op::SubgroupAdd, ExclusiveScan),
    reduction("subgroupExclusiveAdd", "U(U)", Op::SubgroupAdd, ExclusiveScan),
    clustered("subgroupClusteredAdd", "F(F,!u)", Op::SubgroupAdd).doubles(),
    clustered("subgroupClusteredAdd", "I(I,!u)", Op::SubgroupAdd),
    clustered("subgroupClusteredAdd", "U(U,!u)", Op::SubgroupAdd),
    reduction("subgroupMul", "F(F)", Op::SubgroupMultiply, Reduce).doubles(),
    reduction("subgroupMul", "I(I)", Op::SubgroupMultiply, Reduce),
    reduction("subgroupMul", "U(U)", Op::SubgroupMultiply, Reduce),
    reduction("subgroupInclusiveMul", "F(F)", Op::SubgroupMultiply, InclusiveScan).doubles(),
    reduction("subgroupInclusiveMul", "I(I)", Op::SubgroupMultiply, InclusiveScan),
    reduction("subgroupInclusiveMul", "U(U)", Op::SubgroupMultiply, InclusiveScan),
    reduction("subgroupExclusiveMul", "F(F)", Op::SubgroupMultiply, ExclusiveScan).doubles(),
    reduction("subgroupExclusiveMul", "I(I)", Op::SubgroupMultiply, ExclusiveScan),
    reduction("subgroupExclusiveMul", "U(U)", Op::SubgroupMultiply, ExclusiveScan),
    clustered("subgroupClusteredMul", "F(F,!u)", Op::SubgroupMultiply).doubles(),
    clustered("subgroupClusteredMul", "I(I,!u)", Op::SubgroupMultiply),
    clustered("subgroupClusteredMul", "U(U,!u)", Op::SubgroupMultiply),
    reduction("subgroupMin", "F(F)", Op::SubgroupMin, Reduce).doubles(),
    reduction("subgroupMin", "I(I)", Op::SubgroupMin, Reduce),
    reduction("subgroupMin", "U(U)", Op::SubgroupMin, Reduce),
    reduction("subgroupInclusiveMin", "F(F)", Op::SubgroupMin, InclusiveScan).doubles(),
    reduction("subgroupInclusiveMin", "I(I)", Op::SubgroupMin, InclusiveScan),
    reduction("subgroupInclusiveMin", "U(U)", Op::SubgroupMin, InclusiveScan),
    reduction("subgroupExclusiveMin", "F(F)", Op::SubgroupMin, ExclusiveScan).doubles(),
    reduction("subgroupExclusiveMin", "I(I)", Op::SubgroupMin, ExclusiveScan),
    reduction("subgroupExclusiveMin", "U(U)", Op::SubgroupMin, ExclusiveScan),
    clustered("subgroupClusteredMin", "F(F,!u)", Op::SubgroupMin).doubles(),
    clustered("subgroupClusteredMin", "I(I,!u)", Op::SubgroupMin),
    clustered("subgroupClusteredMin", "U(U,!u)", Op::SubgroupMin),
    reduction("subgroupMax", "F(F)", Op::SubgroupMax, Reduce).doubles(),
    reduction("subgroupMax", "I(I)", Op::SubgroupMax, Reduce),
    reduction("subgroupMax", "U(U)", Op::SubgroupMax, Reduce),
    reduction("subgroupInclusiveMax", "F(F)", Op::SubgroupMax, InclusiveScan).doubles(),
    reduction("subgroupInclusiveMax", "I(I)", Op::SubgroupMax, InclusiveScan),
    reduction("subgroupInclusiveMax", "U(U)", Op::SubgroupMax, InclusiveScan),
    reduction("subgroupExclusiveMax", "F(F)", Op::SubgroupMax, ExclusiveScan).doubles(),
    reduction("subgroupExclusiveMax", "I(I)", Op::SubgroupMax, ExclusiveScan),
    reduction("subgroupExclusiveMax", "U(U)", Op::SubgroupMax, ExclusiveScan),
    clustered("subgroupClusteredMax", "F(F,!u)", Op::SubgroupMax).doubles(),
    clustered("subgroupClusteredMax", "I(I,!u)", Op::SubgroupMax),
    clustered("subgroupClusteredMax", "U(U,!u)", Op::SubgroupMax),
    reduction("subgroupAnd", "I(I)", Op::SubgroupAnd, Reduce),
    reduction("subgroupAnd", "U(U)", Op::SubgroupAnd, Reduce),
    reduction("subgroupAnd", "B(B)", Op::SubgroupAnd, Reduce),
    reduction("subgroupInclusiveAnd", "I(I)", Op::SubgroupAnd, InclusiveScan),
    reduction("subgroupInclusiveAnd", "U(U)", Op::SubgroupAnd, InclusiveScan),
    reduction("subgroupInclusiveAnd", "B(B)", Op::SubgroupAnd, InclusiveScan),
    reduction("subgroupExclusiveAnd", "I(I)", Op::SubgroupAnd, ExclusiveScan),
    reduction("subgroupExclusiveAnd", "U(U)", Op::SubgroupAnd, ExclusiveScan),
    reduction("subgroupExclusiveAnd", "B(B)", Op::SubgroupAnd, ExclusiveScan),
    clustered("subgroupClusteredAnd", "I(I,!u)", Op::SubgroupAnd),
    clustered("subgroupClusteredAnd", "U(U,!u)", Op::SubgroupAnd),
    clustered("subgroupClusteredAnd", "B(B,!u)", Op::SubgroupAnd),
    reduction("subgroupOr", "I(I)", Op::SubgroupOr, Reduce),
    reduction("subgroupOr", "U(U)", Op::SubgroupOr, Reduce),
    reduction("subgroupOr", "B(B)", Op::SubgroupOr, Reduce),
    reduction("subgroupInclusiveOr", "I(I)", Op::SubgroupOr, InclusiveScan),
    reduction("subgroupInclusiveOr", "U(U)", Op::SubgroupOr, InclusiveScan),
    reduction("subgroupInclusiveOr", "B(B)", Op::SubgroupOr, InclusiveScan),
    reduction("subgroupExclusiveOr", "I(I)", Op::SubgroupOr, ExclusiveScan),
    reduction("subgroupExclusiveOr", "U(U)", Op::SubgroupOr, ExclusiveScan),
    reduction("subgroupExclusiveOr", "B(B)", Op::SubgroupOr, ExclusiveScan),
    clustered("subgroupClusteredOr", "I(I,!u)", Op::SubgroupOr),
    clustered("subgroupClusteredOr", "U(U,!u)", Op::SubgroupOr),
    clustered("subgroupClusteredOr", "B(B,!u)", Op::SubgroupOr),
    reduction("subgroupXor", "I(I)", Op::SubgroupXor, Reduce),
    reduction("subgroupXor", "U(U)", Op::SubgroupXor, Reduce),
    reduction("subgroupXor", "B(B)", Op::SubgroupXor, Reduce),
    reduction("subgroupInclusiveXor", "I(I)", Op::SubgroupXor, InclusiveScan),
    reduction("subgroupInclusiveXor", "U(U)", Op::SubgroupXor, InclusiveScan),
    reduction("subgroupInclusiveXor", "B(B)", Op::SubgroupXor, InclusiveScan),
    reduction("subgroupExclusiveXor", "I(I)", Op::SubgroupXor, ExclusiveScan),
    reduction("subgroupExclusiveXor", "U(U)", Op::SubgroupXor, ExclusiveScan),
    reduction("subgroupExclusiveXor", "B(B)", Op::SubgroupXor, ExclusiveScan),
    clustered("subgroupClusteredXor", "I(I,!u)", Op::SubgroupXor),
    clustered("subgroupClusteredXor", "U(U,!u)", Op::SubgroupXor),
    clustered("subgroupClusteredXor", "B(B,!u)", Op::SubgroupXor),
    row("subgroupQuadBroadcast", "F(F,u)", (0, 0), Op::QuadBroadcast).doubles().with(SUBGROUP_QUAD),
    row("subgroupQuadBroadcast", "I(I,u)", (0, 0), Op::QuadBroadcast).with(SUBGROUP_QUAD),
    row("subgroupQuadBroadcast", "U(U,u)", (0, 0), Op::QuadBroadcast).with(SUBGROUP_QUAD),
    row("subgroupQuadBroadcast", "B(B,u)", (0, 0), Op::QuadBroadcast).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapHorizontal", "F(F)", (0, 0), Op::QuadSwapHorizontal).doubles().with(SUBGROUP_QUAD),
    row("subgroupQuadSwapHorizontal", "I(I)", (0, 0), Op::QuadSwapHorizontal).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapHorizontal", "U(U)", (0, 0), Op::QuadSwapHorizontal).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapHorizontal", "B(B)", (0, 0), Op::QuadSwapHorizontal).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapVertical", "F(F)", (0, 0), Op::QuadSwapVertical).doubles().with(SUBGROUP_QUAD),
    row("subgroupQuadSwapVertical", "I(I)", (0, 0), Op::QuadSwapVertical).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapVertical", "U(U)", (0, 0), Op::QuadSwapVertical).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapVertical", "B(B)", (0, 0), Op::QuadSwapVertical).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapDiagonal", "F(F)", (0, 0), Op::QuadSwapDiagonal).doubles().with(SUBGROUP_QUAD),
    row("subgroupQuadSwapDiagonal", "I(I)", (0, 0), Op::QuadSwapDiagonal).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapDiagonal", "U(U)", (0, 0), Op::QuadSwapDiagonal).with(SUBGROUP_QUAD),
    row("subgroupQuadSwapDiagonal", "B(B)", (0, 0), Op::QuadSwapDiagonal).with(SUBGROUP_QUAD),
    // Colour.
    row("rgb_2_yuv", "f3(f3,y)", (0, 0), Op::RgbToYuv).with(&["GL_EXT_YUV_target"]),
    row("yuv_2_rgb", "f3(f3,y)", (0, 0), Op::YuvToRgb).with(&["GL_EXT_YUV_target"]),
];

static INDEX: LazyLock<FxHashMap<&'static str, Vec<&'static Row>>> = LazyLock::new(|| {
    let mut index: FxHashMap<&str, Vec<&Row>> = FxHashMap::default();
    for row in all_rows() {
        index.entry(row.name).or_default().push(row);
    }
    index
});

/// The rows of a name.
pub(super) fn rows(name: &str) -> &'static [&'static Row] {
    INDEX.get(name).map_or(&[], |rows| rows)
}

/// All names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let firsts = |rows: &'static [Row]| rows.chunk_by(|a, b| a.name == b.name).map(|rows| rows[0].name);
    [ROWS, super::device::ROWS, super::scopes::ROWS].into_iter().flat_map(firsts)
}

/// Every row.
pub(super) fn all_rows() -> impl Iterator<Item = &'static Row> {
    [ROWS, super::device::ROWS, super::scopes::ROWS].into_iter().flatten()
}
