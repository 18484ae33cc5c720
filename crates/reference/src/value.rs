//! Values, as trees.

use std::rc::Rc;

use planish_ir::constant::ConstValue;
use planish_ir::entity::{Const, Func, Type};
use planish_ir::module::Module;
use planish_ir::ops::Lanes;
use planish_ir::types::{Scalar, TypeKind, Types};

/// A value of any type of the IR.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `bool`
    Bool(bool),
    /// `i8`
    I8(i8),
    /// `u8`
    U8(u8),
    /// `i16`
    I16(i16),
    /// `u16`
    U16(u16),
    /// `i32`
    I32(i32),
    /// `u32`
    U32(u32),
    /// `i64`
    I64(i64),
    /// `u64`
    U64(u64),
    /// `f16`: the bits.
    F16(u16),
    /// `f32`
    F32(f32),
    /// `f64`
    F64(f64),
    /// 128 bits.
    V128(u128),
    /// The components of a vector, columns of a matrix, elements of an array or members of a struct.
    Composite(Rc<Vec<Value>>),
    /// The address of a variable, or of a part of it.
    Pointer(Rc<Pointer>),
    /// A function.
    Function(Func),
    /// A function of any type, or null.
    FuncRef(Option<Func>),
    /// A reference of the host, or null.
    ExternRef(Option<u64>),
    /// A token: the number of tokens created before it.
    Token(u64),
    /// A colour standard, by its index in [`planish_ir::constant::YUV_NAMES`].
    Yuv(u64),
    /// An image or a sampler.
    Opaque(u64),
}

/// The address of a part of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// Index of the variable's cell in the machine.
    pub(crate) cell: usize,
    /// Path from the whole variable to the part.
    pub(crate) path: Vec<Step>,
}

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// To a component, column, element or member, by index.
    Part(usize),
    /// To several components of a vector, in this order.
    Swizzle(Lanes),
}

/// A composite of parts.
pub(crate) fn composite(parts: impl IntoIterator<Item = Value>) -> Value {
    Value::Composite(Rc::new(parts.into_iter().collect()))
}

impl Value {
    /// The parts of a composite; a scalar is its own only part.
    pub(crate) fn parts(&self) -> &[Value] {
        match self {
            Value::Composite(parts) => parts,
            scalar => std::slice::from_ref(scalar),
        }
    }

    /// Appends all scalars, in order.
    pub(crate) fn leaves(&self, out: &mut Vec<Value>) {
        match self {
            Value::Composite(parts) => parts.iter().for_each(|part| part.leaves(out)),
            leaf => out.push(leaf.clone()),
        }
    }

    /// Zero, null, or a composite of them; an array without a length has no elements. `None` for `void`, pointers,
    /// functions and tokens.
    pub fn zero(types: &Types, ty: Type) -> Option<Value> {
        Some(match &types[ty] {
            &TypeKind::Scalar(scalar) => Value::scalar(scalar, 0),
            TypeKind::V128 => Value::V128(0),
            TypeKind::YuvCsc => Value::Yuv(0),
            TypeKind::AtomicCounter => Value::U32(0),
            TypeKind::FuncRef => Value::FuncRef(None),
            TypeKind::ExternRef => Value::ExternRef(None),
            TypeKind::Image(_) | TypeKind::Sampler { .. } => Value::Opaque(0),
            &TypeKind::Vector(scalar, size) => composite(vec![Value::scalar(scalar, 0); size.into()]),
            &TypeKind::Matrix { scalar, columns, rows } => {
                composite(vec![composite(vec![Value::scalar(scalar, 0); rows.into()]); columns.into()])
            }
            &TypeKind::Array { element, len } => composite(vec![Value::zero(types, element)?; len as usize]),
            TypeKind::RuntimeArray { .. } => composite([]),
            TypeKind::Struct(s) => {
                composite(s.members.iter().map(|m| Value::zero(types, m.ty)).collect::<Option<Vec<_>>>()?)
            }
            TypeKind::Void
            | TypeKind::Pointer { .. }
            | TypeKind::Function { .. }
            | TypeKind::Token
            | TypeKind::Spirv(_) => return None,
        })
    }

    /// A scalar from its bits.
    pub fn scalar(scalar: Scalar, bits: u64) -> Value {
        match scalar {
            Scalar::Bool => Value::Bool(bits != 0),
            Scalar::I8 => Value::I8(bits as i8),
            Scalar::U8 => Value::U8(bits as u8),
            Scalar::I16 => Value::I16(bits as i16),
            Scalar::U16 => Value::U16(bits as u16),
            Scalar::I32 => Value::I32(bits as i32),
            Scalar::U32 => Value::U32(bits as u32),
            Scalar::I64 => Value::I64(bits as i64),
            Scalar::U64 => Value::U64(bits),
            Scalar::F16 => Value::F16(bits as u16),
            Scalar::F32 => Value::F32(f32::from_bits(bits as u32)),
            Scalar::F64 => Value::F64(f64::from_bits(bits)),
        }
    }

    /// The value of a constant.
    pub fn constant(module: &Module, c: Const) -> Value {
        let data = &module.consts[c];
        match (&data.value, &module.types[data.ty]) {
            (ConstValue::Composite(parts), _) => composite(parts.iter().map(|&part| Value::constant(module, part))),
            (&ConstValue::Wide(bits), _) => Value::V128(bits),
            (ConstValue::Null, TypeKind::ExternRef) => Value::ExternRef(None),
            (ConstValue::Null, _) => Value::FuncRef(None),
            (&ConstValue::Bits(bits), TypeKind::YuvCsc) => Value::Yuv(bits),
            (&ConstValue::Bits(bits), &TypeKind::Scalar(scalar)) => Value::scalar(scalar, bits),
            (&ConstValue::Bits(bits), _) => Value::Opaque(bits),
        }
    }

    /// Appends the bits of every scalar in order, each zero-extended to a word; 128 bits are two words, the low one
    /// first. Null is 0, a function its index plus one. Pointers have no words.
    pub fn words(&self, out: &mut Vec<u64>) {
        match self {
            &Value::Bool(x) => out.push(x.into()),
            &Value::I8(x) => out.push((x as u8).into()),
            &Value::U8(x) => out.push(x.into()),
            &Value::I16(x) => out.push((x as u16).into()),
            &Value::U16(x) => out.push(x.into()),
            &Value::I32(x) => out.push((x as u32).into()),
            &Value::U32(x) => out.push(x.into()),
            &Value::I64(x) => out.push(x as u64),
            &Value::F16(x) => out.push(x.into()),
            &Value::F32(x) => out.push(x.to_bits().into()),
            &Value::F64(x) => out.push(x.to_bits()),
            &Value::V128(x) => out.extend([x as u64, (x >> 64) as u64]),
            &Value::U64(x) | &Value::Token(x) | &Value::Yuv(x) | &Value::Opaque(x) => out.push(x),
            Value::Composite(parts) => parts.iter().for_each(|part| part.words(out)),
            Value::Function(func) => out.push(func.as_u32().into()),
            Value::FuncRef(func) => out.push(func.map_or(0, |func| u64::from(func.as_u32()) + 1)),
            Value::ExternRef(reference) => out.push(reference.unwrap_or(0)),
            Value::Pointer(_) => {}
        }
    }

    /// The value of a type from its words; an array without a length takes all remaining ones. `None` if there are too
    /// few, and for pointers.
    pub fn from_words(types: &Types, ty: Type, words: &mut std::slice::Iter<'_, u64>) -> Option<Value> {
        let mut several = |ty: Type, n: usize| -> Option<Value> {
            Some(composite((0..n).map(|_| Value::from_words(types, ty, words)).collect::<Option<Vec<_>>>()?))
        };
        Some(match &types[ty] {
            &TypeKind::Array { element, len } => several(element, len as usize)?,
            TypeKind::Struct(s) => {
                composite(s.members.iter().map(|m| Value::from_words(types, m.ty, words)).collect::<Option<Vec<_>>>()?)
            }
            &TypeKind::RuntimeArray { element } => {
                let mut elements = Vec::new();
                while !words.as_slice().is_empty() {
                    elements.push(Value::from_words(types, element, words)?);
                }
                composite(elements)
            }
            &TypeKind::Vector(scalar, n) => composite(scalars(scalar, n, words)?),
            &TypeKind::Matrix { scalar, columns, rows } => composite(
                (0..columns).map(|_| scalars(scalar, rows, words).map(composite)).collect::<Option<Vec<_>>>()?,
            ),
            &TypeKind::Scalar(scalar) => Value::scalar(scalar, *words.next()?),
            TypeKind::V128 => Value::V128(u128::from(*words.next()?) | u128::from(*words.next()?) << 64),
            TypeKind::YuvCsc => Value::Yuv(*words.next()?),
            TypeKind::AtomicCounter => Value::U32(*words.next()? as u32),
            TypeKind::FuncRef => {
                Value::FuncRef(words.next()?.checked_sub(1).map(|number| Func::from_u32(number as u32)))
            }
            TypeKind::ExternRef => Value::ExternRef(Some(*words.next()?).filter(|&reference| reference != 0)),
            TypeKind::Token => Value::Token(*words.next()?),
            TypeKind::Function { .. } => Value::Function(Func::from_u32(*words.next()? as u32)),
            TypeKind::Image(_) | TypeKind::Sampler { .. } => Value::Opaque(*words.next()?),
            TypeKind::Void | TypeKind::Pointer { .. } | TypeKind::Spirv(_) => return None,
        })
    }
}

fn scalars(scalar: Scalar, n: u8, words: &mut std::slice::Iter<'_, u64>) -> Option<Vec<Value>> {
    (0..n).map(|_| words.next().map(|&bits| Value::scalar(scalar, bits))).collect()
}
