//! Textures and storage images.

/// Access to a storage texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Loads.
    Read,
    /// Stores.
    Write,
    /// Both.
    ReadWrite,
}
