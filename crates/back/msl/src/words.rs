//! Words of Metal, and identifiers.

use planish_back_text::dialect::{Words, sanitize};

/// The words of Metal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Msl;

impl Words for Msl {
    fn is_reserved(&self, word: &str) -> bool {
        let is_implementation =
            word.contains("__") || word.starts_with('_') && word[1..].starts_with(|c: char| c.is_ascii_uppercase());
        is_implementation || word == "main" || KEYWORDS.binary_search(&word).is_ok() || is_type(word)
    }

    fn is_builtin(&self, word: &str) -> bool {
        FUNCTIONS.binary_search(&word).is_ok()
            || FAMILIES.iter().any(|family| word.starts_with(family))
            // Macros of the library.
            || word.starts_with("M_") && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    }

    fn sanitize(&self, text: &str) -> String {
        sanitize(text, &["_"])
    }
}

/// Names of types, with or without a number of components.
fn is_type(word: &str) -> bool {
    let word = word.strip_prefix("packed_").unwrap_or(word);
    let is_size = |rest: &str| {
        matches!(rest, "" | "2" | "3" | "4" | "2x2" | "2x3" | "2x4" | "3x2" | "3x3" | "3x4" | "4x2" | "4x3" | "4x4")
    };
    let scalars = [
        "bool", "uchar", "char", "ushort", "short", "uint", "int", "ulong", "long", "half", "float", "double", "bfloat",
    ];
    scalars.iter().any(|s| word.strip_prefix(s).is_some_and(is_size))
        || ["texture1d", "texture2d", "texture3d", "texturecube", "texture_buffer", "depth2d", "depthcube"]
            .iter()
            .any(|t| word.starts_with(t))
}

/// The first words of functions that come in many kinds.
const FAMILIES: [&str; 8] =
    ["as_type", "atomic_", "pack_float_to_", "pack_half_to_", "quad_", "simd_", "unpack_snorm", "unpack_unorm"];

const KEYWORDS: &[&str] = &[
    "HUGE_VALF",
    "INFINITY",
    "MAXFLOAT",
    "NAN",
    "access",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "array",
    "array_ref",
    "asm",
    "atomic",
    "auto",
    "bitand",
    "bitor",
    "break",
    "case",
    "catch",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "component",
    "const",
    "const_cast",
    "constant",
    "constexpr",
    "continue",
    "coord",
    "decltype",
    "default",
    "delete",
    "device",
    "discard_fragment",
    "do",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "filter",
    "for",
    "fragment",
    "friend",
    "goto",
    "if",
    "inline",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "intersection",
    "kernel",
    "matrix",
    "mem_flags",
    "memory_order",
    "mesh",
    "metal",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "object",
    "object_data",
    "operator",
    "or",
    "or_eq",
    "packed",
    "patch",
    "payload",
    "private",
    "protected",
    "ptrdiff_t",
    "public",
    "ray_data",
    "register",
    "reinterpret_cast",
    "restrict",
    "return",
    "sampler",
    "signed",
    "size_t",
    "sizeof",
    "stage_in",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread",
    "thread_local",
    "thread_scope",
    "threadgroup",
    "threadgroup_imageblock",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unsigned",
    "using",
    "vec",
    "vertex",
    "virtual",
    "visible",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

const FUNCTIONS: &[&str] = &[
    "abs",
    "absdiff",
    "acos",
    "acosh",
    "address",
    "addsat",
    "all",
    "any",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atomic_thread_fence",
    "bias",
    "ceil",
    "clamp",
    "clz",
    "compare_func",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cross",
    "ctz",
    "determinant",
    "dfdx",
    "dfdy",
    "distance",
    "distance_squared",
    "divide",
    "dot",
    "exp",
    "exp10",
    "exp2",
    "extract_bits",
    "fabs",
    "faceforward",
    "fast",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmax3",
    "fmedian3",
    "fmin",
    "fmin3",
    "fmod",
    "fract",
    "frexp",
    "fwidth",
    "gradient2d",
    "gradient3d",
    "gradientcube",
    "hadd",
    "ilogb",
    "insert_bits",
    "is_function_constant_defined",
    "is_null_texture",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "isordered",
    "isunordered",
    "ldexp",
    "length",
    "length_squared",
    "level",
    "lod_clamp",
    "log",
    "log10",
    "log2",
    "mad24",
    "madhi",
    "madsat",
    "max",
    "max3",
    "median3",
    "min",
    "min3",
    "min_lod_clamp",
    "mip_filter",
    "mix",
    "modf",
    "mul24",
    "mulhi",
    "nan",
    "nextafter",
    "norm",
    "normalize",
    "popcount",
    "pow",
    "powr",
    "precise",
    "raytracing",
    "reflect",
    "refract",
    "reverse_bits",
    "rhadd",
    "rint",
    "rotate",
    "round",
    "rsqrt",
    "saturate",
    "select",
    "sign",
    "signbit",
    "simdgroup_barrier",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "smoothstep",
    "sqrt",
    "step",
    "subsat",
    "tan",
    "tanh",
    "tanpi",
    "threadgroup_barrier",
    "transpose",
    "trunc",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(KEYWORDS.is_sorted() && FUNCTIONS.is_sorted());
    }

    #[test]
    fn types_are_taken() {
        for word in ["float4", "packed_float3", "float3x3", "texture2d_array", "main", "a__b", "_X", "vertex", "half"] {
            assert!(Msl.is_reserved(word), "{word}");
        }
        for word in ["floats", "float5", "color", "vertexes", "_x", "texture", "depth"] {
            assert!(!Msl.is_reserved(word) && !Msl.is_builtin(word), "{word}");
        }
    }
}
