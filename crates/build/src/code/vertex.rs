//! Vertices: a struct of the attributes, and a table of them.

use std::fmt::Write as _;

use planish::reflection::VaryingInfo;
use planish::rust_identifier;

use super::types::structure;
use crate::layout::{Field, Kind, Scalar, Shape, Struct, Structs, Words};

/// An attribute: a vector or scalar.
struct Attribute {
    /// The name of the input, with indices of elements and columns.
    name: String,
    location: u32,
    offset: u32,
    scalar: Scalar,
    components: u32,
}

/// A struct for vertices with the inputs of a shader, and its attributes; `None` if it has no inputs.
///
/// # Errors
/// An input that is no attribute, in words for the user.
pub(super) fn vertex(
    inputs: &[VaryingInfo],
    name: &str,
    structs: &mut Structs,
    bytemuck: bool,
    wgpu: bool,
) -> Result<Option<String>, String> {
    let mut inputs: Vec<(&VaryingInfo, u32)> =
        inputs.iter().filter_map(|input| Some((input, input.location?))).filter(|(i, _)| i.builtin.is_none()).collect();
    inputs.sort_by_key(|(_, location)| *location);
    if inputs.is_empty() {
        return Ok(None);
    }
    let (mut fields, mut attributes, mut end, mut most) = (vec![], vec![], 0u32, 4);
    for (input, location) in inputs {
        let words = Words::new(&input.ty, false).map_err(|what| format!("{what} of the input `{}`", input.name))?;
        let shape = shape(&words).ok_or_else(|| format!("the type `{}` of the input `{}`", input.ty, input.name))?;
        let (size, align) = shape.size_and_align();
        let offset = end.next_multiple_of(align);
        (end, most) = (offset + size, align.max(most));
        let first = attributes.len();
        list(&shape, &input.name, offset, &mut attributes);
        // Each takes as many locations as the others of its input.
        let each = input.locations.unwrap_or(1) / (attributes.len() - first).max(1) as u32;
        for (i, attribute) in attributes[first..].iter_mut().enumerate() {
            attribute.location = location + i as u32 * each;
        }
        let mut field = rust_identifier(&input.name);
        while fields.iter().any(|other: &Field| other.name == field) {
            field.push('_');
        }
        fields.push(Field { name: field, about: format!("`{}`, location {location},", input.ty), offset, shape });
    }
    let name = structs.unique(name);
    let s = Struct { name, original: "the inputs".into(), fields, size: end.next_multiple_of(most) };
    let mut text = structure(&s, structs, bytemuck).replacen("`the inputs` of the shader", "A vertex", 1);
    let count = attributes.len();
    let _ = writeln!(text, "impl {} {{", s.name);
    let _ = writeln!(
        text,
        "    /// The attributes in the order of locations.\n    pub const ATTRIBUTES: [super::Attribute; {count}] = ["
    );
    for Attribute { name, location, offset, scalar, components } in &attributes {
        let format = format(*scalar, *components);
        let _ = writeln!(
            text,
            "        super::Attribute {{ name: {name:?}, location: {location}, offset: {offset}, format: {format:?} }},"
        );
    }
    text += "    ];\n";
    if wgpu {
        let _ = writeln!(
            text,
            "    /// The attributes for `wgpu`.\n    pub const WGPU_ATTRIBUTES: [::wgpu::VertexAttribute; {count}] = ["
        );
        for Attribute { location, offset, scalar, components, .. } in &attributes {
            let format = format(*scalar, *components);
            let (first, rest) = format.split_at(1);
            let format = format!("{}{rest}", first.to_uppercase());
            let _ = writeln!(
                text,
                "        ::wgpu::VertexAttribute {{ format: ::wgpu::VertexFormat::{format}, offset: {offset}, shader_location: {location} }},"
            );
        }
        let size = s.size;
        let _ = writeln!(
            text,
            "    ];\n\n    /// The layout of a buffer of these.\n    #[must_use]\n    pub const fn layout(step_mode: ::wgpu::VertexStepMode) -> \
             ::wgpu::VertexBufferLayout<'static> {{\n        \
             ::wgpu::VertexBufferLayout {{ array_stride: {size}, step_mode, attributes: &Self::WGPU_ATTRIBUTES }}\n    }}"
        );
    }
    text += "}\n\n";
    Ok(Some(text))
}

/// The shape of an input, whose vectors are one after the other; `None` if it is no attribute.
fn shape(words: &Words<'_>) -> Option<Shape> {
    let numbers = |scalar, components: Option<u32>| Shape::Numbers { scalar, components, len: components.unwrap_or(1) };
    let of_number = |scalar| matches!(scalar, Scalar::F32 | Scalar::F64 | Scalar::I32 | Scalar::U32);
    let mut shape = match words.kind {
        Kind::Scalar(scalar) if of_number(scalar) => numbers(scalar, None),
        Kind::Vector(scalar, n) if of_number(scalar) => numbers(scalar, Some(n)),
        Kind::Matrix { scalar, columns, rows } if of_number(scalar) => {
            Shape::Array(Box::new(numbers(scalar, Some(rows))), columns)
        }
        _ => return None,
    };
    for len in words.dimensions.iter().rev() {
        shape = Shape::Array(Box::new(shape), (*len)?);
    }
    Some(shape)
}

/// The attributes of an input.
/// Recursion: over its dimensions.
fn list(shape: &Shape, name: &str, offset: u32, attributes: &mut Vec<Attribute>) {
    match shape {
        Shape::Numbers { scalar, components, .. } => attributes.push(Attribute {
            name: name.to_owned(),
            location: 0,
            offset,
            scalar: *scalar,
            components: components.unwrap_or(1),
        }),
        Shape::Array(element, len) => {
            let size = element.size_and_align().0;
            (0..*len).for_each(|i| list(element, &format!("{name}[{i}]"), offset + i * size, attributes));
        }
        Shape::Struct { .. } => {}
    }
}

/// The name of a format in WebGPU.
fn format(scalar: Scalar, components: u32) -> String {
    let word = match scalar {
        Scalar::F64 => "float64",
        Scalar::I32 => "sint32",
        Scalar::U32 => "uint32",
        Scalar::F32 => "float32",
        _ => unreachable!("no attribute has such numbers"),
    };
    if components == 1 { word.to_owned() } else { format!("{word}x{components}") }
}
