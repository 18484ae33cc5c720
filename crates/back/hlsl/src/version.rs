//! Versions of HLSL: shader models.

use std::fmt;

/// A shader model, which decides the constructs that HLSL has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ShaderModel {
    major: u8,
    minor: u8,
}

impl ShaderModel {
    /// Direct3D 11.
    pub const V5_0: ShaderModel = ShaderModel { major: 5, minor: 0 };
    /// Register spaces.
    pub const V5_1: ShaderModel = ShaderModel { major: 5, minor: 1 };
    /// Direct3D 12 with DXIL: 64-bit integers.
    pub const V6_0: ShaderModel = ShaderModel { major: 6, minor: 0 };
    /// `SV_ViewID`.
    pub const V6_1: ShaderModel = ShaderModel { major: 6, minor: 1 };
    /// All versions that can be written.
    pub const ALL: [ShaderModel; 9] = {
        const fn v6(minor: u8) -> ShaderModel {
            ShaderModel { major: 6, minor }
        }
        [ShaderModel::V5_0, ShaderModel::V5_1, v6(0), v6(1), v6(2), v6(3), v6(4), v6(5), v6(6)]
    };

    /// The version of a text such as `6.2` or `62`.
    pub fn parse(text: &str) -> Option<ShaderModel> {
        let plain = |version: &ShaderModel| text == format!("{}{}", version.major, version.minor);
        Self::ALL.into_iter().find(|version| text == version.to_string() || plain(version))
    }

    /// Whether registers have a space.
    pub fn has_spaces(self) -> bool {
        self >= ShaderModel::V5_1
    }

    /// Whether there are numbers of 16 bits, where the compiler is told so (`-enable-16bit-types`).
    pub fn has_halves(self) -> bool {
        self >= ShaderModel { major: 6, minor: 2 }
    }

    /// Whether there are integers of 64 bits.
    pub fn has_wide_integers(self) -> bool {
        self >= ShaderModel::V6_0
    }
}

impl Default for ShaderModel {
    fn default() -> Self {
        ShaderModel::V6_0
    }
}

impl fmt::Display for ShaderModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
