//! Tests of builds: the files that are written, the errors, and the generated code compiled by `rustc`.

mod errors;
mod files;
mod layout;
