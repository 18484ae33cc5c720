//! The shared part of all back ends that write a programming language: from the blocks of the IR to statements and
//! expressions with names.
//!
//! A language is a [`Dialect`] (what it has, and the expression of each node) and a [`Syntax`] (its spelling). Lowering asks
//! for both, and never which language it is.
//!
//! ```
//! use std::ops::{Deref, DerefMut};
//!
//! use planish_back_text::tree::{Decl, Expr, Infix};
//! use planish_back_text::{Abilities, Dialect, Lower, Printer, Style, Syntax, Text, Words, Written, names, program};
//! use planish_ir::entity::{Const, Node, Type};
//! use planish_ir::source::Span;
//!
//! /// A language of integers.
//! struct Tiny<'m>(Text<'m>);
//!
//! impl<'m> Deref for Tiny<'m> {
//!     type Target = Text<'m>;
//!     fn deref(&self) -> &Text<'m> { &self.0 }
//! }
//! impl<'m> DerefMut for Tiny<'m> {
//!     fn deref_mut(&mut self) -> &mut Text<'m> { &mut self.0 }
//! }
//!
//! #[derive(Clone, Copy)]
//! struct Keywords;
//! impl Words for Keywords {
//!     fn is_reserved(&self, word: &str) -> bool { ["fn", "let", "while"].contains(&word) }
//!     fn is_builtin(&self, _: &str) -> bool { false }
//! }
//!
//! impl<'m> Dialect<'m> for Tiny<'m> {
//!     type Words = Keywords;
//!     fn words(&self) -> Keywords { Keywords }
//!     fn expression(l: &mut Lower<'_, 'm, Self>, node: Node) -> Option<Expr> {
//!         let (op, args) = (Infix::of(l.body.node(node).op)?, l.body.args(node));
//!         let [a, b] = [l.operand(args[0]), l.operand(args[1])];
//!         Some(l.w.tree.infix(op, a, b))
//!     }
//!     fn check_kind(&mut self, _: Type, _: Span) {}
//! }
//!
//! impl<'m> Syntax<'m> for Tiny<'m> {
//!     fn style(&self) -> &Style { &Style::WGSL }
//!     fn function_head(&self, f: &Written, out: &mut String) {
//!         let name = self.known_func(f.func).map(|s| self.name(s)).unwrap_or_default();
//!         let params: Vec<_> = f.params.iter().map(|&p| self.name(p).to_string()).collect();
//!         out.push_str(&format!("fn {name}({})", params.join(", ")));
//!     }
//!     fn type_name(&self, _: Type) -> String { "int".into() }
//!     fn declaration_head(&self, decl: &Decl, out: &mut String) {
//!         out.push_str(if decl.is_assigned { "var " } else { "let " });
//!     }
//!     fn declaration_name(&self, decl: &Decl, out: &mut String) { out.push_str(&self.name(decl.symbol)) }
//!     fn constant(&self, c: Const, _: Option<Type>, out: &mut String) {
//!         out.push_str(&(self.module.consts.as_bits(c).unwrap_or(0) as i32).to_string());
//!     }
//! }
//!
//! let module = planish_ir::text::parse_str("module ir
//! fn @sum(%0 n: i32) -> (i32) {
//! b0:
//!   loop 0, 0 {
//!   cond b1(%1: i32, %2: i32):
//!     %3 = less_than %1, %0
//!     loop_if %3 merge(%2)
//!   body b2:
//!     %4 = add %1, 1
//!     %5 = add %2, %1
//!     continue b0, %4, %5
//!   }
//! b3(%6: i32):
//!   return %6
//! }
//! ").unwrap();
//! let mut w = Tiny(Text::new(&module, "Tiny", "Tiny 1.0".into(), Abilities::WGSL));
//! let roots: Vec<_> = module.funcs.keys().collect();
//! let order = program::order_functions(&mut w, &roots, None).unwrap();
//! let functions = program::write_functions(&mut w, &order).unwrap();
//! names::assign(&mut w, &names::Scope { functions: &functions, ..Default::default() });
//! let mut printer = Printer::new(&w);
//! functions.iter().for_each(|f| printer.function(f));
//! assert_eq!(printer.finish(), "\
//! fn sum(n) {
//!     var i = 0;
//!     for (var i_1 = 0; i_1 < n; i_1++) {
//!         i += i_1;
//!     }
//!     return i;
//! }
//! ");
//! ```
//!
//! # A new language
//! A crate with these files, of which `crates/back/glsl` is the model:
//!
//! | file | contents |
//! | --- | --- |
//! | `writer.rs` | the struct of the dialect: a [`Text`] and its own state, to which it dereferences |
//! | `dialect.rs` | [`Dialect`]: [`Abilities`] (start from `Abilities::C`, `WGSL`, …), globals, checks of types |
//! | `ops.rs`, `texture.rs` | [`Dialect::expression`] and [`Dialect::statement`]: free functions of a [`Lower`] and a node |
//! | `words.rs` | [`Words`]: keywords and built-in names by version |
//! | `syntax.rs`, `constants.rs` | [`Syntax`]: a [`Style`], heads, types, literals ([`number`] has the digits) |
//! | `declare.rs` | what comes before the functions, as lines for [`Printer::lines`] |
//! | `legal.rs` | the ops that the target has, for the legalizer (`planish_target::legal`) |
//! | `lib.rs` | [`program::order_functions`], [`program::write_functions`], [`names::assign`], [`Printer`], in this order |
//!
//! - An operand is taken ([`Lower::operand`]) exactly once, in the order of evaluation; one that is mentioned several times by
//!   [`Lower::stable_operand`], one that may not be evaluated by [`Lower::conditional_operand`].
//! - An expression has exactly the value of its node. Where an operator of the language does not (signed overflow in C),
//!   [`Dialect::assign_operator`] is `None` too.
//! - Types are checked ([`Dialect::check_type`]) before they are mentioned, so that structs get symbols.
//! - Entry points: outputs are [`ExprKind::Field`](tree::ExprKind::Field)s of a variable of the dialect's own, declared by
//!   [`Dialect::begin_function`] and given back by [`Dialect::returned`].
//! - Arrays that cannot be assigned (C) are best structs with an array in them, which [`Syntax::index`] reads.
//! - What a language lacks and no ability tells is a new ability: a field of [`Abilities`] that lowering asks, and a case in
//!   `tests/cases`, never a question for the language.
#![forbid(unsafe_code)]

mod abilities;
mod assigned;
mod calls;
mod coalesce;
mod control;
mod copies;
pub mod dialect;
pub mod effects;
mod equal;
mod insert;
pub mod lower;
mod memory;
pub mod names;
pub mod nan;
mod nesting;
mod nodes;
pub mod number;
pub mod order;
pub mod print;
pub mod program;
pub mod scalars;
pub mod shrink;
pub mod syntax;
pub mod text;
pub mod tree;
mod uses;
mod values;
mod variables;

pub use abilities::{Abilities, Choice, FarJumps, ForLoops, Parameters, Results};
pub use dialect::{Dialect, Words};
pub use lower::{Lower, Written};
pub use print::Printer;
pub use print::precedence::needs_parentheses;
pub use syntax::{Cases, Casts, Place, Style, Syntax};
pub use text::Text;
