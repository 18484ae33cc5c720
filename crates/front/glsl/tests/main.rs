//! Integration tests of the front end for GLSL, in one program.

mod accept;
mod instances;
mod invalid_semantics;
mod invalid_syntax;
mod opaque_constructors;
mod preprocess;
mod size;
mod uninitialized;
mod valid;
