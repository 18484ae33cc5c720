//! Uniforms and blocks of one name in several stages, which a program has once: their declarations agree (GLSL ES 1.00.17, section
//! 4.3.4; GLSL ES 3.20.8, sections 4.3.5, 4.3.9 and 4.4; GLSL 4.60.8, the same sections).

use planish_interface::is_loose_uniform;
use planish_ir::decoration::{Decoration, Decorations, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, Member, StructType, TypeKind, Types};

use super::{is_es, same_type};

/// Reports declarations of the modules that differ, one error for each name.
pub(super) fn check(modules: &[&Module], errors: &mut Vec<Diagnostic>) {
    for (index, module) in modules.iter().enumerate() {
        for &var in &module.globals {
            let earlier = modules[..index].iter().find_map(|other| {
                let same = |&v: &Var| is_same_resource(other, v, module, var);
                other.globals.iter().copied().find(same).map(|v| (*other, v))
            });
            if let Some((other, known)) = earlier {
                errors.extend(difference([module, other], [var, known]));
            }
        }
    }
}

/// Whether two variables are one uniform or one block of the program.
fn is_same_resource(a: &Module, x: Var, b: &Module, y: Var) -> bool {
    let (x, y) = (&a.vars[x], &b.vars[y]);
    match (block(&a.types, x.ty), block(&b.types, y.ty)) {
        (Some(s), Some(t)) => is_memory(x.space) && x.space == y.space && s.name == t.name,
        (None, None) => is_uniform(x) && is_uniform(y) && x.name.text == y.name.text,
        _ => false,
    }
}

fn is_memory(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Uniform | AddressSpace::Storage)
}

fn is_uniform(data: &planish_ir::module::VarData) -> bool {
    (is_loose_uniform(data) || data.space == AddressSpace::Handle) && data.decorations.builtin().is_none()
}

/// The block that a variable is, or is an array of.
fn block(types: &Types, mut ty: Type) -> Option<&StructType> {
    while let TypeKind::Array { element, .. } = types[ty] {
        ty = element;
    }
    types.as_struct(ty).map(|s| &**s).filter(|s| s.is_block)
}

/// The error about two declarations that differ: the first of this stage, the second of the other.
fn difference(modules: [&Module; 2], vars: [Var; 2]) -> Option<Diagnostic> {
    let [module, other] = modules;
    let [data, known] = [&module.vars[vars[0]], &other.vars[vars[1]]];
    let error = |name: &str, what: &str, help: &str| {
        let message = format!("{name} has {what} in the other stage");
        let error = Diagnostic::error(Code::E1001, data.span, message).also(known.span, "declared there");
        Some(error.help(help.to_owned()))
    };
    let both_used = module.is_named(vars[0]) && other.is_named(vars[1]);
    let Some((mine, theirs)) = block(&module.types, data.ty).zip(block(&other.types, known.ty)) else {
        let name = format!("the uniform `{}`", data.name.text);
        let help = "a program has one uniform of a name: give both the same type";
        if !same_type(&other.types, known.ty, &module.types, data.ty) {
            return error(&name, "another type", help);
        }
        // Browsers and drivers compare the precision of uniforms that both stages use.
        let same =
            data.precision == known.precision && same_precision([&module.types, &other.types], [data.ty, known.ty]);
        if is_es(module) && is_es(other) && both_used && !same {
            return error(&name, "another precision", "write the precision in both declarations, such as `highp`");
        }
        return layout_difference(&data.decorations, &known.decorations)
            .and_then(|what| error(&name, &format!("another {what}"), "give both the same layout"));
    };
    let name = format!("the block `{}`", mine.name);
    let help = "a program has one block of a name: give both the same members and layout";
    let [size, other_size] = [array_size(&module.types, data.ty), array_size(&other.types, known.ty)];
    if size != other_size {
        return error(&name, "another size", help);
    }
    if data.name.text.is_empty() != known.name.text.is_empty() {
        let what = if data.name.text.is_empty() { "a name for its instance" } else { "no name for its instance" };
        return error(&name, what, "give both a name, or none");
    }
    let members = mine.members.iter().zip(&theirs.members);
    if mine.members.len() != theirs.members.len() || members.clone().any(|(m, n)| m.name != n.name) {
        return error(&name, "other members", help);
    }
    for (m, n) in members {
        if let Some(what) = member_difference(modules, m, n, both_used) {
            return error(&format!("the member `{}` of {name}", m.name), &format!("another {what}"), help);
        }
    }
    if data.decorations.block_layout() != known.decorations.block_layout() {
        return error(&name, "another layout", help);
    }
    layout_difference(&data.decorations, &known.decorations)
        .and_then(|what| error(&name, &format!("another {what}"), help))
}

fn member_difference(modules: [&Module; 2], m: &Member, n: &Member, both_used: bool) -> Option<&'static str> {
    let types = modules.map(|module| &module.types);
    let layout = |d: &Decorations| {
        let number = |f: fn(Decoration) -> Option<u32>| d.find(f);
        let offset = number(|d| if let Decoration::Offset(n) = d { Some(n) } else { None });
        let align = number(|d| if let Decoration::Align(n) = d { Some(n) } else { None });
        (d.has(Decoration::RowMajor), offset, align)
    };
    let precise = m.precision == n.precision && same_precision(types, [m.ty, n.ty]);
    if !same_type(types[0], m.ty, types[1], n.ty) {
        Some("type")
    } else if layout(&m.decorations) != layout(&n.decorations) {
        Some("layout")
    } else if modules.iter().all(|m| is_es(m)) && both_used && !precise {
        Some("precision")
    } else {
        None
    }
}

/// A number of the layout that both declarations have and that differs.
fn layout_difference(a: &Decorations, b: &Decorations) -> Option<&'static str> {
    let differs = |x: Option<u32>, y: Option<u32>| x.is_some() && y.is_some() && x != y;
    let parts = [("binding", a.binding(), b.binding()), ("location", a.location(), b.location())];
    let set = ("set", a.set(), b.set());
    parts.into_iter().chain([set]).find(|(_, x, y)| differs(*x, *y)).map(|(what, ..)| what)
}

/// Dimensions of an array of blocks.
fn array_size(types: &Types, mut ty: Type) -> Vec<u32> {
    let mut sizes = vec![];
    while let TypeKind::Array { element, len } = types[ty] {
        sizes.push(len);
        ty = element;
    }
    sizes
}

/// Whether the members of two equal types have the same precision.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn same_precision(types: [&Types; 2], ty: [Type; 2]) -> bool {
    match (&types[0][ty[0]], &types[1][ty[1]]) {
        (TypeKind::Array { element: x, .. }, TypeKind::Array { element: y, .. }) => same_precision(types, [*x, *y]),
        (TypeKind::Struct(x), TypeKind::Struct(y)) => {
            let same = |(m, n): (&Member, &Member)| {
                let known = m.precision != Precision::None && n.precision != Precision::None;
                (!known || m.precision == n.precision) && same_precision(types, [m.ty, n.ty])
            };
            x.members.iter().zip(&y.members).all(same)
        }
        _ => true,
    }
}
