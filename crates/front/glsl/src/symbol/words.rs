//! The words of GLSL in one table: keywords and reserved words of every version, with the versions that change their
//! class, and the names that the front end itself refers to.
//!
//! A row reads: constant, spelling, then for ES and for desktop the versions at which its class changes: `K`eyword,
//! `R`eserved, `C`ontextual (a type where a type is allowed, otherwise a name), `I`dentifier. Before the first version
//! it is an identifier. Source: chapter 3.6 "Keywords" of the GLSL and GLSL ES specifications.

use super::Symbol;
use crate::version::WordClass;

/// The class of a word from a version on.
pub(crate) type Since = (u16, WordClass);

macro_rules! class {
    (K) => {
        WordClass::Keyword
    };
    (R) => {
        WordClass::Reserved
    };
    (C) => {
        WordClass::Contextual
    };
    (I) => {
        WordClass::Identifier
    };
}

macro_rules! words {
    ($($name:ident $text:literal [$($es:literal $esc:ident),*] [$($gl:literal $glc:ident),*])*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum WordId { $($name,)* COUNT }

        /// Words that are keywords or reserved in some version, by the upper-cased word.
        pub mod kw {
            use super::{Symbol, WordId};
            $(#[doc = concat!("`", $text, "`")] pub const $name: Symbol = Symbol(WordId::$name as u32);)*
        }

        /// Spelling and classes (ES, desktop), by symbol.
        pub(crate) const WORDS: &[(&str, &[Since], &[Since])] =
            &[$(($text, &[$(($es, class!($esc))),*], &[$(($gl, class!($glc))),*])),*];
    };
}

macro_rules! names {
    ($($name:ident $text:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum NameId { $($name,)* COUNT }

        /// Names that no version reserves, but the front end refers to.
        pub mod sym {
            use super::{NameId, Symbol, WordId};
            $(#[doc = concat!("`", $text, "`")]
            pub const $name: Symbol = Symbol(WordId::COUNT as u32 + NameId::$name as u32);)*
        }

        /// Spellings; symbols follow those of [`WORDS`].
        pub(crate) const NAMES: &[&str] = &[$($text),*];
    };
}

/// Number of symbols defined by the two tables.
pub(crate) const FIXED: u32 = WordId::COUNT as u32 + NameId::COUNT as u32;

words! {
    // Control flow.
    BREAK "break" [100 K] [110 K]
    CONTINUE "continue" [100 K] [110 K]
    DO "do" [100 K] [110 K]
    FOR "for" [100 K] [110 K]
    WHILE "while" [100 K] [110 K]
    IF "if" [100 K] [110 K]
    ELSE "else" [100 K] [110 K]
    DISCARD "discard" [100 K] [110 K]
    RETURN "return" [100 K] [110 K]
    TRUE "true" [100 K] [110 K]
    FALSE "false" [100 K] [110 K]
    STRUCT "struct" [100 K] [110 K]
    CONST "const" [100 K] [110 K]
    SWITCH "switch" [100 R, 300 K] [110 R, 130 K]
    DEFAULT "default" [100 R, 300 K] [110 R, 130 K]
    CASE "case" [300 K] [130 K]

    // Qualifiers.
    ATTRIBUTE "attribute" [100 K, 300 R] [110 K]
    VARYING "varying" [100 K, 300 R] [110 K]
    UNIFORM "uniform" [100 K] [110 K]
    IN "in" [100 K] [110 K]
    OUT "out" [100 K] [110 K]
    INOUT "inout" [100 K] [110 K]
    INVARIANT "invariant" [100 K] [120 K]
    PRECISE "precise" [310 R, 320 K] [400 K]
    LAYOUT "layout" [300 K] [140 K]
    CENTROID "centroid" [300 K] [120 K]
    FLAT "flat" [100 R, 300 K] [130 K]
    SMOOTH "smooth" [300 K] [130 K]
    NOPERSPECTIVE "noperspective" [300 R] [130 K]
    PATCH "patch" [300 R, 320 K] [400 K]
    SAMPLE "sample" [300 R, 320 K] [400 K]
    SUBROUTINE "subroutine" [300 R] [400 K]
    BUFFER "buffer" [310 K] [430 K]
    SHARED "shared" [310 K] [430 K]
    COHERENT "coherent" [300 R, 310 K] [420 K]
    RESTRICT "restrict" [300 R, 310 K] [420 K]
    READONLY "readonly" [300 R, 310 K] [420 K]
    WRITEONLY "writeonly" [300 R, 310 K] [420 K]
    VOLATILE "volatile" [100 R, 310 K] [110 R, 420 K]
    LOWP "lowp" [100 K] [120 R, 130 K]
    MEDIUMP "mediump" [100 K] [120 R, 130 K]
    HIGHP "highp" [100 K] [120 R, 130 K]
    PRECISION "precision" [100 K] [120 R, 130 K]

    // Types.
    VOID "void" [100 K] [110 K]
    BOOL "bool" [100 K] [110 K]
    INT "int" [100 K] [110 K]
    FLOAT "float" [100 K] [110 K]
    UINT "uint" [300 K] [130 K]
    DOUBLE "double" [100 R] [110 R, 400 K]
    VEC2 "vec2" [100 K] [110 K]
    VEC3 "vec3" [100 K] [110 K]
    VEC4 "vec4" [100 K] [110 K]
    IVEC2 "ivec2" [100 K] [110 K]
    IVEC3 "ivec3" [100 K] [110 K]
    IVEC4 "ivec4" [100 K] [110 K]
    BVEC2 "bvec2" [100 K] [110 K]
    BVEC3 "bvec3" [100 K] [110 K]
    BVEC4 "bvec4" [100 K] [110 K]
    UVEC2 "uvec2" [300 K] [130 K]
    UVEC3 "uvec3" [300 K] [130 K]
    UVEC4 "uvec4" [300 K] [130 K]
    DVEC2 "dvec2" [100 R] [110 R, 400 K]
    DVEC3 "dvec3" [100 R] [110 R, 400 K]
    DVEC4 "dvec4" [100 R] [110 R, 400 K]
    MAT2 "mat2" [100 K] [110 K]
    MAT3 "mat3" [100 K] [110 K]
    MAT4 "mat4" [100 K] [110 K]
    MAT2X2 "mat2x2" [300 K] [120 K]
    MAT2X3 "mat2x3" [300 K] [120 K]
    MAT2X4 "mat2x4" [300 K] [120 K]
    MAT3X2 "mat3x2" [300 K] [120 K]
    MAT3X3 "mat3x3" [300 K] [120 K]
    MAT3X4 "mat3x4" [300 K] [120 K]
    MAT4X2 "mat4x2" [300 K] [120 K]
    MAT4X3 "mat4x3" [300 K] [120 K]
    MAT4X4 "mat4x4" [300 K] [120 K]
    DMAT2 "dmat2" [310 R] [400 K]
    DMAT3 "dmat3" [310 R] [400 K]
    DMAT4 "dmat4" [310 R] [400 K]
    DMAT2X2 "dmat2x2" [310 R] [400 K]
    DMAT2X3 "dmat2x3" [310 R] [400 K]
    DMAT2X4 "dmat2x4" [310 R] [400 K]
    DMAT3X2 "dmat3x2" [310 R] [400 K]
    DMAT3X3 "dmat3x3" [310 R] [400 K]
    DMAT3X4 "dmat3x4" [310 R] [400 K]
    DMAT4X2 "dmat4x2" [310 R] [400 K]
    DMAT4X3 "dmat4x3" [310 R] [400 K]
    DMAT4X4 "dmat4x4" [310 R] [400 K]
    ATOMIC_UINT "atomic_uint" [300 R, 310 K] [420 K]

    // Types of extensions: no version has them as words, see `WordTable::enable`.
    INT8_T "int8_t" [] []
    INT16_T "int16_t" [] []
    INT32_T "int32_t" [] []
    INT64_T "int64_t" [] []
    UINT8_T "uint8_t" [] []
    UINT16_T "uint16_t" [] []
    UINT32_T "uint32_t" [] []
    UINT64_T "uint64_t" [] []
    FLOAT16_T "float16_t" [] []
    FLOAT32_T "float32_t" [] []
    FLOAT64_T "float64_t" [] []
    I64VEC2 "i64vec2" [] []
    I64VEC3 "i64vec3" [] []
    I64VEC4 "i64vec4" [] []
    U64VEC2 "u64vec2" [] []
    U64VEC3 "u64vec3" [] []
    U64VEC4 "u64vec4" [] []
    I8VEC2 "i8vec2" [] []
    I8VEC3 "i8vec3" [] []
    I8VEC4 "i8vec4" [] []
    U8VEC2 "u8vec2" [] []
    U8VEC3 "u8vec3" [] []
    U8VEC4 "u8vec4" [] []
    I16VEC2 "i16vec2" [] []
    I16VEC3 "i16vec3" [] []
    I16VEC4 "i16vec4" [] []
    U16VEC2 "u16vec2" [] []
    U16VEC3 "u16vec3" [] []
    U16VEC4 "u16vec4" [] []
    F16VEC2 "f16vec2" [] []
    F16VEC3 "f16vec3" [] []
    F16VEC4 "f16vec4" [] []
    F16MAT2 "f16mat2" [] []
    F16MAT3 "f16mat3" [] []
    F16MAT4 "f16mat4" [] []
    F16MAT2X2 "f16mat2x2" [] []
    F16MAT2X3 "f16mat2x3" [] []
    F16MAT2X4 "f16mat2x4" [] []
    F16MAT3X2 "f16mat3x2" [] []
    F16MAT3X3 "f16mat3x3" [] []
    F16MAT3X4 "f16mat3x4" [] []
    F16MAT4X2 "f16mat4x2" [] []
    F16MAT4X3 "f16mat4x3" [] []
    F16MAT4X4 "f16mat4x4" [] []
    F32VEC2 "f32vec2" [] []
    F32VEC3 "f32vec3" [] []
    F32VEC4 "f32vec4" [] []
    F64VEC2 "f64vec2" [] []
    F64VEC3 "f64vec3" [] []
    F64VEC4 "f64vec4" [] []
    SAMPLEREXTERNALOES "samplerExternalOES" [] []
    ACCELERATIONSTRUCTUREEXT "accelerationStructureEXT" [] []
    ACCELERATIONSTRUCTURENV "accelerationStructureNV" [] []
    RAYQUERYEXT "rayQueryEXT" [] []

    // Combined samplers.
    SAMPLER2D "sampler2D" [100 K] [110 K]
    SAMPLERCUBE "samplerCube" [100 K] [110 K]
    SAMPLER3D "sampler3D" [100 R, 300 K] [110 K]
    SAMPLER1D "sampler1D" [100 R] [110 K]
    SAMPLER1DSHADOW "sampler1DShadow" [100 R] [110 K]
    SAMPLER2DSHADOW "sampler2DShadow" [100 R, 300 K] [110 K]
    SAMPLERCUBESHADOW "samplerCubeShadow" [300 K] [130 K]
    SAMPLER2DARRAY "sampler2DArray" [300 K] [130 K]
    SAMPLER2DARRAYSHADOW "sampler2DArrayShadow" [300 K] [130 K]
    SAMPLER1DARRAY "sampler1DArray" [300 R] [130 K]
    SAMPLER1DARRAYSHADOW "sampler1DArrayShadow" [300 R] [130 K]
    SAMPLER2DRECT "sampler2DRect" [100 R] [110 R, 140 K]
    SAMPLER2DRECTSHADOW "sampler2DRectShadow" [100 R] [110 R, 140 K]
    SAMPLERCUBEARRAY "samplerCubeArray" [310 R, 320 K] [400 K]
    SAMPLERCUBEARRAYSHADOW "samplerCubeArrayShadow" [310 R, 320 K] [400 K]
    SAMPLERBUFFER "samplerBuffer" [300 R, 320 K] [130 R, 140 K]
    SAMPLER2DMS "sampler2DMS" [300 R, 310 K] [150 K]
    SAMPLER2DMSARRAY "sampler2DMSArray" [300 R, 320 K] [150 K]
    ISAMPLER2D "isampler2D" [300 K] [130 K]
    ISAMPLER3D "isampler3D" [300 K] [130 K]
    ISAMPLERCUBE "isamplerCube" [300 K] [130 K]
    ISAMPLER2DARRAY "isampler2DArray" [300 K] [130 K]
    ISAMPLER1D "isampler1D" [300 R] [130 K]
    ISAMPLER1DARRAY "isampler1DArray" [300 R] [130 K]
    ISAMPLER2DRECT "isampler2DRect" [300 R] [130 R, 140 K]
    ISAMPLERCUBEARRAY "isamplerCubeArray" [310 R, 320 K] [400 K]
    ISAMPLERBUFFER "isamplerBuffer" [300 R, 320 K] [130 R, 140 K]
    ISAMPLER2DMS "isampler2DMS" [300 R, 310 K] [150 K]
    ISAMPLER2DMSARRAY "isampler2DMSArray" [300 R, 320 K] [150 K]
    USAMPLER2D "usampler2D" [300 K] [130 K]
    USAMPLER3D "usampler3D" [300 K] [130 K]
    USAMPLERCUBE "usamplerCube" [300 K] [130 K]
    USAMPLER2DARRAY "usampler2DArray" [300 K] [130 K]
    USAMPLER1D "usampler1D" [300 R] [130 K]
    USAMPLER1DARRAY "usampler1DArray" [300 R] [130 K]
    USAMPLER2DRECT "usampler2DRect" [300 R] [130 R, 140 K]
    USAMPLERCUBEARRAY "usamplerCubeArray" [310 R, 320 K] [400 K]
    USAMPLERBUFFER "usamplerBuffer" [300 R, 320 K] [130 R, 140 K]
    USAMPLER2DMS "usampler2DMS" [300 R, 310 K] [150 K]
    USAMPLER2DMSARRAY "usampler2DMSArray" [300 R, 320 K] [150 K]

    // Storage images.
    IMAGE2D "image2D" [300 R, 310 K] [130 R, 420 K]
    IMAGE3D "image3D" [300 R, 310 K] [130 R, 420 K]
    IMAGECUBE "imageCube" [300 R, 310 K] [130 R, 420 K]
    IMAGE2DARRAY "image2DArray" [300 R, 310 K] [130 R, 420 K]
    IMAGE1D "image1D" [300 R] [130 R, 420 K]
    IMAGE1DARRAY "image1DArray" [300 R] [130 R, 420 K]
    IMAGECUBEARRAY "imageCubeArray" [310 R, 320 K] [420 K]
    IMAGEBUFFER "imageBuffer" [300 R, 320 K] [130 R, 420 K]
    IMAGE2DRECT "image2DRect" [310 R] [420 K]
    IMAGE2DMS "image2DMS" [310 R] [420 K]
    IMAGE2DMSARRAY "image2DMSArray" [310 R] [420 K]
    IIMAGE2D "iimage2D" [300 R, 310 K] [130 R, 420 K]
    IIMAGE3D "iimage3D" [300 R, 310 K] [130 R, 420 K]
    IIMAGECUBE "iimageCube" [300 R, 310 K] [130 R, 420 K]
    IIMAGE2DARRAY "iimage2DArray" [300 R, 310 K] [130 R, 420 K]
    IIMAGE1D "iimage1D" [300 R] [130 R, 420 K]
    IIMAGE1DARRAY "iimage1DArray" [300 R] [130 R, 420 K]
    IIMAGECUBEARRAY "iimageCubeArray" [310 R, 320 K] [420 K]
    IIMAGEBUFFER "iimageBuffer" [300 R, 320 K] [130 R, 420 K]
    IIMAGE2DRECT "iimage2DRect" [310 R] [420 K]
    IIMAGE2DMS "iimage2DMS" [310 R] [420 K]
    IIMAGE2DMSARRAY "iimage2DMSArray" [310 R] [420 K]
    UIMAGE2D "uimage2D" [300 R, 310 K] [130 R, 420 K]
    UIMAGE3D "uimage3D" [300 R, 310 K] [130 R, 420 K]
    UIMAGECUBE "uimageCube" [300 R, 310 K] [130 R, 420 K]
    UIMAGE2DARRAY "uimage2DArray" [300 R, 310 K] [130 R, 420 K]
    UIMAGE1D "uimage1D" [300 R] [130 R, 420 K]
    UIMAGE1DARRAY "uimage1DArray" [300 R] [130 R, 420 K]
    UIMAGECUBEARRAY "uimageCubeArray" [310 R, 320 K] [420 K]
    UIMAGEBUFFER "uimageBuffer" [300 R, 320 K] [130 R, 420 K]
    UIMAGE2DRECT "uimage2DRect" [310 R] [420 K]
    UIMAGE2DMS "uimage2DMS" [310 R] [420 K]
    UIMAGE2DMSARRAY "uimage2DMSArray" [310 R] [420 K]

    // Separate textures and samplers (Vulkan): types where a type is allowed, otherwise names.
    TEXTURE1D "texture1D" [310 C] [140 C]
    TEXTURE2D "texture2D" [310 C] [140 C]
    TEXTURE3D "texture3D" [310 C] [140 C]
    TEXTURECUBE "textureCube" [310 C] [140 C]
    TEXTURE2DRECT "texture2DRect" [310 C] [140 C]
    TEXTURE1DARRAY "texture1DArray" [310 C] [140 C]
    TEXTURE2DARRAY "texture2DArray" [310 C] [140 C]
    TEXTURECUBEARRAY "textureCubeArray" [310 C] [140 C]
    TEXTUREBUFFER "textureBuffer" [310 C] [140 C]
    TEXTURE2DMS "texture2DMS" [310 C] [140 C]
    TEXTURE2DMSARRAY "texture2DMSArray" [310 C] [140 C]
    SUBPASSINPUT "subpassInput" [310 C] [140 C]
    SUBPASSINPUTMS "subpassInputMS" [310 C] [140 C]
    ITEXTURE1D "itexture1D" [310 C] [140 C]
    ITEXTURE2D "itexture2D" [310 C] [140 C]
    ITEXTURE3D "itexture3D" [310 C] [140 C]
    ITEXTURECUBE "itextureCube" [310 C] [140 C]
    ITEXTURE2DRECT "itexture2DRect" [310 C] [140 C]
    ITEXTURE1DARRAY "itexture1DArray" [310 C] [140 C]
    ITEXTURE2DARRAY "itexture2DArray" [310 C] [140 C]
    ITEXTURECUBEARRAY "itextureCubeArray" [310 C] [140 C]
    ITEXTUREBUFFER "itextureBuffer" [310 C] [140 C]
    ITEXTURE2DMS "itexture2DMS" [310 C] [140 C]
    ITEXTURE2DMSARRAY "itexture2DMSArray" [310 C] [140 C]
    ISUBPASSINPUT "isubpassInput" [310 C] [140 C]
    ISUBPASSINPUTMS "isubpassInputMS" [310 C] [140 C]
    UTEXTURE1D "utexture1D" [310 C] [140 C]
    UTEXTURE2D "utexture2D" [310 C] [140 C]
    UTEXTURE3D "utexture3D" [310 C] [140 C]
    UTEXTURECUBE "utextureCube" [310 C] [140 C]
    UTEXTURE2DRECT "utexture2DRect" [310 C] [140 C]
    UTEXTURE1DARRAY "utexture1DArray" [310 C] [140 C]
    UTEXTURE2DARRAY "utexture2DArray" [310 C] [140 C]
    UTEXTURECUBEARRAY "utextureCubeArray" [310 C] [140 C]
    UTEXTUREBUFFER "utextureBuffer" [310 C] [140 C]
    UTEXTURE2DMS "utexture2DMS" [310 C] [140 C]
    UTEXTURE2DMSARRAY "utexture2DMSArray" [310 C] [140 C]
    USUBPASSINPUT "usubpassInput" [310 C] [140 C]
    USUBPASSINPUTMS "usubpassInputMS" [310 C] [140 C]
    SAMPLER "sampler" [310 C] [140 C]
    SAMPLERSHADOW "samplerShadow" [310 C] [140 C]

    // Reserved in every version.
    ASM "asm" [100 R] [110 R]
    CLASS "class" [100 R] [110 R]
    UNION "union" [100 R] [110 R]
    ENUM "enum" [100 R] [110 R]
    TYPEDEF "typedef" [100 R] [110 R]
    TEMPLATE "template" [100 R] [110 R]
    THIS "this" [100 R] [110 R]
    GOTO "goto" [100 R] [110 R]
    INLINE "inline" [100 R] [110 R]
    NOINLINE "noinline" [100 R] [110 R]
    PUBLIC "public" [100 R] [110 R]
    STATIC "static" [100 R] [110 R]
    EXTERN "extern" [100 R] [110 R]
    EXTERNAL "external" [100 R] [110 R]
    INTERFACE "interface" [100 R] [110 R]
    LONG "long" [100 R] [110 R]
    SHORT "short" [100 R] [110 R]
    HALF "half" [100 R] [110 R]
    FIXED "fixed" [100 R] [110 R]
    UNSIGNED "unsigned" [100 R] [110 R]
    INPUT "input" [100 R] [110 R]
    OUTPUT "output" [100 R] [110 R]
    SIZEOF "sizeof" [100 R] [110 R]
    CAST "cast" [100 R] [110 R]
    NAMESPACE "namespace" [100 R] [110 R]
    USING "using" [100 R] [110 R]
    HVEC2 "hvec2" [100 R] [110 R]
    HVEC3 "hvec3" [100 R] [110 R]
    HVEC4 "hvec4" [100 R] [110 R]
    FVEC2 "fvec2" [100 R] [110 R]
    FVEC3 "fvec3" [100 R] [110 R]
    FVEC4 "fvec4" [100 R] [110 R]
    SAMPLER3DRECT "sampler3DRect" [100 R] [110 R]
    SUPERP "superp" [100 R] [130 R]
    PACKED "packed" [100 R, 300 I] [110 R, 140 I]
    COMMON "common" [300 R] [130 R]
    PARTITION "partition" [300 R] [130 R]
    ACTIVE "active" [300 R] [130 R]
    FILTER "filter" [300 R] [130 R]
    RESOURCE "resource" [300 R] [420 R]
    IMAGE1DSHADOW "image1DShadow" [300 R] [130 R]
    IMAGE2DSHADOW "image2DShadow" [300 R] [130 R]
    IMAGE1DARRAYSHADOW "image1DArrayShadow" [300 R] [130 R]
    IMAGE2DARRAYSHADOW "image2DArrayShadow" [300 R] [130 R]

    // Other words of extensions.
    DEMOTE "demote" [] []
    NONUNIFORMEXT "nonuniformEXT" [] []
    IGNOREINTERSECTIONEXT "ignoreIntersectionEXT" [] []
    TERMINATERAYEXT "terminateRayEXT" [] []
    PERVERTEXEXT "pervertexEXT" [] []
    PERPRIMITIVEEXT "perprimitiveEXT" [] []
    RAYPAYLOADEXT "rayPayloadEXT" [] []
    RAYPAYLOADINEXT "rayPayloadInEXT" [] []
    HITATTRIBUTEEXT "hitAttributeEXT" [] []
    CALLABLEDATAEXT "callableDataEXT" [] []
    CALLABLEDATAINEXT "callableDataInEXT" [] []
    RAYPAYLOADNV "rayPayloadNV" [] []
    RAYPAYLOADINNV "rayPayloadInNV" [] []
    HITATTRIBUTENV "hitAttributeNV" [] []
    CALLABLEDATANV "callableDataNV" [] []
    CALLABLEDATAINNV "callableDataInNV" [] []
    TASKPAYLOADSHAREDEXT "taskPayloadSharedEXT" [] []
    SHADERCALLCOHERENT "shadercallcoherent" [] []
    DEVICECOHERENT "devicecoherent" [] []
    QUEUEFAMILYCOHERENT "queuefamilycoherent" [] []
    WORKGROUPCOHERENT "workgroupcoherent" [] []
    SUBGROUPCOHERENT "subgroupcoherent" [] []
    NONPRIVATE "nonprivate" [] []
}

names! {
    MAIN "main"
    MAIN_IMAGE "mainImage"
    LENGTH "length"
    DEFINED "defined"
    ALL "all"
    ONCE "once"
    LINE_MACRO "__LINE__"
    FILE_MACRO "__FILE__"
    VERSION_MACRO "__VERSION__"
    GL_ES "GL_ES"
    GL_FRAGMENT_PRECISION_HIGH "GL_FRAGMENT_PRECISION_HIGH"
    GL_CORE_PROFILE "GL_core_profile"
    GL_COMPATIBILITY_PROFILE "GL_compatibility_profile"
    GL_ES_PROFILE "GL_es_profile"
    DEFINE "define"
    UNDEF "undef"
    IFDEF "ifdef"
    IFNDEF "ifndef"
    ELIF "elif"
    ENDIF "endif"
    ERROR "error"
    PRAGMA "pragma"
    EXTENSION "extension"
    VERSION "version"
    LINE "line"
    INCLUDE "include"
    REQUIRE "require"
    ENABLE "enable"
    WARN "warn"
    DISABLE "disable"
    ES "es"
    CORE "core"
    COMPATIBILITY "compatibility"
    STDGL "STDGL"
    OPTIMIZE "optimize"
    DEBUG "debug"
    ON "on"
    OFF "off"
    PLANISH "planish"
}
