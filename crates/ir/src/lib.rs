//! The typed, structured IR of Planish: every front end builds it, every pass reads and writes it, every back end prints
//! it.
//!
//! The rooms: [`types`], [`constant`], [`module`] and [`function`] hold the data, [`host`] the types of what passes between
//! modules and their host; [`ops`] is the one table of what a node can do and [`meaning`] what that means; [`builder`] is
//! the only door through which a node comes into being; [`custom`] has ops of the user's own; [`walk`] goes through a function, [`expressions`] says what a
//! back end may write where it is read, [`flow`] and [`coalesce`] which values may share a variable; [`verify`] checks it; [`text`]
//! writes and reads it, [`dump`] draws it; [`source`] and [`diagnostic`] tie everything to the user's text.
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
pub mod coalesce;
pub mod constant;
pub mod custom;
pub mod decoration;
pub mod diagnostic;
pub mod dump;
pub mod entity;
pub mod expressions;
pub mod flow;
pub mod function;
pub mod host;
pub mod layout;
pub mod meaning;
pub mod module;
mod node_hash;
pub mod ops;
pub mod source;
pub mod stack;
pub mod text;
pub mod tree;
pub mod types;
pub mod uniform;
pub mod verify;
pub mod walk;
