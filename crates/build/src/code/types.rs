//! Structs as text.

use std::fmt::Write as _;

use crate::layout::{Scalar, Shape, Struct, Structs};

/// The type of Rust with the padding.
pub(super) fn stored(shape: &Shape, structs: &Structs) -> String {
    match shape {
        Shape::Numbers { scalar, components: None, len: 1 } => word(*scalar).into(),
        Shape::Numbers { scalar, len, .. } => format!("[{}; {len}]", word(*scalar)),
        Shape::Array(element, len) => format!("[{}; {len}]", stored(element, structs)),
        Shape::Struct { number, .. } => structs.all[*number].name.clone(),
    }
}

/// The type of Rust without padding.
fn given(shape: &Shape, structs: &Structs) -> String {
    let word = |scalar: Scalar| if scalar == Scalar::Bool { "bool" } else { word(scalar) };
    match shape {
        Shape::Numbers { scalar, components: None, .. } => word(*scalar).into(),
        Shape::Numbers { scalar, components: Some(n), .. } => format!("[{}; {n}]", word(*scalar)),
        Shape::Array(element, len) => format!("[{}; {len}]", given(element, structs)),
        Shape::Struct { number, .. } => structs.all[*number].name.clone(),
    }
}

/// The value with padding from that without it; `None` if they are equal.
/// Recursion: over the dimensions of an array.
fn conversion(shape: &Shape, value: &str) -> Option<String> {
    match shape {
        Shape::Numbers { scalar, components, len } => {
            let number = |value: String| if *scalar == Scalar::Bool { format!("{value} as u32") } else { value };
            let used = components.unwrap_or(1);
            if used == *len && *scalar != Scalar::Bool {
                return None;
            }
            let mut parts: Vec<String> = match components {
                None => vec![number(value.into())],
                Some(n) => (0..*n).map(|i| number(format!("{value}[{i}]"))).collect(),
            };
            let zero = if matches!(scalar, Scalar::F32 | Scalar::F64) { "0.0" } else { "0" };
            parts.extend((used..*len).map(|_| zero.to_owned()));
            Some(match (components, &parts[..]) {
                (None, [one]) => one.clone(),
                _ => format!("[{}]", parts.join(", ")),
            })
        }
        Shape::Array(element, _) => Some(format!("{value}.map(|x| {})", conversion(element, "x")?)),
        Shape::Struct { .. } => None,
    }
}

fn word(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool | Scalar::U32 => "u32",
        Scalar::I32 => "i32",
        Scalar::I8 => "i8",
        Scalar::U8 => "u8",
        Scalar::I16 => "i16",
        Scalar::U16 => "u16",
        // The bits: Rust's own type is not stable.
        Scalar::F16 => "u16",
        Scalar::F32 => "f32",
        Scalar::I64 => "i64",
        Scalar::U64 => "u64",
        Scalar::F64 => "f64",
    }
}

/// A struct with its constructor, and checks of its layout.
pub(super) fn structure(s: &Struct, structs: &Structs, bytemuck: bool) -> String {
    let name = &s.name;
    let mut text = format!("/// `{}` of the shader: {} bytes.\n#[repr(C)]\n", s.original, s.size);
    text += if bytemuck {
        "#[derive(Clone, Copy, Debug, PartialEq, ::bytemuck::Pod, ::bytemuck::Zeroable)]\n"
    } else {
        "#[derive(Clone, Copy, Debug, PartialEq)]\n"
    };
    let _ = writeln!(text, "pub struct {name} {{");
    let (mut params, mut values, mut checks) = (vec![], vec![], String::new());
    let (mut at, mut paddings) = (0, 0);
    let mut pad = |text: &mut String, values: &mut Vec<String>, from: u32, to: u32| {
        if from < to {
            let _ = writeln!(text, "    #[doc(hidden)]\n    pub _padding{paddings}: [u8; {}],", to - from);
            values.push(format!("_padding{paddings}: [0; {}]", to - from));
            paddings += 1;
        }
    };
    let mut is_const = true;
    for field in &s.fields {
        let (field_name, shape) = (&field.name, &field.shape);
        pad(&mut text, &mut values, at, field.offset);
        let ty = stored(shape, structs);
        let _ = writeln!(text, "    /// {} at byte {}.\n    pub {field_name}: {ty},", field.about, field.offset);
        at = field.offset + shape.size_and_align().0;
        params.push(format!("{field_name}: {}", given(shape, structs)));
        values.push(match conversion(shape, field_name) {
            Some(value) => {
                is_const &= !value.contains(".map(");
                format!("{field_name}: {value}")
            }
            None => field_name.clone(),
        });
        let _ = writeln!(checks, "    assert!(::core::mem::offset_of!({name}, {field_name}) == {});", field.offset);
    }
    pad(&mut text, &mut values, at, s.size);
    let (qualifier, params, values) = (if is_const { "const fn" } else { "fn" }, params.join(", "), values.join(", "));
    let _ = writeln!(
        text,
        "}}\n\nimpl {name} {{\n    /// The members without the padding.\n    #[must_use]\n    pub {qualifier} new({params}) -> Self {{\n        \
         Self {{ {values} }}\n    }}\n}}\n\nconst _: () = {{\n    \
         assert!(::core::mem::size_of::<{name}>() == {});\n{checks}}};\n",
        s.size
    );
    text
}
