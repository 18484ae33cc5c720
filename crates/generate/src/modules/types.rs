//! Types of generated modules, and their constants.

use crate::Choices;

/// Maximum nesting depth of arrays in a type, not counting those of structs.
const MAX_ARRAYS: u8 = 8;

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `bool`
    Bool,
    /// `f16`
    F16,
    /// `i8`
    I8,
    /// `u8`
    U8,
    /// `i16`
    I16,
    /// `u16`
    U16,
}

/// Halves: small numbers, the ends of the range, subnormals.
const HALVES: [&str; 10] = [
    "0.0h",
    "-0.0h",
    "1.5h",
    "-2.25h",
    "1000.0h",
    "65504.0h",
    "-65504.0h",
    "6.103515625e-5h",
    "-5.960464477539063e-8h",
    "0.33325195h",
];

impl Number {
    /// Numbers of 8 and 16 bits.
    pub const NARROW: [Number; 5] = [Number::F16, Number::I8, Number::U8, Number::I16, Number::U16];

    /// An integer from a small number: those and the ends of its range.
    const fn integer(self, number: usize) -> i64 {
        let (least, greatest) = match self {
            Number::I8 => (i8::MIN as i64, i8::MAX as i64),
            Number::U8 => (0, u8::MAX as i64),
            Number::I16 => (i16::MIN as i64, i16::MAX as i64),
            _ => (0, u16::MAX as i64),
        };
        match number {
            0 => least,
            1 => greatest,
            2 => greatest - 1,
            _ if least < 0 => number as i64 - 6,
            _ => number as i64 - 3,
        }
    }

    /// Whether it is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Number::F16 | Number::F32 | Number::F64)
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Number::I8 | Number::I16 | Number::I32)
    }
    /// Its name in the IR's text.
    pub const fn name(self) -> &'static str {
        match self {
            Number::I32 => "i32",
            Number::U32 => "u32",
            Number::F32 => "f32",
            Number::F64 => "f64",
            Number::Bool => "bool",
            Number::F16 => "f16",
            Number::I8 => "i8",
            Number::U8 => "u8",
            Number::I16 => "i16",
            Number::U16 => "u16",
        }
    }

    /// A small number, as an operand.
    pub(super) fn literal(self, choices: &mut Choices<'_>) -> String {
        let number = choices.below(10);
        match self {
            Number::I32 => (number as i32 - 3).to_string(),
            Number::U32 => format!("{number}u"),
            Number::F32 => format!("{:?}", number as f32 * 0.75 - 2.0),
            Number::F64 => format!("{:?}d", number as f64 * 0.75 - 2.0),
            Number::Bool => number.is_multiple_of(2).to_string(),
            Number::F16 => HALVES[number].to_owned(),
            Number::I8 => format!("{}y", self.integer(number)),
            Number::U8 => format!("{}uy", self.integer(number)),
            Number::I16 => format!("{}s", self.integer(number)),
            Number::U16 => format!("{}us", self.integer(number)),
        }
    }

    /// The bits of a small number of a type that the host sees, as an argument.
    pub(super) fn bits(self, choices: &mut Choices<'_>) -> u64 {
        let number = choices.below(10);
        match self {
            Number::I32 => (number as i32 - 3) as u32 as u64,
            Number::U32 => number as u64,
            Number::F32 => (number as f32 * 0.75 - 2.0).to_bits().into(),
            Number::F64 => (number as f64 * 0.75 - 2.0).to_bits(),
            Number::Bool => number as u64 % 2,
            narrow => unreachable!("the host sees no {}", narrow.name()),
        }
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Scalar(Number),
    Vector(Number, u8),
    /// Columns and rows.
    Matrix(Number, u8, u8),
    Array(Box<Ty>, u8),
    Struct(usize),
}

/// Member types of structs, by number.
pub(super) type Structs = [Vec<Ty>];

impl Ty {
    pub(super) fn text(&self) -> String {
        let prefix = |number| match number {
            Number::I32 => "i",
            Number::U32 => "u",
            Number::F32 => "",
            Number::F64 => "d",
            Number::Bool => "b",
            Number::F16 => "f16",
            Number::I8 | Number::U8 | Number::I16 | Number::U16 => number.name(),
        };
        match self {
            Ty::Scalar(number) => number.name().to_owned(),
            Ty::Vector(number, size) => format!("{}vec{size}", prefix(*number)),
            Ty::Matrix(number, columns, rows) => format!("{}mat{columns}x{rows}", prefix(*number)),
            Ty::Array(element, len) => format!("[{len} x {}]", element.text()),
            Ty::Struct(number) => format!("$S{number}"),
        }
    }

    /// Types of the parts; empty for a scalar.
    pub(super) fn parts(&self, structs: &Structs) -> Vec<Ty> {
        match self {
            Ty::Scalar(_) => vec![],
            Ty::Vector(number, size) => vec![Ty::Scalar(*number); (*size).into()],
            Ty::Matrix(number, columns, rows) => vec![Ty::Vector(*number, *rows); (*columns).into()],
            Ty::Array(element, len) => vec![(**element).clone(); (*len).into()],
            Ty::Struct(number) => structs[*number].clone(),
        }
    }

    /// Whether it is or contains another type.
    pub(super) fn holds(&self, wanted: &Ty, structs: &Structs) -> bool {
        self == wanted || self.parts(structs).iter().any(|part| part.holds(wanted, structs))
    }

    /// A constant in the text, with its type.
    pub(super) fn constant(&self, choices: &mut Choices<'_>, structs: &Structs) -> String {
        let inner = self.inner(choices, structs);
        if let Ty::Scalar(_) = self { inner } else { format!("{}{inner}", self.text()) }
    }

    fn inner(&self, choices: &mut Choices<'_>, structs: &Structs) -> String {
        if let Ty::Scalar(number) = self {
            return number.literal(choices);
        }
        let parts: Vec<String> = self.parts(structs).iter().map(|part| part.inner(choices, structs)).collect();
        format!("{{{}}}", parts.join(", "))
    }
}

/// A random type of variables, with or without booleans.
pub(super) fn random(choices: &mut Choices<'_>, structs: &Structs, booleans: bool, narrow: bool) -> Ty {
    random_within(choices, structs, booleans, narrow, MAX_ARRAYS)
}

/// Recursion: at most `arrays` levels of arrays.
fn random_within(choices: &mut Choices<'_>, structs: &Structs, booleans: bool, narrow: bool, arrays: u8) -> Ty {
    let mut numbers = vec![Number::I32, Number::F32, Number::I32, Number::F32, Number::U32, Number::F64];
    numbers.extend(booleans.then_some(Number::Bool));
    if narrow {
        numbers.extend(Number::NARROW.repeat(2));
    }
    let number = choices.pick(&numbers);
    match choices.below(10) {
        0..3 => Ty::Scalar(number),
        3..5 => Ty::Vector(number, 2 + choices.below(3) as u8),
        5 => {
            let float = if choices.chance(80) { Number::F32 } else { Number::F64 };
            let float = if narrow && choices.chance(60) { Number::F16 } else { float };
            Ty::Matrix(float, 2 + choices.below(3) as u8, 2 + choices.below(3) as u8)
        }
        6..8 => Ty::Array(Box::new(Ty::Scalar(number)), 1 + choices.below(4) as u8),
        8 if arrays > 0 => Ty::Array(
            Box::new(random_within(choices, structs, booleans, narrow, arrays - 1)),
            1 + choices.below(3) as u8,
        ),
        _ if structs.is_empty() => Ty::Vector(number, 2),
        _ => Ty::Struct(choices.below(structs.len())),
    }
}
