//! One ability after the other.
