//! Words that a name must not be: keywords, reserved words and built-in functions, by version.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::target::{NEVER, Target};

/// Keywords and reserved words of all versions.
const ALWAYS: &str = "\
attribute const uniform varying break continue do for while if else in out inout float int void bool true false lowp \
mediump highp precision invariant discard return struct mat2 mat3 mat4 vec2 vec3 vec4 ivec2 ivec3 ivec4 bvec2 bvec3 \
bvec4 sampler2D samplerCube asm class union enum typedef template this packed goto switch default inline noinline \
volatile public static extern external interface flat long short double half fixed unsigned superp input output hvec2 \
hvec3 hvec4 dvec2 dvec3 dvec4 fvec2 fvec3 fvec4 sampler1D sampler3D sampler1DShadow sampler2DShadow sampler2DRect \
sampler3DRect sampler2DRectShadow sizeof cast namespace using main";

/// Those that came with `in` and `out` (ES 3.00, desktop 1.30) or soon after.
const MODERN: &str = "\
layout centroid smooth noperspective case mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 uint uvec2 \
uvec3 uvec4 samplerCubeShadow sampler2DArray sampler2DArrayShadow sampler1DArray sampler1DArrayShadow isampler1D \
isampler2D isampler3D isamplerCube isampler1DArray isampler2DArray usampler1D usampler2D usampler3D usamplerCube \
usampler1DArray usampler2DArray samplerBuffer isamplerBuffer usamplerBuffer sampler2DMS isampler2DMS usampler2DMS \
sampler2DMSArray isampler2DMSArray usampler2DMSArray samplerCubeArray isamplerCubeArray usamplerCubeArray \
samplerCubeArrayShadow isampler2DRect usampler2DRect coherent restrict readonly writeonly resource atomic_uint \
common partition active filter image1D image2D image3D imageCube image1DArray image2DArray \
imageCubeArray image2DMS image2DMSArray imageBuffer image2DRect iimage1D iimage2D iimage3D iimageCube iimage1DArray \
iimage2DArray iimageCubeArray iimage2DMS iimage2DMSArray iimageBuffer iimage2DRect uimage1D uimage2D uimage3D \
uimageCube uimage1DArray uimage2DArray uimageCubeArray uimage2DMS uimage2DMSArray uimageBuffer uimage2DRect \
image1DShadow image2DShadow image1DArrayShadow image2DArrayShadow dmat2 dmat3 dmat4 dmat2x2 dmat2x3 dmat2x4 dmat3x2 \
dmat3x3 dmat3x4 dmat4x2 dmat4x3 dmat4x4";

/// Words with versions of their own.
const LATER: &[(&str, u16, u16)] =
    &[("buffer shared", 310, 430), ("precise", 310, 400), ("sample patch subroutine", 300, 400)];

/// Words of GLSL for Vulkan.
const VULKAN: &str = "\
sampler samplerShadow texture1D texture2D texture3D textureCube texture1DArray texture2DArray textureCubeArray \
textureBuffer texture2DMS texture2DMSArray itexture1D itexture2D itexture3D itextureCube itexture2DArray utexture1D \
utexture2D utexture3D utextureCube utexture2DArray subpassInput isubpassInput usubpassInput subpassInputMS \
isubpassInputMS usubpassInputMS";

/// Built-in functions: names, then the first ES and desktop versions that have them.
const FUNCTIONS: &[(&str, u16, u16)] = &[
    (
        "radians degrees sin cos tan asin acos atan pow exp log exp2 log2 sqrt inversesqrt abs sign floor ceil fract \
         mod min max clamp mix step smoothstep length distance dot cross normalize faceforward reflect refract \
         matrixCompMult lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual any all not texture2D \
         texture2DProj texture2DLod texture2DProjLod textureCube textureCubeLod",
        100,
        110,
    ),
    ("outerProduct transpose", 300, 120),
    ("texture2DLodEXT texture2DProjLodEXT textureCubeLodEXT dFdx dFdy fwidth", 100, 110),
    (
        "sinh cosh tanh asinh acosh atanh trunc round roundEven modf isnan isinf textureSize texture textureProj \
         textureLod textureOffset texelFetch texelFetchOffset textureProjOffset textureLodOffset textureProjLod \
         textureProjLodOffset textureGrad textureGradOffset textureProjGrad textureProjGradOffset",
        300,
        130,
    ),
    ("determinant inverse", 300, 140),
    ("floatBitsToInt floatBitsToUint intBitsToFloat uintBitsToFloat", 300, 330),
    ("packSnorm2x16 packUnorm2x16 packHalf2x16 unpackSnorm2x16 unpackUnorm2x16 unpackHalf2x16", 300, 400),
    (
        "packSnorm4x8 packUnorm4x8 unpackSnorm4x8 unpackUnorm4x8 bitfieldExtract bitfieldInsert bitfieldReverse \
         bitCount findLSB findMSB uaddCarry usubBorrow umulExtended imulExtended ldexp frexp textureGather \
         textureGatherOffset",
        310,
        400,
    ),
    ("fma interpolateAtCentroid interpolateAtSample interpolateAtOffset textureGatherOffsets", 320, 400),
    (
        "atomicAdd atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExchange atomicCompSwap imageSize imageLoad \
         imageStore imageAtomicAdd imageAtomicMin imageAtomicMax imageAtomicAnd imageAtomicOr imageAtomicXor \
         imageAtomicExchange imageAtomicCompSwap atomicCounter atomicCounterIncrement atomicCounterDecrement barrier \
         memoryBarrier memoryBarrierAtomicCounter memoryBarrierBuffer memoryBarrierImage memoryBarrierShared \
         groupMemoryBarrier",
        310,
        420,
    ),
    ("textureQueryLod textureQueryLevels textureSamples packDouble2x32 unpackDouble2x32", NEVER, 400),
    ("dFdxFine dFdyFine fwidthFine dFdxCoarse dFdyCoarse fwidthCoarse", NEVER, 450),
    ("EmitVertex EndPrimitive", 320, 150),
    ("demote helperInvocationEXT", 310, 140),
    ("beginInvocationInterlockARB endInvocationInterlockARB", NEVER, 450),
    ("beginInvocationInterlockNV endInvocationInterlockNV", 310, NEVER),
    (
        "texture1D texture1DProj texture1DLod texture1DProjLod texture3D texture3DProj texture3DLod texture3DProjLod \
         shadow1D shadow2D shadow1DProj shadow2DProj shadow1DLod shadow2DLod ftransform noise1 noise2 noise3 noise4",
        NEVER,
        110,
    ),
];

/// Since when a word means something: ES version, desktop version, whether only for Vulkan.
#[derive(Clone, Copy, Default)]
struct Word {
    keyword: Option<(u16, u16, bool)>,
    function: Option<(u16, u16)>,
}

static WORDS: LazyLock<FxHashMap<&'static str, Word>> = LazyLock::new(|| {
    let mut words: FxHashMap<&'static str, Word> = FxHashMap::default();
    for (list, since) in [(ALWAYS, (100, 110, false)), (MODERN, (300, 130, false)), (VULKAN, (100, 110, true))] {
        for word in list.split(' ') {
            words.entry(word).or_default().keyword = Some(since);
        }
    }
    for &(list, es, desktop) in LATER {
        for word in list.split(' ') {
            words.entry(word).or_default().keyword = Some((es, desktop, false));
        }
    }
    for &(list, es, desktop) in FUNCTIONS {
        for word in list.split(' ') {
            words.entry(word).or_default().function = Some((es, desktop));
        }
    }
    words
});

/// Names that begin so are reserved: by every version, and by WebGL.
const RESERVED_PREFIXES: [&str; 3] = ["gl_", "webgl_", "_webgl_"];

/// Whether `word` is a keyword or reserved word of the target.
pub(crate) fn is_reserved(target: &Target, word: &str) -> bool {
    let known = WORDS.get(word).and_then(|w| w.keyword);
    let prefixes = &RESERVED_PREFIXES[..if target.es { 3 } else { 1 }];
    word.contains("__")
        || prefixes.iter().any(|prefix| word.starts_with(prefix))
        || known.is_some_and(|(es, desktop, vulkan)| target.at_least(es, desktop) && (!vulkan || target.vulkan))
}

/// Whether `word` is a built-in function of the target.
pub(crate) fn is_builtin_function(target: &Target, word: &str) -> bool {
    WORDS.get(word).and_then(|w| w.function).is_some_and(|(es, desktop)| target.at_least(es, desktop))
}

/// `text` as an identifier that every version takes: letters, digits and single underscores, beginning with no digit
/// and no reserved prefix.
pub(crate) fn sanitize(text: &str) -> String {
    planish_back_text::dialect::sanitize(text, &RESERVED_PREFIXES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_back_text::names::unused;
    use planish_ir::module::Stage;
    use rustc_hash::FxHashSet;
    use std::sync::Arc;

    #[test]
    fn words_are_known_by_version() {
        let es100 = Target { version: 100, es: true, vulkan: false, stage: Stage::Fragment };
        let es300 = Target { version: 300, ..es100 };
        assert!(is_reserved(&es100, "input") && !is_reserved(&es100, "sample") && is_reserved(&es300, "sample"));
        assert!(!is_builtin_function(&es100, "round") && is_builtin_function(&es300, "round"));
        assert_eq!(sanitize("a__b.c"), "a_b_c");
        assert_eq!(sanitize("3d"), "n3d");
        assert_eq!(sanitize("gl_x"), "x");
        assert_eq!(sanitize("_webgl_gl_3d"), "n3d");
        assert_eq!(sanitize("webgl_"), "t");
    }

    /// Every hint gives any number of names, all different and none reserved.
    #[test]
    fn any_hint_can_be_numbered() {
        let hints = ["a__b", "x_", "__", "", "gl", "webgl", "_webgl", "gl_x", "main", "a.b", "3d", "t_", "n-body"];
        for (version, es) in [(100, true), (300, true), (110, false), (450, false)] {
            let target = Target { version, es, vulkan: false, stage: Stage::Fragment };
            for hint in hints {
                let mut next = FxHashMap::default();
                let mut taken: FxHashSet<Arc<str>> = FxHashSet::default();
                for _ in 0..5 {
                    let name = unused(&target, hint, &mut next, |name| !taken.contains(name));
                    assert!(!is_reserved(&target, &name), "{hint} became {name}");
                    assert!(taken.insert(name));
                }
            }
        }
    }
}
