//! Overrides: constants that get their values when a pipeline is made.
//!
//! | override | becomes |
//! | --- | --- |
//! | with a constant default | a specialization constant; without `@id` one that is unnumbered, with the least free number |
//! | computed from others | its expression, at each use |
//! | that an array's length, an initial value or (other than by itself) the size of a work group is computed from | its value, if there is one: types and initial values are constants of the IR |
//! | with a value given by the user | a specialization constant with that value as its default, which is also its value where it must be constant |

use naga::{Expression, Handle};
use planish_ir::decoration::{Decoration, Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Var};
use planish_ir::meaning::parse_value;
use planish_ir::module::Module;
use planish_ir::types::AddressSpace;
use rustc_hash::FxHashSet;

use crate::carry::for_each_operand;
use crate::function::Scope;
use crate::module::{Lower, Maps};
use crate::types;

/// Translation of an override.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OverrideValue {
    /// A constant.
    Constant(Const),
    /// A specialization constant, whose value can be replaced when the pipeline is created.
    Var(Specialized),
    /// An expression of the module's own scope, of such constants.
    Computed(Handle<Expression>),
}

/// A specialization constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Specialized {
    pub(crate) var: Var,
    pub(crate) id: u32,
    /// The default, of an integer.
    pub(crate) integer: Option<i128>,
}

type Handles = FxHashSet<Handle<naga::Override>>;

/// Translates the overrides, and the expressions of the module's own scope, which are all constant but for those that overrides are
/// computed in. `given` has values of the user's, by name or number. Overrides that must be constant, and have their defaults, are warned of.
pub(crate) fn lower_overrides_and_constants(
    maps: &mut Maps<'_>,
    module: &mut Module,
    given: &[(String, String)],
) -> Vec<Diagnostic> {
    let naga = maps.naga;
    let fixed = fixed(naga);
    let computed = computed(naga);
    let ids = numbers(naga);
    maps.overrides = naga.overrides.iter().map(|(handle, _)| Err(unknown(maps, handle, None))).collect();
    let mut is_given = Handles::default();
    for (handle, data) in naga.overrides.iter() {
        let Some(text) = given_text(data, given) else { continue };
        let Some(value) = parsed(maps, module, handle, text) else {
            maps.overrides[handle.index()] = Err(unknown(maps, handle, Some(text)));
            continue;
        };
        is_given.insert(handle);
        let made = specialized(module, data, value, ids[handle.index()]);
        let value = if fixed.contains(&handle) { OverrideValue::Constant(value) } else { OverrideValue::Var(made) };
        maps.overrides[handle.index()] = Ok(value);
    }
    // An override's default precedes the expressions that use the override, so one sweep suffices.
    for (handle, _) in naga.global_expressions.iter() {
        let value = global_value(maps, module, handle);
        maps.global_values.push(value);
        for (o, data) in naga.overrides.iter().filter(|(_, data)| data.init == Some(handle)) {
            let may_vary = !fixed.contains(&o) && data.name.is_some();
            let value = match maps.global_value(handle) {
                _ if is_given.contains(&o) => continue,
                _ if computed.contains(&o) && !fixed.contains(&o) => OverrideValue::Computed(handle),
                Ok(default) if may_vary => OverrideValue::Var(specialized(module, data, default, ids[o.index()])),
                Ok(default) => OverrideValue::Constant(default),
                Err(_) => continue,
            };
            maps.overrides[o.index()] = Ok(value);
        }
    }
    let frozen = naga.overrides.iter().filter(|(o, data)| {
        data.name.is_some() && fixed.contains(o) && !is_given.contains(o) && maps.override_value(*o).is_ok()
    });
    frozen
        .map(|(handle, data)| {
            let name = data.name.as_deref().unwrap_or_default();
            let message = format!("the override `{name}` is fixed at its default value: a type, an initial value or the size of a work group is computed from it");
            let span = maps.source.span(naga.overrides.get_span(handle));
            Diagnostic::warning(Code::W0111, span, message).help(format!("give it another value with `--override {name}=VALUE`"))
        })
        .collect()
}

/// The error of an override without a value; `wrong`: what the user gave.
fn unknown(maps: &Maps<'_>, handle: Handle<naga::Override>, wrong: Option<&str>) -> Box<Diagnostic> {
    let data = &maps.naga.overrides[handle];
    let name = data.name.as_deref().unwrap_or("?");
    let span = maps.source.span(maps.naga.overrides.get_span(handle));
    let message = match (wrong, &maps.naga.types[data.ty].inner) {
        (Some(text), naga::TypeInner::Scalar(scalar)) => {
            let ty = types::scalar(*scalar).map_or("of another type", planish_ir::types::Scalar::name);
            format!("the override `{name}` cannot be `{text}`: it is {ty}")
        }
        _ => format!("the override `{name}` has no value"),
    };
    let help = format!("declare a default, `override {name} = …`, or give it a value with `--override {name}=VALUE`");
    Box::new(Diagnostic::error(Code::E0705, span, message).help(help))
}

fn given_text<'g>(data: &naga::Override, given: &'g [(String, String)]) -> Option<&'g str> {
    let is_it = |name: &str| data.name.as_deref() == Some(name) || data.id.is_some_and(|id| id.to_string() == name);
    given.iter().rev().find(|(name, _)| is_it(name)).map(|(_, text)| &**text)
}

fn parsed(maps: &Maps<'_>, module: &mut Module, handle: Handle<naga::Override>, text: &str) -> Option<Const> {
    let ty = maps.types.get(maps.naga.overrides[handle].ty).ok()?;
    let scalar = module.types.scalar_of(ty)?;
    Some(module.consts.bits(ty, parse_value(scalar, text)?))
}

/// The number of each override: its own, or the least that is free.
fn numbers(naga: &naga::Module) -> Vec<u32> {
    let own: FxHashSet<u32> = naga.overrides.iter().filter_map(|(_, data)| data.id).map(u32::from).collect();
    let mut free = (0..).filter(|id| !own.contains(id));
    naga.overrides
        .iter()
        .map(|(_, data)| data.id.map(u32::from).or_else(|| free.next()).expect("there are more numbers than overrides"))
        .collect()
}

fn specialized(module: &mut Module, data: &naga::Override, default: Const, id: u32) -> Specialized {
    let name = Name::new(data.name.clone().unwrap_or_default(), NameSource::Interface);
    let ty = module.consts[default].ty;
    let integer = module.consts.as_integer(&module.types, default);
    let var = module.add_var(name, ty, AddressSpace::Private);
    let made = &mut module.vars[var];
    made.initializer = Some(default);
    made.is_const = true;
    made.decorations.add(Decoration::ConstantId(id));
    if data.id.is_none() {
        made.decorations.add(Decoration::Unnumbered);
    }
    Specialized { var, id, integer }
}

/// Overrides that are computed from others.
fn computed(naga: &naga::Module) -> Handles {
    let is_computed = |init: Handle<Expression>| !reached(naga, [init].into(), false).is_empty();
    naga.overrides.iter().filter(|(_, data)| data.init.is_some_and(is_computed)).map(|(handle, _)| handle).collect()
}

/// Overrides that must be constant: those that an array's length, an initial value or the size of a work group is computed from. A size that is
/// an override itself, with a default of its own, is not included; each use of an override in the text is an expression of its own.
fn fixed(naga: &naga::Module) -> Handles {
    let computed = computed(naga);
    let is_plain = |size: &Handle<Expression>| matches!(naga.global_expressions[*size], Expression::Override(o) if !computed.contains(&o));
    let entries = naga.entry_points.iter().filter_map(|e| e.workgroup_size_overrides);
    let sizes = entries.flatten().flatten().filter(|size| !is_plain(size));
    let initial = naga.global_variables.iter().filter_map(|(_, data)| data.init);
    let mut fixed = reached(naga, sizes.chain(initial).collect(), true);
    for (_, ty) in naga.types.iter() {
        if let naga::TypeInner::Array { size: naga::ArraySize::Pending(o), .. }
        | naga::TypeInner::BindingArray { size: naga::ArraySize::Pending(o), .. } = ty.inner
        {
            fixed.insert(o);
            fixed.extend(reached(naga, naga.overrides[o].init.into_iter().collect(), true));
        }
    }
    fixed
}

/// The overrides in expressions, and (`through`) in the expressions that these are computed in.
fn reached(naga: &naga::Module, mut todo: Vec<Handle<Expression>>, through: bool) -> Handles {
    let (mut found, mut seen) = (Handles::default(), FxHashSet::default());
    while let Some(handle) = todo.pop() {
        if !seen.insert(handle) {
            continue;
        }
        match naga.global_expressions[handle] {
            Expression::Override(o) => {
                found.insert(o);
                todo.extend(naga.overrides[o].init.filter(|_| through));
            }
            ref other => for_each_operand(other, &mut |operand| todo.push(operand)),
        }
    }
    found
}

fn global_value(maps: &Maps<'_>, module: &mut Module, handle: Handle<Expression>) -> Lower<Const> {
    let span = maps.naga.global_expressions.get_span(handle);
    let value = Scope::global_expression(maps, module, handle)?;
    value.as_const().ok_or_else(|| maps.unsupported(span, "a constant expression of this kind"))
}

/// The lengths of arrays that overrides determine, where they are known: positive integers.
pub(crate) fn array_lengths(maps: &Maps<'_>, module: &Module) -> types::Lengths {
    let length = |handle| match maps.override_value(handle).ok()? {
        OverrideValue::Constant(value) => module.consts.as_integer(&module.types, value),
        OverrideValue::Var(_) | OverrideValue::Computed(_) => None,
    };
    let lengths = maps.naga.overrides.iter().filter_map(|(o, _)| Some((o, u32::try_from(length(o)?).ok()?)));
    lengths.filter(|(_, length)| *length > 0).collect()
}
