//! The typed, structured IR of Planish.
pub mod diagnostic;
pub mod source;
