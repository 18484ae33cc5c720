//! Records and lists of exported functions: objects and arrays, of which parameters are patterns, and results expressions.

use planish_ir::entity::Type;
use planish_ir::signature::{Field, Shape};

use crate::names::is_identifier;

/// The key of a member.
pub(crate) fn key(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { format!("{name:?}") }
}

/// A value of scalars, or a pattern of names: `{ x, y: [a, b] }`.
/// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn written(shape: &Shape, scalars: &mut dyn Iterator<Item = String>) -> String {
    let list = |parts: Vec<String>| format!("[{}]", parts.join(", "));
    match shape {
        Shape::Scalar => scalars.next().unwrap_or_default(),
        Shape::List { element, len } => list((0..*len).map(|_| written(element, scalars)).collect()),
        Shape::Record { fields, .. } if !shape.is_named() => {
            list(fields.iter().map(|field| written(&field.shape, scalars)).collect())
        }
        Shape::Record { fields, .. } => {
            let member = |field: &Field| {
                let value = written(&field.shape, scalars);
                if value == *field.name { value } else { format!("{}: {value}", key(&field.name)) }
            };
            let members: Vec<String> = fields.iter().map(member).collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}

/// A name for each scalar: that of the innermost part with one.
pub(crate) fn hints<'a>(field: &'a Field, otherwise: &'a str, out: &mut Vec<&'a str>) {
    let name = if field.name.is_empty() { otherwise } else { &field.name };
    let mut open = vec![(name, &field.shape)];
    while let Some((name, shape)) = open.pop() {
        match shape {
            Shape::Scalar => out.push(name),
            Shape::List { element, len } => open.extend((0..*len).map(|_| (name, &**element))),
            Shape::Record { fields, .. } => {
                let named = fields.iter().rev().map(|f| (if f.name.is_empty() { name } else { &*f.name }, &f.shape));
                open.extend(named);
            }
        }
    }
}

/// Members of a record, each with its type.
pub(crate) type Members = Vec<(String, String)>;

/// The type of a structure in TypeScript; `declare` gets named records, and returns their names.
/// Recursion: see [`written`].
pub(crate) fn type_text(
    shape: &Shape,
    scalars: &mut dyn Iterator<Item = Type>,
    scalar: &dyn Fn(Type) -> &'static str,
    declare: &mut dyn FnMut(&str, Members) -> String,
) -> String {
    /// Up to this length a list is a tuple, whose length TypeScript checks.
    const LONGEST_TUPLE: u32 = 16;
    match shape {
        Shape::Scalar => scalars.next().map_or("number", scalar).to_owned(),
        Shape::List { element, len } => {
            let text = type_text(element, scalars, scalar, declare);
            let more = element.width().unwrap_or(0) * (*len as usize - 1);
            scalars.take(more).for_each(drop);
            match *len <= LONGEST_TUPLE {
                true => format!("[{}]", vec![text; *len as usize].join(", ")),
                false => format!("{text}[]"),
            }
        }
        Shape::Record { name, fields } => {
            let mut members = Vec::with_capacity(fields.len());
            for field in fields {
                members.push((key(&field.name), type_text(&field.shape, scalars, scalar, declare)));
            }
            match shape.is_named() {
                true => declare(name, members),
                false => {
                    format!("[{}]", members.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", "))
                }
            }
        }
    }
}
