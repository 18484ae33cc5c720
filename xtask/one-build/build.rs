//! Nothing to do: its dependencies have the features that `Cargo.toml` turns on.

fn main() {}
