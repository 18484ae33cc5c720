//! Words of WGSL, and identifiers.

use planish_back_text::dialect::{Words, sanitize};

/// The words of WGSL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wgsl;

impl Words for Wgsl {
    fn is_reserved(&self, word: &str) -> bool {
        word == "_" || word.starts_with("__") || KEYWORDS.binary_search(&word).is_ok() || is_type(word)
    }

    fn is_builtin(&self, word: &str) -> bool {
        FUNCTIONS.binary_search(&word).is_ok() || ENUMERANTS.contains(&word) || is_format(word)
    }

    fn sanitize(&self, text: &str) -> String {
        sanitize(text, &["_"])
    }
}

/// Names of types: constructors are written under them everywhere, so nothing hides them.
fn is_type(word: &str) -> bool {
    let is_suffix = |rest: &str| {
        let plain = rest.strip_suffix(['f', 'i', 'u', 'h']).unwrap_or(rest);
        matches!(plain, "2" | "3" | "4" | "2x2" | "2x3" | "2x4" | "3x2" | "3x3" | "3x4" | "4x2" | "4x3" | "4x4")
    };
    let vector = word.strip_prefix("vec").or_else(|| word.strip_prefix("mat"));
    vector.is_some_and(is_suffix)
        || TYPES.contains(&word)
        || word.starts_with("texture_")
        || matches!(word, "bitcast" | "discard")
}

fn is_format(word: &str) -> bool {
    let channels = ["rgba", "rgb", "rg", "r", "bgra"];
    let kinds = ["unorm", "snorm", "uint", "sint", "float", "ufloat"];
    channels.iter().any(|c| word.strip_prefix(c).is_some_and(|rest| rest.starts_with(|d: char| d.is_ascii_digit())))
        && kinds.iter().any(|k| word.ends_with(k))
}

const TYPES: &[&str] = &[
    "array",
    "atomic",
    "bool",
    "f16",
    "f32",
    "f64",
    "i32",
    "i64",
    "ptr",
    "sampler",
    "sampler_comparison",
    "u32",
    "u64",
];

/// Address spaces and access modes, which declarations at module scope mention.
const ENUMERANTS: &[&str] = &[
    "function",
    "handle",
    "immediate",
    "private",
    "push_constant",
    "read",
    "read_write",
    "storage",
    "uniform",
    "workgroup",
    "write",
];

/// Keywords and reserved words, sorted.
const KEYWORDS: &[&str] = &[
    "NULL",
    "Self",
    "abstract",
    "active",
    "alias",
    "alignas",
    "alignof",
    "as",
    "asm",
    "asm_fragment",
    "async",
    "attribute",
    "auto",
    "await",
    "become",
    "binding_array",
    "break",
    "case",
    "cast",
    "catch",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "coherent",
    "column_major",
    "common",
    "compile",
    "compile_fragment",
    "concept",
    "const",
    "const_assert",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "continuing",
    "crate",
    "debugger",
    "decltype",
    "default",
    "delete",
    "demote",
    "demote_to_helper",
    "diagnostic",
    "discard",
    "do",
    "dynamic_cast",
    "else",
    "enable",
    "enum",
    "explicit",
    "export",
    "extends",
    "extern",
    "external",
    "fallthrough",
    "false",
    "filter",
    "final",
    "finally",
    "fn",
    "for",
    "friend",
    "from",
    "fxgroup",
    "get",
    "goto",
    "groupshared",
    "highp",
    "if",
    "impl",
    "implements",
    "import",
    "inline",
    "instanceof",
    "interface",
    "layout",
    "let",
    "loop",
    "lowp",
    "macro",
    "macro_rules",
    "match",
    "mediump",
    "meta",
    "mod",
    "module",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "nil",
    "noexcept",
    "noinline",
    "nointerpolation",
    "non_coherent",
    "noncoherent",
    "noperspective",
    "null",
    "nullptr",
    "of",
    "operator",
    "override",
    "package",
    "packoffset",
    "partition",
    "pass",
    "patch",
    "pixelfragment",
    "precise",
    "precision",
    "premerge",
    "priv",
    "protected",
    "pub",
    "public",
    "readonly",
    "ref",
    "regardless",
    "register",
    "reinterpret_cast",
    "require",
    "requires",
    "resource",
    "restrict",
    "return",
    "self",
    "set",
    "shared",
    "sizeof",
    "smooth",
    "snorm",
    "static",
    "static_assert",
    "static_cast",
    "std",
    "struct",
    "subroutine",
    "super",
    "switch",
    "target",
    "template",
    "this",
    "thread_local",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unless",
    "unorm",
    "unsafe",
    "unsized",
    "use",
    "using",
    "var",
    "varying",
    "virtual",
    "volatile",
    "wgsl",
    "where",
    "while",
    "with",
    "writeonly",
    "yield",
];

/// Built-in functions, sorted.
const FUNCTIONS: &[&str] = &[
    "abs",
    "acos",
    "acosh",
    "all",
    "any",
    "arrayLength",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atomicAdd",
    "atomicAnd",
    "atomicCompareExchangeWeak",
    "atomicExchange",
    "atomicLoad",
    "atomicMax",
    "atomicMin",
    "atomicOr",
    "atomicStore",
    "atomicSub",
    "atomicXor",
    "ceil",
    "clamp",
    "cos",
    "cosh",
    "countLeadingZeros",
    "countOneBits",
    "countTrailingZeros",
    "cross",
    "degrees",
    "determinant",
    "distance",
    "dot",
    "dot4I8Packed",
    "dot4U8Packed",
    "dpdx",
    "dpdxCoarse",
    "dpdxFine",
    "dpdy",
    "dpdyCoarse",
    "dpdyFine",
    "exp",
    "exp2",
    "extractBits",
    "faceForward",
    "firstLeadingBit",
    "firstTrailingBit",
    "floor",
    "fma",
    "fract",
    "frexp",
    "fwidth",
    "fwidthCoarse",
    "fwidthFine",
    "insertBits",
    "inverse",
    "inverseSqrt",
    "isInf",
    "isNan",
    "ldexp",
    "length",
    "log",
    "log2",
    "max",
    "min",
    "mix",
    "modf",
    "normalize",
    "pack2x16float",
    "pack2x16snorm",
    "pack2x16unorm",
    "pack4x8snorm",
    "pack4x8unorm",
    "pow",
    "quantizeToF16",
    "radians",
    "reflect",
    "refract",
    "reverseBits",
    "round",
    "saturate",
    "select",
    "sign",
    "sin",
    "sinh",
    "smoothstep",
    "sqrt",
    "step",
    "storageBarrier",
    "tan",
    "tanh",
    "textureBarrier",
    "textureDimensions",
    "textureGather",
    "textureGatherCompare",
    "textureLoad",
    "textureNumLayers",
    "textureNumLevels",
    "textureNumSamples",
    "textureSample",
    "textureSampleBaseClampToEdge",
    "textureSampleBias",
    "textureSampleCompare",
    "textureSampleCompareLevel",
    "textureSampleGrad",
    "textureSampleLevel",
    "textureStore",
    "transpose",
    "trunc",
    "unpack2x16float",
    "unpack2x16snorm",
    "unpack2x16unorm",
    "unpack4x8snorm",
    "unpack4x8unorm",
    "workgroupBarrier",
    "workgroupUniformLoad",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(KEYWORDS.is_sorted() && FUNCTIONS.is_sorted());
    }

    #[test]
    fn types_and_formats_are_taken() {
        for word in ["vec4f", "mat2x3", "texture_2d", "sampler", "__x", "_", "var", "target"] {
            assert!(Wgsl.is_reserved(word), "{word}");
        }
        for word in ["r32float", "rgba8unorm", "read_write", "select"] {
            assert!(Wgsl.is_builtin(word), "{word}");
        }
        for word in ["vec5f", "matter", "texture", "read_me", "r", "color", "_x"] {
            assert!(!Wgsl.is_reserved(word) && !Wgsl.is_builtin(word), "{word}");
        }
    }
}
