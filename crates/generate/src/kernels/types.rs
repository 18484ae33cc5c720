//! Types of kernels.

use crate::Choices;

/// A component type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    I8,
    U8,
    I16,
    U16,
    F16,
    I32,
    U32,
    F32,
    I64,
    U64,
    F64,
    Bool,
}

use Number::*;

impl Number {
    pub(super) fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    pub(super) fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// Size in a block, in bytes.
    fn size(self) -> usize {
        match self {
            I8 | U8 => 1,
            I16 | U16 | F16 => 2,
            I32 | U32 | F32 | Bool => 4,
            I64 | U64 | F64 => 8,
        }
    }

    /// The scalar type, and the first letters of vectors.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            I8 => ("int8_t", "i8"),
            U8 => ("uint8_t", "u8"),
            I16 => ("int16_t", "i16"),
            U16 => ("uint16_t", "u16"),
            F16 => ("float16_t", "f16"),
            I32 => ("int", "i"),
            U32 => ("uint", "u"),
            F32 => ("float", ""),
            I64 => ("int64_t", "i64"),
            U64 => ("uint64_t", "u64"),
            F64 => ("double", "d"),
            Bool => ("bool", "b"),
        }
    }

    /// A literal.
    pub(super) fn literal(self, choices: &mut Choices<'_>) -> String {
        let bits = choices.word();
        let few = choices.chance(75);
        if self == Bool {
            return choices.pick(&["true", "false"]).into();
        }
        if self.is_float() {
            let value = choices.pick(&[
                "1.0", "0.0", "0.5", "2.0", "-1.0", "3.25", "0.1", "-0.0", "7.0", "2049.0", "1.0e-7", "65504.0",
                "-300.0",
            ]);
            return match self {
                F16 => format!("float16_t({value})"),
                F64 => format!("{value}lf"),
                _ => value.into(),
            };
        }
        let small = choices.pick(&["1", "0", "2", "3", "7", "8", "15", "31", "100", "127"]);
        match self {
            I32 if few => small.into(),
            U32 if few => format!("{small}u"),
            _ if few => format!("{}({small})", self.names().0),
            I64 | U64 => format!("{}(0x{bits:x}ul)", self.names().0),
            _ => format!("{}(0x{:x}u)", self.names().0, bits as u32),
        }
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    /// A scalar (1) or vector (2 to 4).
    Value(Number, u8),
    /// Columns and rows.
    Matrix(Number, u8, u8),
    Array(Box<Ty>, u8),
    /// The struct of this number.
    Struct(usize),
}

/// The name of a scalar or vector type.
pub(super) fn value_name(number: Number, n: u8) -> String {
    let (scalar, vector) = number.names();
    if n == 1 { scalar.into() } else { format!("{vector}vec{n}") }
}

/// The name of a matrix type.
pub(super) fn matrix_name(number: Number, columns: u8, rows: u8) -> String {
    format!("{}mat{columns}x{rows}", number.names().1)
}

/// The smallest expression of a scalar or vector type.
pub(super) fn zero(number: Number, n: u8) -> String {
    match (number, n) {
        (Bool, 1) => "false".into(),
        (I32, 1) => "0".into(),
        (U32, 1) => "0u".into(),
        (F32, 1) => "0.0".into(),
        (Bool, _) => format!("bvec{n}(false)"),
        _ => format!("{}(0)", value_name(number, n)),
    }
}

impl Ty {
    /// Its name; lengths of arrays follow, the outermost first.
    pub(super) fn name(&self) -> String {
        let (mut ty, mut lengths) = (self, String::new());
        loop {
            let name = match ty {
                Ty::Value(number, n) => value_name(*number, *n),
                Ty::Matrix(number, columns, rows) => matrix_name(*number, *columns, *rows),
                Ty::Struct(i) => format!("S{i}"),
                Ty::Array(element, len) => {
                    lengths += &format!("[{len}]");
                    ty = element;
                    continue;
                }
            };
            return name + &lengths;
        }
    }

    /// Upper bound of its size by any rule of layout and order of matrices, in bytes; a multiple of 32.
    pub(super) fn most_bytes(&self, structs: &[Vec<Ty>]) -> usize {
        let vector = |number: &Number| (4 * number.size()).next_multiple_of(32);
        match self {
            Ty::Value(number, _) => vector(number),
            Ty::Matrix(number, columns, rows) => usize::from(*columns.max(rows)) * vector(number),
            Ty::Array(element, len) => usize::from(*len) * element.most_bytes(structs),
            Ty::Struct(i) => structs[*i].iter().map(|member| member.most_bytes(structs)).sum(),
        }
    }

    /// Number of its scalars.
    pub(super) fn scalars(&self, structs: &[Vec<Ty>]) -> usize {
        match self {
            Ty::Value(_, n) => usize::from(*n),
            Ty::Matrix(_, columns, rows) => usize::from(columns * rows),
            Ty::Array(element, len) => usize::from(*len) * element.scalars(structs),
            Ty::Struct(i) => structs[*i].iter().map(|member| member.scalars(structs)).sum(),
        }
    }
}

/// Most scalars of a random type.
const MOST_SCALARS: usize = 40;

/// A random type.
/// Recursion: `depth` levels.
pub(super) fn random(choices: &mut Choices<'_>, numbers: &[Number], structs: &[Vec<Ty>], depth: usize) -> Ty {
    let number = choices.pick(numbers);
    match choices.below(8) {
        0 | 1 if depth > 0 => {
            let element = random(choices, numbers, structs, depth - 1);
            let len = 1 + choices.below(4) as u8;
            if element.scalars(structs) * usize::from(len) > MOST_SCALARS {
                return element;
            }
            Ty::Array(Box::new(element), len)
        }
        2 | 3 if depth > 0 && !structs.is_empty() => Ty::Struct(choices.below(structs.len())),
        4 | 5 if number.is_float() => Ty::Matrix(number, 2 + choices.below(3) as u8, 2 + choices.below(3) as u8),
        _ => Ty::Value(number, 1 + choices.below(4) as u8),
    }
}
