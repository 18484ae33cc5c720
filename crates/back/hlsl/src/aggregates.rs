//! Values of structs and arrays, for which HLSL has no expression: only the first value of a variable is written in braces.
//!
//! ```text
//! Light l = Light(p, 1.0);        Light l = { p, 1.0 };
//! use(Light(p, 1.0));             use(make_Light(p, 1.0));   with a function that the output brings along
//! ```

use std::collections::HashSet;

use planish_back_text::Written;
use planish_back_text::tree::{Callee, Expr, ExprKind, Stmt};
use planish_ir::entity::Type;
use planish_ir::types::TypeKind;

use crate::language::Writer;
use crate::syntax::{is_aggregate, type_name, type_parts};

/// Replaces constructors of structs and arrays that are no first values by calls, constants by names, and constructors
/// without arguments by zeros. Functions get the names of the arrays that they return.
pub(crate) fn spell(w: &mut Writer<'_>, functions: &[Written]) {
    let module = w.module;
    for function in functions {
        if let Some(result) = module.funcs[function.func].results.first() {
            name_array(w, result.ty);
        }
        let mut lists = vec![function.body];
        while let Some(list) = lists.pop() {
            for stmt in w.tree.list(list).to_vec() {
                lists.extend(stmt.lists());
                match stmt {
                    Stmt::Decl(decl) => decl.init.into_iter().for_each(|init| initializer(w, init)),
                    stmt => {
                        let mut exprs = vec![];
                        stmt.for_each_expr(|e| exprs.push(e));
                        exprs.into_iter().for_each(|e| expression(w, e));
                    }
                }
            }
        }
    }
}

/// A first value: braces, and in them more of them.
/// Recursion: over the expression, whose depth lowering bounds.
fn initializer(w: &mut Writer<'_>, e: Expr) {
    match w.tree.kind(e) {
        ExprKind::Call(Callee::Type(ty), args) if is_aggregate(w, ty) && !w.tree.args(args).is_empty() => {
            w.tree.args(args).to_vec().into_iter().for_each(|part| initializer(w, part));
        }
        ExprKind::Literal(_) => {}
        _ => expression(w, e),
    }
}

fn expression(w: &mut Writer<'_>, e: Expr) {
    let mut stack = vec![e];
    let mut seen = HashSet::new();
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        match w.tree.kind(e) {
            ExprKind::Call(Callee::Type(ty), args) if w.tree.args(args).is_empty() => {
                let zero = zero(w, ty);
                let kind = w.tree.kind(zero);
                w.tree.replace(e, kind);
                stack.push(e);
                seen.remove(&e);
                continue;
            }
            ExprKind::Call(Callee::Type(ty), args) if is_aggregate(w, ty) => {
                let symbol = maker(w, ty);
                w.tree.replace(e, ExprKind::Call(Callee::User(symbol), args));
            }
            ExprKind::Literal(c) if is_aggregate(w, w.module.consts[c].ty) => {
                let symbol = w.const_table(c);
                w.tree.replace(e, ExprKind::Name(symbol));
            }
            _ => {}
        }
        let mut children = vec![];
        w.tree.children(e, |child| children.push(child));
        stack.extend(children);
    }
}

/// Zero: `(float3)0`, and of arrays a list, as a reader refuses `(float[2])0`.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn zero(w: &mut Writer<'_>, ty: Type) -> Expr {
    match w.module.types[ty] {
        TypeKind::Array { element, len } => {
            let element = zero(w, element);
            w.tree.call(Callee::Type(ty), &vec![element; len as usize])
        }
        _ => {
            let zero = w.tree.add(ExprKind::Int(0));
            w.tree.add(ExprKind::Splat(ty, zero))
        }
    }
}

fn maker(w: &mut Writer<'_>, ty: Type) -> planish_back_text::tree::Symbol {
    if let Some(known) = w.language.makers.iter().find(|m| m.0 == ty) {
        return known.1;
    }
    name_array(w, ty);
    let name = match w.module.types.as_struct(ty) {
        Some(s) => format!("make_{}", s.name),
        None => "make_array".to_owned(),
    };
    let symbol = w.tree.add_symbol(name);
    w.language.makers.push((ty, symbol));
    symbol
}

/// Gives an array a type name, which a function that returns it needs.
fn name_array(w: &mut Writer<'_>, ty: Type) {
    if !matches!(w.module.types[ty], TypeKind::Array { .. }) || w.language.arrays.iter().any(|a| a.0 == ty) {
        return;
    }
    let (base, sizes) = type_parts(w, ty);
    let name = format!("{base}_array{}", sizes.replace(['[', ']'], "_"));
    let symbol = w.tree.add_symbol(name.trim_end_matches('_').replace("__", "_"));
    w.language.arrays.push((ty, symbol));
}

/// The function that makes a struct or array, as lines.
pub(crate) fn maker_lines(w: &Writer<'_>, ty: Type, name: &str) -> Vec<String> {
    let parts: Vec<Type> = match &w.module.types[ty] {
        TypeKind::Struct(s) => s.members.iter().map(|m| m.ty).collect(),
        TypeKind::Array { element, len } => vec![*element; *len as usize],
        _ => vec![],
    };
    let params: Vec<String> = parts
        .iter()
        .enumerate()
        .map(|(i, &part)| {
            let (base, sizes) = type_parts(w, part);
            format!("{base} p{i}{sizes}")
        })
        .collect();
    let (base, sizes) = type_parts(w, ty);
    let names: Vec<String> = (0..parts.len()).map(|i| format!("p{i}")).collect();
    vec![
        format!("{} {name}({}) {{", type_name(w, ty), params.join(", ")),
        format!("    {base} made{sizes} = {{ {} }};", names.join(", ")),
        "    return made;".to_owned(),
        "}".to_owned(),
    ]
}
