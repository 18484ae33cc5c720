//! A package for its build dependencies alone; see `Cargo.toml`.
