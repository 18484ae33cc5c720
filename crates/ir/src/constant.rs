//! Constants: values known at compile time. Interned by type and bits, so that `-0.0` and `0.0` differ and a NaN equals
//! itself.

use crate::arena::{Arena, Id};
use rustc_hash::FxHashMap;

use crate::entity::{Const, Type};
use crate::meaning::{float_value, integer_value};
use crate::types::{TypeKind, Types};

/// The value of a [`Const`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstValue {
    /// A scalar: its bits, zero-extended. A `bool` is 0 or 1.
    Bits(u64),
    /// The parts of a vector (components), matrix (columns), array (elements) or struct (members).
    Composite(Box<[Const]>),
    /// 128 bits.
    Wide(u128),
    /// A null reference.
    Null,
}

/// A constant: a type and a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConstData {
    /// The type.
    pub ty: Type,
    /// The value.
    pub value: ConstValue,
}

/// All constants of a module.
#[derive(Clone, Debug)]
pub struct Consts {
    data: Arena<Const, ConstData>,
    ids: FxHashMap<ConstData, Const>,
    /// Direct-mapped cache of recently requested scalars, by bits of their hash: modules with many constants have a map
    /// larger than the processor's caches, but repeat few constants.
    recent: Box<[Const; RECENT]>,
}

/// Entries of the cache of scalars.
const RECENT: usize = 256;

/// Predefined constants. Their ids are fixed, in this order.
impl Const {
    /// `false`
    pub const FALSE: Const = Const::from_u32(0);
    /// `true`
    pub const TRUE: Const = Const::from_u32(1);
    /// `0.0`
    pub const F32_ZERO: Const = Const::from_u32(2);
    /// `1.0`
    pub const F32_ONE: Const = Const::from_u32(3);
    /// `0`
    pub const I32_ZERO: Const = Const::from_u32(4);
    /// `1`
    pub const I32_ONE: Const = Const::from_u32(5);
    /// `0u`
    pub const U32_ZERO: Const = Const::from_u32(6);
    /// `1u`
    pub const U32_ONE: Const = Const::from_u32(7);
    /// `itu_601`
    pub const YUV_601: Const = Const::from_u32(8);
    /// `itu_601_full_range`
    pub const YUV_601_FULL_RANGE: Const = Const::from_u32(9);
    /// `itu_709`
    pub const YUV_709: Const = Const::from_u32(10);
}

/// Number of predefined constants.
pub const PREDEFINED_CONSTS: usize = 11;

/// Names of the predefined YUV constants, by their bits.
pub const YUV_NAMES: [&str; 3] = ["itu_601", "itu_601_full_range", "itu_709"];

impl Default for Consts {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Index<Const> for Consts {
    type Output = ConstData;
    #[inline]
    fn index(&self, c: Const) -> &ConstData {
        &self.data[c]
    }
}

impl Consts {
    /// The predefined constants.
    pub fn new() -> Self {
        let mut consts = Consts {
            data: Arena::with_capacity(64),
            ids: FxHashMap::default(),
            recent: Box::new([Const::from_u32(0); RECENT]),
        };
        let one = 1.0f32.to_bits().into();
        for (ty, bits) in [
            (Type::BOOL, 0),
            (Type::BOOL, 1),
            (Type::F32, 0),
            (Type::F32, one),
            (Type::I32, 0),
            (Type::I32, 1),
            (Type::U32, 0),
            (Type::U32, 1),
            (Type::YUV_CSC, 0),
            (Type::YUV_CSC, 1),
            (Type::YUV_CSC, 2),
        ] {
            consts.bits(ty, bits);
        }
        debug_assert_eq!(consts.data.len(), PREDEFINED_CONSTS);
        consts
    }

    /// Interns a constant and returns its id.
    pub fn intern(&mut self, data: ConstData) -> Const {
        if let Some(&id) = self.ids.get(&data) {
            return id;
        }
        let id = self.data.push(data.clone());
        self.ids.insert(data, id);
        id
    }

    /// Removes the constants from index `len` on, which nothing may use any more; returns them in order.
    pub fn split_off(&mut self, len: usize) -> Vec<ConstData> {
        debug_assert!(len >= PREDEFINED_CONSTS);
        let removed = self.data.split_off(len);
        if !removed.is_empty() {
            for data in &removed {
                self.ids.remove(data);
            }
            self.recent.iter_mut().filter(|id| id.index() >= len).for_each(|id| *id = Const::FALSE);
        }
        removed
    }

    /// A scalar of type `ty` with these bits (zero-extended).
    pub fn bits(&mut self, ty: Type, bits: u64) -> Const {
        let mixed = (bits ^ u64::from(ty.as_u32()) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> 56) as usize % RECENT;
        let recent = self.recent[place];
        if let Some(ConstData { ty: same, value: ConstValue::Bits(value) }) = self.data.get(recent)
            && (*same, *value) == (ty, bits)
        {
            return recent;
        }
        let id = self.intern(ConstData { ty, value: ConstValue::Bits(bits) });
        self.recent[place] = id;
        id
    }

    /// A constant of type `v128`.
    pub fn wide(&mut self, types: &mut Types, bits: u128) -> Const {
        let ty = types.intern(TypeKind::V128);
        self.intern(ConstData { ty, value: ConstValue::Wide(bits) })
    }

    /// A composite with these parts.
    pub fn composite(&mut self, ty: Type, parts: impl Into<Box<[Const]>>) -> Const {
        self.intern(ConstData { ty, value: ConstValue::Composite(parts.into()) })
    }

    /// A boolean.
    pub fn bool(&self, value: bool) -> Const {
        if value { Const::TRUE } else { Const::FALSE }
    }

    /// An `i32`.
    pub fn i32(&mut self, value: i32) -> Const {
        self.bits(Type::I32, value as u32 as u64)
    }

    /// A `u32`.
    pub fn u32(&mut self, value: u32) -> Const {
        self.bits(Type::U32, value as u64)
    }

    /// An `f32`.
    pub fn f32(&mut self, value: f32) -> Const {
        self.bits(Type::F32, value.to_bits() as u64)
    }

    /// Number of constants.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Always false: the predefined constants are present.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// All constants with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Const, &ConstData)> {
        self.data.iter()
    }

    /// The bits of a scalar; `None` for other constants.
    pub fn as_bits(&self, c: Const) -> Option<u64> {
        if let ConstValue::Bits(b) = self.data[c].value { Some(b) } else { None }
    }

    /// The parts of a composite; `None` for other constants.
    pub fn as_parts(&self, c: Const) -> Option<&[Const]> {
        if let ConstValue::Composite(parts) = &self.data[c].value { Some(parts) } else { None }
    }

    /// Zero (false, all-zero composite, null) of a type; `None` for types without constants. Time and memory are
    /// proportional to the size of the type.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub fn zero(&mut self, types: &mut Types, ty: Type) -> Option<Const> {
        match types[ty].clone() {
            TypeKind::Scalar(_) => Some(self.bits(ty, 0)),
            TypeKind::V128 => Some(self.intern(ConstData { ty, value: ConstValue::Wide(0) })),
            TypeKind::FuncRef | TypeKind::ExternRef => Some(self.intern(ConstData { ty, value: ConstValue::Null })),
            TypeKind::Array { element, len } => {
                let zero = self.zero(types, element)?;
                Some(self.composite(ty, vec![zero; len as usize]))
            }
            TypeKind::Vector(..) | TypeKind::Matrix { .. } | TypeKind::Struct(_) => {
                let parts = (0..types.part_count(ty)?)
                    .map(|i| {
                        let part = types.part(ty, i)?;
                        self.zero(types, part)
                    })
                    .collect::<Option<Vec<_>>>()?;
                Some(self.composite(ty, parts))
            }
            _ => None,
        }
    }

    /// A scalar or vector of type `ty` with the same bits in every component.
    pub fn splat(&mut self, types: &mut Types, ty: Type, bits: u64) -> Option<Const> {
        let scalar = types.scalar_of(ty)?;
        let size = types.vector_size(ty)?;
        let scalar = types.scalar(scalar);
        let part = self.bits(scalar, bits);
        Some(if size == 1 { part } else { self.composite(ty, vec![part; size.into()]) })
    }

    /// Appends the bits of every component, depth first. Returns false if the constant contains a null reference.
    pub fn flatten(&self, c: Const, out: &mut Vec<u64>) -> bool {
        let mut stack = vec![c];
        while let Some(c) = stack.pop() {
            match &self.data[c].value {
                ConstValue::Bits(b) => out.push(*b),
                ConstValue::Wide(b) => out.extend([*b as u64, (*b >> 64) as u64]),
                ConstValue::Composite(parts) => stack.extend(parts.iter().rev()),
                ConstValue::Null => return false,
            }
        }
        true
    }

    /// The constant of type `ty` whose components, depth first, have the bits that `bits` yields: inverse of
    /// [`Consts::flatten`].
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub fn unflatten(&mut self, types: &mut Types, ty: Type, bits: &mut dyn Iterator<Item = u64>) -> Option<Const> {
        match types[ty] {
            TypeKind::Scalar(_) | TypeKind::YuvCsc => bits.next().map(|b| self.bits(ty, b)),
            TypeKind::V128 => {
                let (low, high) = (bits.next()?, bits.next()?);
                Some(self.intern(ConstData { ty, value: ConstValue::Wide(u128::from(low) | u128::from(high) << 64) }))
            }
            _ => {
                let parts = (0..types.part_count(ty)?)
                    .map(|i| {
                        let part = types.part(ty, i)?;
                        self.unflatten(types, part, bits)
                    })
                    .collect::<Option<Vec<_>>>()?;
                Some(self.composite(ty, parts))
            }
        }
    }

    /// Value of a scalar of float type (exact in `f64`).
    pub fn as_float(&self, types: &Types, c: Const) -> Option<f64> {
        let bits = self.as_bits(c)?;
        match types[self.data[c].ty] {
            TypeKind::Scalar(scalar) if scalar.is_float() => Some(float_value(scalar, bits)),
            _ => None,
        }
    }

    /// Value of a scalar of integer type.
    pub fn as_integer(&self, types: &Types, c: Const) -> Option<i128> {
        let bits = self.as_bits(c)?;
        match types[self.data[c].ty] {
            TypeKind::Scalar(scalar) if scalar.is_integer() => Some(integer_value(scalar, bits)),
            _ => None,
        }
    }

    /// The id of the next new constant.
    pub fn next_id(&self) -> Const {
        Const::new(self.data.len())
    }
}
