//! Integration tests of the back end for GLSL, in one program.

mod interfaces;
mod legal;
mod meaning;
mod readable;
mod structured;
