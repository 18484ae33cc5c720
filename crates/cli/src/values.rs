//! Values as text and JSON: numbers as they are, `"NaN"`, `"Infinity"` and `"-Infinity"` for values that JSON does not
//! have; vectors and arrays as arrays, matrices as arrays of columns, structs as objects.

use planish::ir::entity::Type;
use planish::ir::meaning::{Shape, integer_value, shortest_half};
use planish::ir::types::{Scalar, TypeKind, Types};
use planish::parse_scalar;
use serde_json::{Map, Number, Value};

/// A scalar in decimal.
pub(crate) fn show_scalar(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::F16 => shortest_half(bits as u16).to_string(),
        Scalar::F32 => f32::from_bits(bits as u32).to_string(),
        Scalar::F64 => f64::from_bits(bits).to_string(),
        integer => integer_value(integer, bits).to_string(),
    }
}

/// A value from its components; null if it is opaque.
pub(crate) fn to_json(types: &Types, ty: Type, words: &[u64]) -> Value {
    let mut rest = words;
    take_json(types, ty, &mut rest)
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn take_json(types: &Types, ty: Type, words: &mut &[u64]) -> Value {
    let scalars = |scalar, count: u8, words: &mut &[u64]| -> Value {
        (0..count).map(|_| scalar_json(scalar, next(words))).collect()
    };
    match &types[ty] {
        TypeKind::Scalar(scalar) => scalar_json(*scalar, next(words)),
        TypeKind::Vector(scalar, size) => scalars(*scalar, *size, words),
        TypeKind::Matrix { scalar, columns, rows } => (0..*columns).map(|_| scalars(*scalar, *rows, words)).collect(),
        TypeKind::Array { element, len } => (0..*len).map(|_| take_json(types, *element, words)).collect(),
        TypeKind::RuntimeArray { element } => {
            let count = words.len() / types.components(*element).unwrap_or(1).max(1);
            (0..count).map(|_| take_json(types, *element, words)).collect()
        }
        TypeKind::Struct(s) => {
            let members = s.members.iter().map(|m| (m.name.to_string(), take_json(types, m.ty, words)));
            Value::Object(members.collect::<Map<String, Value>>())
        }
        _ => {
            next(words);
            Value::Null
        }
    }
}

fn next(words: &mut &[u64]) -> u64 {
    let first = words.first().copied().unwrap_or(0);
    *words = words.get(1..).unwrap_or_default();
    first
}

fn scalar_json(scalar: Scalar, bits: u64) -> Value {
    let float = |x: f64, text: String| match Number::from_f64(x) {
        Some(number) => Value::Number(number),
        None if x.is_nan() => "NaN".into(),
        None => text.replace("inf", "Infinity").into(),
    };
    match scalar {
        Scalar::Bool => (bits != 0).into(),
        Scalar::I8 | Scalar::I16 | Scalar::I32 => (integer_value(scalar, bits) as i32).into(),
        Scalar::U8 | Scalar::U16 => bits.into(),
        Scalar::U32 => (bits as u32).into(),
        Scalar::I64 => (bits as i64).into(),
        Scalar::U64 => bits.into(),
        Scalar::F16 => float(shortest_half(bits as u16), show_scalar(scalar, bits)),
        Scalar::F32 => {
            // The shortest decimal, if it reads back as the same bits.
            let (x, text) = (f32::from_bits(bits as u32), show_scalar(scalar, bits));
            let short = text.parse::<f64>().ok().filter(|short| *short as f32 == x);
            float(short.unwrap_or(x.into()), text)
        }
        Scalar::F64 => float(f64::from_bits(bits), show_scalar(scalar, bits)),
    }
}

/// The components of a value. Missing members are 0, and so are missing elements at the end of an array with a size.
///
/// # Errors
/// The mismatch, in words for the user.
pub(crate) fn from_json(types: &Types, ty: Type, value: &Value) -> Result<Vec<u64>, String> {
    let mut words = vec![];
    put_json(types, ty, value, &mut words)?;
    Ok(words)
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn put_json(types: &Types, ty: Type, value: &Value, words: &mut Vec<u64>) -> Result<(), String> {
    match (&types[ty], value) {
        (TypeKind::Scalar(scalar), value) => put_scalar(*scalar, value, words),
        (TypeKind::Vector(scalar, size), Value::Array(parts)) => put_vector(*scalar, *size, parts, words),
        (TypeKind::Matrix { scalar, columns, rows }, Value::Array(parts)) if parts.len() == usize::from(*columns) => {
            parts.iter().try_for_each(|column| match column {
                Value::Array(parts) => put_vector(*scalar, *rows, parts, words),
                other => Err(misfit(other)),
            })
        }
        (TypeKind::Array { element, len }, Value::Array(parts)) if parts.len() <= *len as usize => {
            parts.iter().try_for_each(|part| put_json(types, *element, part, words))?;
            let missing = (*len as usize - parts.len()) * types.components(*element).unwrap_or(0);
            words.resize(words.len() + missing, 0);
            Ok(())
        }
        (TypeKind::RuntimeArray { element }, Value::Array(parts)) => {
            parts.iter().try_for_each(|part| put_json(types, *element, part, words))
        }
        (TypeKind::Struct(s), Value::Object(members)) => {
            if let Some(stray) = members.keys().find(|name| s.members.iter().all(|m| *m.name != ***name)) {
                return Err(format!("there is no member `{stray}`"));
            }
            s.members.iter().try_for_each(|m| match members.get(&*m.name) {
                Some(value) => put_json(types, m.ty, value, words).map_err(|why| format!("{}: {why}", m.name)),
                None => {
                    words.extend(zeros(types, m.ty, 0));
                    Ok(())
                }
            })
        }
        (_, value) => Err(misfit(value)),
    }
}

fn misfit(value: &Value) -> String {
    format!("{value} does not fit the type")
}

fn put_vector(scalar: Scalar, size: u8, parts: &[Value], words: &mut Vec<u64>) -> Result<(), String> {
    if parts.len() != usize::from(size) {
        return Err(format!("a vector has {size} components, not {}", parts.len()));
    }
    parts.iter().try_for_each(|part| put_scalar(scalar, part, words))
}

fn put_scalar(scalar: Scalar, value: &Value, words: &mut Vec<u64>) -> Result<(), String> {
    let text = match value {
        Value::String(text) => text.replace("Infinity", "inf"),
        other => other.to_string(),
    };
    words.push(parse_scalar(scalar, &text).ok_or_else(|| misfit(value))?);
    Ok(())
}

/// Components of a zero value, with `tail` elements in an array without a size.
pub(crate) fn zeros(types: &Types, ty: Type, tail: usize) -> Vec<u64> {
    vec![0; scalars(types, ty, tail).len()]
}

/// The components of a value from a flat list of numbers; missing ones are 0. An array without a size gets as many
/// elements as there are numbers for.
///
/// # Errors
/// The mismatch, in words for the user.
pub(crate) fn from_numbers(types: &Types, ty: Type, numbers: &[&str]) -> Result<Vec<u64>, String> {
    let fixed = scalars(types, ty, 0).len();
    let element = scalars(types, ty, 1).len() - fixed;
    if element == 0 && numbers.len() > fixed {
        return Err(format!("it has {fixed} components, not {}", numbers.len()));
    }
    let tail = numbers.len().saturating_sub(fixed).checked_div(element).unwrap_or(0);
    let tail = tail + usize::from(fixed + tail * element < numbers.len());
    let scalars = scalars(types, ty, tail);
    let mut words = vec![0; scalars.len()];
    for ((word, scalar), number) in words.iter_mut().zip(scalars).zip(numbers) {
        *word = parse_scalar(scalar, number).ok_or_else(|| format!("`{number}` does not fit its component"))?;
    }
    Ok(words)
}

/// The type of each component.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn scalars(types: &Types, ty: Type, tail: usize) -> Vec<Scalar> {
    match &types[ty] {
        TypeKind::Struct(s) => s.members.iter().flat_map(|m| scalars(types, m.ty, tail)).collect(),
        TypeKind::RuntimeArray { element } => scalars(types, *element, 0).repeat(tail),
        _ => {
            let mut all = vec![];
            types.for_each_run(ty, &mut |scalar, count| all.extend(std::iter::repeat_n(scalar, count)));
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish::Compiler;
    use planish::module::Module;

    fn module() -> Module {
        let source = "#version 430
            struct Item { vec2 at; int kind; };
            layout(std430) buffer Data { uint count; mat2x3 m; bool on; Item items[]; } data;
            layout(local_size_x = 1) in;
            void main() { data.count = uint(data.items.length()); }";
        Compiler::default().compile("a.comp", source).module.expect("is valid")
    }

    #[test]
    fn values_come_back() {
        let module = module();
        let ty = module.vars.values().find(|v| &*v.name.text == "data").expect("is there").ty;
        let text = r#"{"count":3,"m":[[0.1,-0.0,1e30],["NaN","-Infinity",4.5]],"on":true,"items":[{"at":[1.0,2.0],"kind":-7}]}"#;
        let words = from_json(&module.types, ty, &serde_json::from_str(text).expect("is JSON")).expect("fits");
        assert_eq!(words.len(), 1 + 6 + 1 + 3);
        assert_eq!(words[1], u64::from(0.1f32.to_bits()));
        assert_eq!(to_json(&module.types, ty, &words).to_string(), text.replace("1e30", "1e+30"));
        assert_eq!(zeros(&module.types, ty, 4).len(), 8 + 4 * 3);
    }

    #[test]
    fn numbers_fill_components_in_order() {
        let module = module();
        let ty = module.vars.values().find(|v| &*v.name.text == "data").expect("is there").ty;
        let words = |text: &str| from_numbers(&module.types, ty, &text.split(',').collect::<Vec<_>>());
        assert_eq!(words("9").map(|w| (w.len(), w[0])), Ok((8, 9)));
        assert_eq!(
            words("9,1,2,3,4,5,6,true,0.5").map(|w| (w.len(), w[7], w[8])),
            Ok((11, 1, 0.5f32.to_bits().into()))
        );
        assert_eq!(words("9,x"), Err("`x` does not fit its component".into()));
        let stray = serde_json::json!({"cuont": 3});
        assert_eq!(from_json(&module.types, ty, &stray), Err("there is no member `cuont`".into()));
        let long = serde_json::json!({"m": [[1, 2, 3]]});
        assert!(from_json(&module.types, ty, &long).is_err());
    }
}
