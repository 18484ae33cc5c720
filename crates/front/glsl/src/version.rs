//! Versions of GLSL, and which words each has.

use std::fmt;

use crate::symbol::{Symbol, WORDS, kw};

/// The branch of GLSL that a version belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Profile {
    /// OpenGL ES and WebGL.
    Es,
    /// Desktop without the features deprecated in 1.30; the default from 1.50 on. Versions before 1.50 count as
    /// `Compatibility`.
    Core,
    /// Desktop with all it ever had.
    Compatibility,
}

/// A version of GLSL: a number as in `#version` and a profile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// 100, 300, 310, 320 for ES; 110, 120, 130, 140, 150, 330, 400 to 460 for desktop.
    pub number: u16,
    /// The profile.
    pub profile: Profile,
}

/// The numbers of ES versions, rising.
pub const ES_VERSIONS: &[u16] = &[100, 300, 310, 320];
/// The numbers of desktop versions, rising.
pub const DESKTOP_VERSIONS: &[u16] = &[110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460];

/// That of a shader without `#version`.
impl Default for Version {
    fn default() -> Self {
        Version::ES_100
    }
}

impl Version {
    /// GLSL ES 1.00, the language of WebGL 1 and of a shader without `#version`.
    pub const ES_100: Version = Version::es(100);
    /// GLSL ES 3.00, the language of WebGL 2.
    pub const ES_300: Version = Version::es(300);
    /// GLSL ES 3.10.
    pub const ES_310: Version = Version::es(310);
    /// GLSL ES 3.20.
    pub const ES_320: Version = Version::es(320);

    /// An ES version.
    pub const fn es(number: u16) -> Version {
        Version { number, profile: Profile::Es }
    }

    /// A desktop version in the profile it has by default.
    pub const fn desktop(number: u16) -> Version {
        Version { number, profile: if number < 150 { Profile::Compatibility } else { Profile::Core } }
    }

    /// A version in the notation of the command line: `300es`, `300 es`, `es300`, `450`, `450core`.
    ///
    /// ```
    /// use planish_front_glsl::version::Version;
    /// assert_eq!(Version::parse("300es"), Some(Version::ES_300));
    /// assert_eq!(Version::parse("450"), Some(Version::desktop(450)));
    /// assert_eq!(Version::parse("455"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.to_ascii_lowercase();
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let word: String = text.chars().filter(char::is_ascii_alphabetic).collect();
        let number: u16 = digits.parse().ok()?;
        match word.as_str() {
            "es" if ES_VERSIONS.contains(&number) => Some(Version::es(number)),
            // There is no desktop version of this number.
            "" if number == 100 => Some(Version::ES_100),
            "" | "core" if DESKTOP_VERSIONS.contains(&number) => Some(Version::desktop(number)),
            "compatibility" if DESKTOP_VERSIONS.contains(&number) => {
                Some(Version { number, profile: Profile::Compatibility })
            }
            _ => None,
        }
    }

    /// Whether this is GLSL ES.
    pub const fn is_es(self) -> bool {
        matches!(self.profile, Profile::Es)
    }

    /// Whether this is desktop GLSL.
    pub const fn is_desktop(self) -> bool {
        !self.is_es()
    }

    /// Whether this is an ES version from `es` on or a desktop version from `desktop` on; 0 means no version.
    ///
    /// ```
    /// use planish_front_glsl::version::Version;
    /// // Unsigned integers came with ES 3.00 and desktop 1.30.
    /// assert!(Version::ES_300.at_least(300, 130));
    /// assert!(!Version::desktop(120).at_least(300, 130));
    /// // Double precision never came to ES.
    /// assert!(!Version::ES_320.at_least(0, 400));
    /// ```
    pub const fn at_least(self, es: u16, desktop: u16) -> bool {
        let first = if self.is_es() { es } else { desktop };
        first != 0 && self.number >= first
    }

    /// Whether this is GLSL ES 1.00.
    pub const fn is_es_100(self) -> bool {
        self.is_es() && self.number == 100
    }

    /// `u` after an integer literal, and unsigned types.
    pub const fn has_unsigned(self) -> bool {
        self.at_least(300, 130)
    }

    /// `f` after a float literal.
    pub const fn has_float_suffix(self) -> bool {
        self.at_least(300, 120)
    }

    /// `lf` after a literal, and double precision types.
    pub const fn has_doubles(self) -> bool {
        self.at_least(0, 400)
    }

    /// Operators on bits: `& | ^ ~ << >> %`.
    pub const fn has_bit_operators(self) -> bool {
        self.at_least(300, 130)
    }

    /// `##` in macros. (Desktop GLSL has it from 1.30 on; compilers accept it in the versions before, too.)
    pub const fn has_token_pasting(self) -> bool {
        self.is_desktop()
    }

    /// The class of a word in this version, without extensions.
    pub fn classify(self, word: Symbol) -> WordClass {
        let Some((_, es, desktop)) = WORDS.get(word.index()) else { return WordClass::Identifier };
        let changes = if self.is_es() { es } else { desktop };
        changes.iter().rev().find(|(since, _)| *since <= self.number).map_or(WordClass::Identifier, |(_, class)| *class)
    }

    /// The classes of all words in this version.
    pub fn words(self) -> WordTable {
        WordTable { classes: (0..WORDS.len() as u32).map(|w| self.classify(Symbol(w))).collect() }
    }
}

impl fmt::Display for Version {
    /// As usually written: `GLSL ES 3.00`, `GLSL 4.50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = (self.number / 100, self.number % 100);
        match self.profile {
            Profile::Es => write!(f, "GLSL ES {major}.{minor:02}"),
            Profile::Core => write!(f, "GLSL {major}.{minor:02}"),
            Profile::Compatibility if self.number < 150 => write!(f, "GLSL {major}.{minor:02}"),
            Profile::Compatibility => write!(f, "GLSL {major}.{minor:02} compatibility"),
        }
    }
}

/// The class of a word in a version.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WordClass {
    /// A name like any other.
    Identifier,
    /// Part of the language.
    Keyword,
    /// Not to be used.
    Reserved,
    /// The type of a separate texture or sampler where a type is allowed (Vulkan), otherwise a name: `texture2D` is
    /// also a built-in function.
    Contextual,
}

/// The class of each word in one version with its extensions.
#[derive(Clone, Debug)]
pub struct WordTable {
    classes: Box<[WordClass]>,
}

impl WordTable {
    /// The class of a symbol.
    pub fn class(&self, symbol: Symbol) -> WordClass {
        self.classes.get(symbol.index()).copied().unwrap_or(WordClass::Identifier)
    }

    /// Turns the words that an extension adds into keywords.
    pub fn enable(&mut self, extension: &str) {
        let all = [extension];
        let parts = if extension == EXPLICIT_TYPES { EXPLICIT_PARTS } else { &all };
        for &word in parts.iter().flat_map(|extension| words_of_extension(extension)) {
            self.classes[word.index()] = WordClass::Keyword;
        }
    }
}

const EXPLICIT_TYPES: &str = "GL_EXT_shader_explicit_arithmetic_types";

/// The extensions that one stands for.
const EXPLICIT_PARTS: &[&str] = &[
    "GL_EXT_shader_explicit_arithmetic_types_float16",
    "GL_EXT_shader_explicit_arithmetic_types_float32",
    "GL_EXT_shader_explicit_arithmetic_types_float64",
    "GL_EXT_shader_explicit_arithmetic_types_int8",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_explicit_arithmetic_types_int32",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
];

const RAY_TRACING: &[Symbol] = &[
    kw::ACCELERATIONSTRUCTUREEXT,
    kw::IGNOREINTERSECTIONEXT,
    kw::TERMINATERAYEXT,
    kw::RAYPAYLOADEXT,
    kw::RAYPAYLOADINEXT,
    kw::HITATTRIBUTEEXT,
    kw::CALLABLEDATAEXT,
    kw::CALLABLEDATAINEXT,
    kw::SHADERCALLCOHERENT,
];

/// The words that are keywords under an extension.
fn words_of_extension(extension: &str) -> &'static [Symbol] {
    match extension {
        "GL_OES_texture_3D" => &[kw::SAMPLER3D],
        "GL_EXT_demote_to_helper_invocation" => &[kw::DEMOTE],
        "GL_EXT_fragment_shader_barycentric" => &[kw::PERVERTEXEXT],
        "GL_EXT_nonuniform_qualifier" => &[kw::NONUNIFORMEXT],
        "GL_EXT_ray_query" => &[kw::ACCELERATIONSTRUCTUREEXT, kw::RAYQUERYEXT],
        "GL_EXT_ray_tracing" => RAY_TRACING,
        "GL_NV_ray_tracing" => &[
            kw::ACCELERATIONSTRUCTURENV,
            kw::RAYPAYLOADNV,
            kw::RAYPAYLOADINNV,
            kw::HITATTRIBUTENV,
            kw::CALLABLEDATANV,
            kw::CALLABLEDATAINNV,
        ],
        "GL_KHR_memory_scope_semantics" => {
            &[kw::DEVICECOHERENT, kw::QUEUEFAMILYCOHERENT, kw::WORKGROUPCOHERENT, kw::SUBGROUPCOHERENT, kw::NONPRIVATE]
        }
        "GL_EXT_mesh_shader" => &[kw::PERPRIMITIVEEXT, kw::TASKPAYLOADSHAREDEXT],
        "GL_EXT_shadow_samplers" => &[kw::SAMPLER2DSHADOW, kw::SAMPLERCUBESHADOW],
        "GL_NV_shadow_samplers_array" => &[kw::SAMPLER2DARRAYSHADOW],
        "GL_OES_EGL_image_external" | "GL_OES_EGL_image_external_essl3" => &[kw::SAMPLEREXTERNALOES],
        "GL_ARB_texture_rectangle" => &[kw::SAMPLER2DRECT, kw::SAMPLER2DRECTSHADOW],
        "GL_EXT_texture_array" => {
            &[kw::SAMPLER1DARRAY, kw::SAMPLER2DARRAY, kw::SAMPLER1DARRAYSHADOW, kw::SAMPLER2DARRAYSHADOW]
        }
        "GL_EXT_gpu_shader4" => GPU_SHADER4,
        "GL_OES_shader_multisample_interpolation" => &[kw::SAMPLE],
        "GL_OES_texture_storage_multisample_2d_array" => {
            &[kw::SAMPLER2DMSARRAY, kw::ISAMPLER2DMSARRAY, kw::USAMPLER2DMSARRAY]
        }
        "GL_EXT_texture_cube_map_array" | "GL_OES_texture_cube_map_array" | "GL_ARB_texture_cube_map_array" => {
            CUBE_ARRAYS
        }
        "GL_EXT_texture_buffer" | "GL_OES_texture_buffer" => BUFFERS,
        "GL_EXT_gpu_shader5" | "GL_OES_gpu_shader5" | "GL_ARB_gpu_shader5" => &[kw::PRECISE],
        "GL_EXT_tessellation_shader" | "GL_OES_tessellation_shader" | "GL_ARB_tessellation_shader" => &[kw::PATCH],
        "GL_ARB_gpu_shader_fp64" => DOUBLES,
        "GL_ARB_uniform_buffer_object" | "GL_ARB_explicit_attrib_location" | "GL_ARB_shading_language_420pack" => {
            &[kw::LAYOUT]
        }
        "GL_ARB_shader_storage_buffer_object" => &[kw::BUFFER, kw::COHERENT, kw::RESTRICT, kw::READONLY, kw::WRITEONLY],
        "GL_ARB_compute_shader" => &[kw::SHARED],
        "GL_ARB_shader_atomic_counters" => &[kw::ATOMIC_UINT],
        "GL_ARB_shader_image_load_store" => IMAGES,
        "GL_ARB_gpu_shader_int64" | "GL_EXT_shader_explicit_arithmetic_types_int64" => INT64,
        "GL_EXT_shader_explicit_arithmetic_types_float64" => &[kw::FLOAT64_T, kw::F64VEC2, kw::F64VEC3, kw::F64VEC4],
        "GL_EXT_shader_explicit_arithmetic_types_float32" => &[kw::FLOAT32_T, kw::F32VEC2, kw::F32VEC3, kw::F32VEC4],
        "GL_EXT_shader_explicit_arithmetic_types_float16" | "GL_AMD_gpu_shader_half_float" => HALVES,
        "GL_EXT_shader_16bit_storage" => STORED_16,
        "GL_EXT_shader_8bit_storage" | "GL_EXT_shader_explicit_arithmetic_types_int8" => INT8,
        "GL_EXT_shader_explicit_arithmetic_types_int16" | "GL_AMD_gpu_shader_int16" => INT16,
        "GL_EXT_shader_explicit_arithmetic_types_int32" => &[kw::INT32_T, kw::UINT32_T],
        _ => &[],
    }
}

const INT8: &[Symbol] =
    &[kw::INT8_T, kw::UINT8_T, kw::I8VEC2, kw::I8VEC3, kw::I8VEC4, kw::U8VEC2, kw::U8VEC3, kw::U8VEC4];

const INT16: &[Symbol] =
    &[kw::INT16_T, kw::UINT16_T, kw::I16VEC2, kw::I16VEC3, kw::I16VEC4, kw::U16VEC2, kw::U16VEC3, kw::U16VEC4];

/// Types of programs with 16-bit storage alone: no matrices.
const STORED_16: &[Symbol] = &[
    kw::FLOAT16_T,
    kw::F16VEC2,
    kw::F16VEC3,
    kw::F16VEC4,
    kw::INT16_T,
    kw::UINT16_T,
    kw::I16VEC2,
    kw::I16VEC3,
    kw::I16VEC4,
    kw::U16VEC2,
    kw::U16VEC3,
    kw::U16VEC4,
];

const HALVES: &[Symbol] = &[
    kw::FLOAT16_T,
    kw::F16VEC2,
    kw::F16VEC3,
    kw::F16VEC4,
    kw::F16MAT2,
    kw::F16MAT3,
    kw::F16MAT4,
    kw::F16MAT2X2,
    kw::F16MAT2X3,
    kw::F16MAT2X4,
    kw::F16MAT3X2,
    kw::F16MAT3X3,
    kw::F16MAT3X4,
    kw::F16MAT4X2,
    kw::F16MAT4X3,
    kw::F16MAT4X4,
];

const GPU_SHADER4: &[Symbol] = &[
    kw::UVEC2,
    kw::UVEC3,
    kw::UVEC4,
    kw::FLAT,
    kw::NOPERSPECTIVE,
    kw::CENTROID,
    kw::SAMPLER1DARRAY,
    kw::SAMPLER2DARRAY,
    kw::SAMPLER1DARRAYSHADOW,
    kw::SAMPLER2DARRAYSHADOW,
    kw::SAMPLERCUBESHADOW,
    kw::ISAMPLER2D,
    kw::USAMPLER2D,
    kw::ISAMPLER2DARRAY,
    kw::USAMPLER2DARRAY,
    kw::ISAMPLER3D,
    kw::USAMPLER3D,
    kw::ISAMPLERCUBE,
    kw::USAMPLERCUBE,
];

const CUBE_ARRAYS: &[Symbol] = &[
    kw::SAMPLERCUBEARRAY,
    kw::SAMPLERCUBEARRAYSHADOW,
    kw::ISAMPLERCUBEARRAY,
    kw::USAMPLERCUBEARRAY,
    kw::IMAGECUBEARRAY,
    kw::IIMAGECUBEARRAY,
    kw::UIMAGECUBEARRAY,
];

const BUFFERS: &[Symbol] =
    &[kw::SAMPLERBUFFER, kw::ISAMPLERBUFFER, kw::USAMPLERBUFFER, kw::IMAGEBUFFER, kw::IIMAGEBUFFER, kw::UIMAGEBUFFER];

const DOUBLES: &[Symbol] = &[
    kw::DOUBLE,
    kw::DVEC2,
    kw::DVEC3,
    kw::DVEC4,
    kw::DMAT2,
    kw::DMAT3,
    kw::DMAT4,
    kw::DMAT2X2,
    kw::DMAT2X3,
    kw::DMAT2X4,
    kw::DMAT3X2,
    kw::DMAT3X3,
    kw::DMAT3X4,
    kw::DMAT4X2,
    kw::DMAT4X3,
    kw::DMAT4X4,
];

const IMAGES: &[Symbol] = &[
    kw::COHERENT,
    kw::RESTRICT,
    kw::READONLY,
    kw::WRITEONLY,
    kw::VOLATILE,
    kw::IMAGE1D,
    kw::IMAGE2D,
    kw::IMAGE3D,
    kw::IMAGECUBE,
    kw::IMAGEBUFFER,
    kw::IMAGE1DARRAY,
    kw::IMAGE2DARRAY,
    kw::IMAGECUBEARRAY,
    kw::IIMAGE1D,
    kw::IIMAGE2D,
    kw::IIMAGE3D,
    kw::IIMAGECUBE,
    kw::IIMAGEBUFFER,
    kw::IIMAGE1DARRAY,
    kw::IIMAGE2DARRAY,
    kw::IIMAGECUBEARRAY,
    kw::UIMAGE1D,
    kw::UIMAGE2D,
    kw::UIMAGE3D,
    kw::UIMAGECUBE,
    kw::UIMAGEBUFFER,
    kw::UIMAGE1DARRAY,
    kw::UIMAGE2DARRAY,
    kw::UIMAGECUBEARRAY,
];

const INT64: &[Symbol] =
    &[kw::INT64_T, kw::UINT64_T, kw::I64VEC2, kw::I64VEC3, kw::I64VEC4, kw::U64VEC2, kw::U64VEC3, kw::U64VEC4];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_with_the_version() {
        use WordClass::{Contextual, Identifier, Keyword, Reserved};
        let cases = [
            (kw::ATTRIBUTE, Version::ES_100, Keyword),
            (kw::ATTRIBUTE, Version::ES_300, Reserved),
            (kw::ATTRIBUTE, Version::desktop(330), Keyword),
            (kw::SWITCH, Version::ES_100, Reserved),
            (kw::SWITCH, Version::ES_300, Keyword),
            (kw::UINT, Version::ES_100, Identifier),
            (kw::SAMPLER2DMSARRAY, Version::ES_310, Reserved),
            (kw::SAMPLER2DMSARRAY, Version::ES_320, Keyword),
            (kw::TEXTURE2D, Version::ES_100, Identifier),
            (kw::TEXTURE2D, Version::desktop(450), Contextual),
            (kw::PACKED, Version::ES_300, Identifier),
            (kw::BUFFER, Version::desktop(420), Identifier),
            (kw::BUFFER, Version::desktop(430), Keyword),
        ];
        for (word, version, class) in cases {
            assert_eq!(version.classify(word), class, "{word:?} in {version}");
            assert_eq!(version.words().class(word), class, "{word:?} in {version}");
        }
    }

    #[test]
    fn extensions_bring_words() {
        let mut words = Version::ES_100.words();
        assert_eq!(words.class(kw::SAMPLERCUBESHADOW), WordClass::Identifier);
        words.enable("GL_EXT_shadow_samplers");
        assert_eq!(words.class(kw::SAMPLERCUBESHADOW), WordClass::Keyword);
    }

    #[test]
    fn versions_are_said_as_people_say_them() {
        assert_eq!(Version::ES_100.to_string(), "GLSL ES 1.00");
        assert_eq!(Version::desktop(460).to_string(), "GLSL 4.60");
    }
}
