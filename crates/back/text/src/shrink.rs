//! Fewer declarations where every byte counts: a variable of the type of an earlier declaration joins that one.
//!
//! ```text
//! float a = x; vec2 b = y; float c = z; { float d = 1.0; … }
//! float a = x, c, d; vec2 b = y; c = z; { d = 1.0; … }
//! ```
//!
//! A variable without a first value stays in its loop: it is new in each iteration, and may be read before it is
//! written.
//!
//! Names are short only once all of this is done, and no two variables of a function share one.

use planish_ir::decoration::Precision;
use planish_ir::entity::Type;
use planish_ir::types::TypeKind;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::lower::Written;
use crate::text::Text;
use crate::tree::{Decl, List, Stmt};

/// Common part of declarations that may be joined.
type Key = (Type, Precision);
/// A declaration: its list and its place there.
type Anchor = (List, usize);
/// Declarations that others may join, and whether that is out of a loop.
type Known = FxHashMap<Key, (Anchor, bool)>;

/// Joins the declarations of a function, for languages in which one declares several variables.
pub fn join_declarations(w: &mut Text<'_>, function: &Written) {
    let mut joined: FxHashMap<Anchor, Vec<Stmt>> = FxHashMap::default();
    let mut kept: Vec<(List, Vec<(usize, Stmt)>)> = Vec::new();
    let mut stack: Vec<(List, Known)> = vec![(function.body, FxHashMap::default())];
    while let Some((list, mut known)) = stack.pop() {
        let mut out: Vec<(usize, Stmt)> = Vec::new();
        for (at, stmt) in w.tree.list(list).to_vec().into_iter().enumerate() {
            let Stmt::Decl(decl) = stmt else {
                let mut inside = known.clone();
                if stmt.is_loop() {
                    inside.values_mut().for_each(|k| k.1 = true);
                }
                stack.extend(inner_lists(&stmt).into_iter().map(|l| (l, inside.clone())));
                out.push((at, stmt));
                continue;
            };
            let key = (decl.ty, decl.precision);
            let follows =
                matches!(out.last(), Some((_, Stmt::Decl(d))) if is_plain(w, d) && key == (d.ty, d.precision));
            match known.get(&key) {
                Some(&(anchor, out_of_loop))
                    if is_plain(w, &decl) && !follows && (decl.init.is_some() || !out_of_loop) =>
                {
                    // A constant may be assigned in the declaration, unless it is assigned again in each iteration.
                    let at_once = anchor.0 == list && decl.init.is_none_or(|e| w.tree.is_literal(e));
                    let early = Decl { init: decl.init.filter(|_| at_once), ..decl };
                    joined.entry(anchor).or_default().push(Stmt::Decl(early));
                    if let Some(value) = decl.init.filter(|_| !at_once) {
                        let target = w.tree.name(decl.symbol);
                        out.push((at, Stmt::Assign { target, op: None, value }));
                    }
                }
                _ => {
                    if is_plain(w, &decl) {
                        let own = ((list, at), false);
                        known.entry(key).and_modify(|k| *k = if k.1 { own } else { *k }).or_insert(own);
                    }
                    out.push((at, stmt));
                }
            }
        }
        kept.push((list, out));
    }
    for (list, stmts) in kept {
        let mut all = Vec::with_capacity(stmts.len());
        for (at, stmt) in stmts {
            all.push(stmt);
            all.extend(joined.remove(&(list, at)).unwrap_or_default());
        }
        w.tree.set_list(list, all);
    }
}

fn is_plain(w: &Text<'_>, decl: &Decl) -> bool {
    !decl.is_const && !decl.precise && !matches!(w.module.types[decl.ty], TypeKind::Array { .. })
}

/// The lists within a statement, but for the head of a `for`, whose declaration stays where it is.
fn inner_lists(stmt: &Stmt) -> SmallVec<[List; 3]> {
    match stmt {
        Stmt::For { body, .. } => smallvec![*body],
        _ => stmt.lists(),
    }
}
