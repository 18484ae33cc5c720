//! Versions of the Metal Shading Language.

use std::fmt;

/// A version: the Metal of a system and its devices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// Before the point.
    pub major: u8,
    /// After the point.
    pub minor: u8,
}

impl Version {
    /// macOS 10.13, iOS 11.
    pub const V2_0: Version = Version { major: 2, minor: 0 };
    /// macOS 10.14, iOS 12: texture buffers.
    pub const V2_1: Version = Version { major: 2, minor: 1 };
    /// macOS 10.15, iOS 13: the index of a primitive.
    pub const V2_2: Version = Version { major: 2, minor: 2 };
    /// macOS 11, iOS 14: helper invocations, queries of the level of detail.
    pub const V2_3: Version = Version { major: 2, minor: 3 };
    /// macOS 12, iOS 15.
    pub const V2_4: Version = Version { major: 2, minor: 4 };
    /// macOS 13, iOS 16.
    pub const V3_0: Version = Version { major: 3, minor: 0 };
    /// macOS 14, iOS 17.
    pub const V3_1: Version = Version { major: 3, minor: 1 };
    /// macOS 15, iOS 18: fences.
    pub const V3_2: Version = Version { major: 3, minor: 2 };

    /// All that can be written.
    pub const ALL: [Version; 8] = [
        Version::V2_0,
        Version::V2_1,
        Version::V2_2,
        Version::V2_3,
        Version::V2_4,
        Version::V3_0,
        Version::V3_1,
        Version::V3_2,
    ];

    /// The version of a text like `2.4`.
    pub fn parse(text: &str) -> Option<Version> {
        Version::ALL.into_iter().find(|v| format!("{}.{}", v.major, v.minor) == text)
    }
}

impl Default for Version {
    fn default() -> Self {
        Version::V2_4
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MSL {}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        assert_eq!(Version::parse("2.4"), Some(Version::V2_4));
        assert_eq!(["1.2", "2", "4.0", ""].map(Version::parse), [None; 4]);
        assert!(Version::ALL.is_sorted());
        assert_eq!(Version::V3_2.to_string(), "MSL 3.2");
    }
}
