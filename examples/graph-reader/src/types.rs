//! Types. A value is the sequence of its components, 32 bits each: a matrix by columns, an array by elements, a struct
//! by members, a tuple by parts. A `bool` is 0 or 1.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::Error;

/// Type of a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// True or false.
    Bool,
    /// A signed integer.
    I32,
    /// An unsigned integer.
    U32,
    /// A float.
    F32,
}

/// Type of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// One component.
    Scalar(Scalar),
    /// 2 to 4 components.
    Vector(Scalar, usize),
    /// Columns of floats: how many, and of how many.
    Matrix(usize, usize),
    /// Element type and length.
    Array(Box<Type>, usize),
    /// Members of a struct or parts of a tuple.
    Parts(Vec<Type>),
    /// A texture, a sampler: something of the host's.
    Opaque,
}

impl Type {
    /// The components, in order. Empty for opaque types.
    pub fn scalars(&self) -> Vec<Scalar> {
        match self {
            Type::Scalar(s) => vec![*s],
            Type::Vector(s, n) => vec![*s; *n],
            Type::Matrix(columns, rows) => vec![Scalar::F32; columns * rows],
            Type::Array(element, n) => element.scalars().repeat(*n),
            Type::Parts(parts) => parts.iter().flat_map(Type::scalars).collect(),
            Type::Opaque => vec![],
        }
    }

    /// Number of components.
    pub fn size(&self) -> usize {
        match self {
            Type::Scalar(_) => 1,
            Type::Vector(_, n) => *n,
            Type::Matrix(columns, rows) => columns * rows,
            Type::Array(element, n) => element.size() * n,
            Type::Parts(parts) => parts.iter().map(Type::size).sum(),
            Type::Opaque => 0,
        }
    }

    /// Type of the components, if there are any and all are of one type.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) => Some(*s),
            Type::Matrix(..) => Some(Scalar::F32),
            _ => None,
        }
    }

    /// A direct part: a component, column, element, member.
    pub fn part(&self, index: usize) -> Option<Type> {
        match self {
            Type::Vector(s, n) => (index < *n).then_some(Type::Scalar(*s)),
            Type::Matrix(columns, rows) => (index < *columns).then_some(Type::Vector(Scalar::F32, *rows)),
            Type::Array(element, n) => (index < *n).then(|| (**element).clone()),
            Type::Parts(parts) => parts.get(index).cloned(),
            Type::Scalar(_) | Type::Opaque => None,
        }
    }

    /// Number of direct parts.
    pub fn parts(&self) -> usize {
        match self {
            Type::Vector(_, n) | Type::Matrix(n, _) | Type::Array(_, n) => *n,
            Type::Parts(parts) => parts.len(),
            Type::Scalar(_) | Type::Opaque => 0,
        }
    }
}

/// Types are not nested deeper than this.
const MAX_DEPTH: usize = 64;

/// The types of a graph, by name.
pub(crate) fn read(table: &Value) -> Result<BTreeMap<String, Type>, Error> {
    let rows = table.as_object().ok_or_else(|| Error::Format("no types".into()))?;
    let one = |name: &String| match of(name, table, MAX_DEPTH) {
        Some(ty) => Ok((name.clone(), ty)),
        None => Err(Error::Format(format!("type `{name}` cannot be read"))),
    };
    rows.keys().map(one).collect()
}

fn of(name: &str, table: &Value, depth: usize) -> Option<Type> {
    let row = table.get(name)?;
    let depth = depth.checked_sub(1)?;
    let named = |name: &Value| of(name.as_str()?, table, depth);
    let count = |key: &str| usize::try_from(row[key].as_u64()?).ok();
    let scalar = || {
        Some(match row["scalar"].as_str()? {
            "bool" => Scalar::Bool,
            "i32" => Scalar::I32,
            "u32" => Scalar::U32,
            "f32" => Scalar::F32,
            _ => return None,
        })
    };
    Some(match row["kind"].as_str()? {
        "scalar" => Type::Scalar(scalar()?),
        "vector" => Type::Vector(scalar()?, count("components")?),
        "matrix" if row["scalar"] == "f32" => Type::Matrix(count("columns")?, count("rows")?),
        "array" => Type::Array(Box::new(named(&row["element"])?), count("length")?),
        "struct" => Type::Parts(row["members"].as_array()?.iter().map(|m| named(&m["type"])).collect::<Option<_>>()?),
        "tuple" => Type::Parts(row["parts"].as_array()?.iter().map(named).collect::<Option<_>>()?),
        "image" | "sampler" => Type::Opaque,
        _ => return None,
    })
}

/// A constant's components.
pub(crate) fn constant(value: &Value, ty: &Type) -> Option<Vec<u32>> {
    if let Type::Scalar(scalar) = ty {
        return Some(vec![match (scalar, value) {
            (Scalar::Bool, Value::Bool(b)) => u32::from(*b),
            (Scalar::I32, Value::Number(n)) => i32::try_from(n.as_i64()?).ok()? as u32,
            (Scalar::U32, Value::Number(n)) => u32::try_from(n.as_u64()?).ok()?,
            (Scalar::F32, Value::Number(n)) => (n.as_f64()? as f32).to_bits(),
            (Scalar::F32, Value::String(s)) => match &s[..] {
                "inf" => f32::INFINITY.to_bits(),
                "-inf" => f32::NEG_INFINITY.to_bits(),
                nan => u32::from_str_radix(nan.strip_prefix("nan_")?, 16).ok()?,
            },
            _ => return None,
        }]);
    }
    let parts = value.as_array().filter(|parts| parts.len() == ty.parts())?;
    let mut words = vec![];
    for (i, part) in parts.iter().enumerate() {
        words.extend(constant(part, &ty.part(i)?)?);
    }
    Some(words)
}
