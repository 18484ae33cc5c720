//! The target: the version of GLSL and its features.

use planish_ir::module::Stage;

/// A GLSL version and stage to write for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// 100, 300, 310, 320 (ES), or 120, 330, 400 to 460 (desktop).
    pub version: u16,
    /// Whether it is OpenGL ES.
    pub es: bool,
    /// Whether it is GLSL for Vulkan: `set` and `binding`, separate textures and samplers, no default uniform block.
    pub vulkan: bool,
    /// The stage.
    pub stage: Stage,
}

/// The version at which nothing arrives.
pub(crate) const NEVER: u16 = u16::MAX;

impl Target {
    /// The versions that can be written.
    pub const VERSIONS: [(u16, bool); 14] = [
        (100, true),
        (300, true),
        (310, true),
        (320, true),
        (120, false),
        (330, false),
        (400, false),
        (410, false),
        (420, false),
        (430, false),
        (440, false),
        (450, false),
        (460, false),
        (140, false),
    ];

    /// Whether the version is at least `es` (of ES) or `desktop` (of desktop GLSL).
    pub(crate) const fn at_least(&self, es: u16, desktop: u16) -> bool {
        self.version >= if self.es { es } else { desktop }
    }

    /// Whether a struct is built in: that of `gl_DepthRange`, and before 1.40 those of the fixed pipeline.
    pub(crate) fn has_struct(&self, name: &str) -> bool {
        name == "gl_DepthRangeParameters" || name.starts_with("gl_") && !self.at_least(0, 140)
    }

    /// `in` and `out`, `texture`, unsigned integers, bit operations, `switch`.
    pub(crate) const fn is_modern(&self) -> bool {
        self.at_least(300, 130)
    }

    /// Its name in messages.
    pub(crate) fn describe(&self) -> String {
        let (major, minor) = (self.version / 100, self.version % 100);
        let es = if self.es { " ES" } else { "" };
        let vulkan = if self.vulkan { " for Vulkan" } else { "" };
        format!("GLSL{es} {major}.{minor:02}{vulkan}")
    }

    /// The first line.
    pub(crate) fn version_line(&self) -> String {
        match (self.version, self.es) {
            (100, true) => "#version 100\n".into(),
            (v, true) => format!("#version {v} es\n"),
            (v, false) => format!("#version {v}\n"),
        }
    }
}
