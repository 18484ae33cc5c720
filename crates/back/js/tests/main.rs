//! Integration tests of the back end for JavaScript, in one program.

mod control;
mod exports;
mod modules;
mod ops;
mod programs;
mod scale;
mod shaders;
