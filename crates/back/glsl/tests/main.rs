//! Integration tests of the back end for GLSL, in one program.

mod interfaces;
mod meaning;
mod readable;
mod structured;
