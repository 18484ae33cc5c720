//! The typed, structured IR of Planish: every front end builds it, every pass reads and writes it, every back end prints
//! it.
//!
//! Modules: [`types`], [`constant`], [`module`] and [`function`] hold the data, [`host`] the types of values that cross
//! between modules and their host; [`ops`] is the table of ops and [`meaning`] their semantics; [`builder`] is the only
//! constructor of nodes; [`custom`] has ops of the user's own; [`walk`] traverses a function; [`verify`] checks a module; [`text`] prints and parses it, [`dump`] lists
//! it; [`facts`] are properties of a program that passes ask for; [`source`] and [`diagnostic`] refer to the user's text.
//!
//! # Example
//! ```
//! use planish_ir::text::{parse_str, print};
//! use planish_ir::verify::verify;
//!
//! let text = "module ir\n\nfn @square(%0 x: f32) -> (f32) {\nb0:\n  %1 = multiply %0, %0\n  return %1\n}\n";
//! let module = parse_str(text).unwrap();
//! assert!(verify(&module).is_empty());
//! assert_eq!(print(&module), text);
//! println!("{}", planish_ir::dump::dump(&module));
//! ```
pub mod aliasing;
pub mod arena;
pub mod builder;
pub mod comments;
pub mod constant;
pub mod custom;
pub mod decoration;
pub mod derivative;
pub mod diagnostic;
pub mod dump;
pub mod entity;
pub mod facts;
pub mod function;
pub mod host;
pub mod layout;
pub mod meaning;
pub mod module;
mod node_hash;
pub mod ops;
pub mod signature;
pub mod source;
pub mod spirv;
pub mod stack;
pub mod text;
pub mod texture;
pub mod tree;
pub mod types;
pub mod uniform;
pub mod verify;
pub mod walk;
