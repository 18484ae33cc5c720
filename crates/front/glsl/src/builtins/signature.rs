//! From the small signatures of the table to overloads with types.

use planish_ir::entity::Type;
use planish_ir::types::{Scalar, Types};
use smallvec::SmallVec;

use super::table::Row;
use super::{Overload, Param, ParamKind};
use crate::device;

/// One word of a signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    Void,
    /// Scalar or vector; all of a signature have one size.
    Gen(Scalar),
    /// Vector; all of a signature have one size.
    Vector(Scalar),
    Fixed(Scalar, u8),
    Matrix,
    MatrixTransposed,
    MatrixSquare,
    /// Result of an outer product.
    Outer,
    Counter,
    Yuv,
    AccelerationStructure,
    RayQuery,
    /// Four columns of three rows.
    Transform,
    /// `vec3[3]`
    Triangle,
}

fn word(text: &str) -> Word {
    let scalar = match text.as_bytes()[0].to_ascii_lowercase() {
        b'f' => Scalar::F32,
        b'i' => Scalar::I32,
        b'u' => Scalar::U32,
        b'b' => Scalar::Bool,
        b'd' => Scalar::F64,
        b'h' => Scalar::F16,
        b'c' => Scalar::I8,
        b'e' => Scalar::U8,
        b's' => Scalar::I16,
        b't' => Scalar::U16,
        b'l' => Scalar::I64,
        b'w' => Scalar::U64,
        _ => {
            return match text {
                "v" => Word::Void,
                "M" => Word::Matrix,
                "MT" => Word::MatrixTransposed,
                "MS" => Word::MatrixSquare,
                "O" => Word::Outer,
                "a" => Word::Counter,
                "y" => Word::Yuv,
                "rt" => Word::AccelerationStructure,
                "rq" => Word::RayQuery,
                "m" => Word::Transform,
                "p" => Word::Triangle,
                _ => panic!("`{text}` is no word of a signature"),
            };
        }
    };
    match text.as_bytes() {
        [c, b'V'] if c.is_ascii_uppercase() => Word::Vector(scalar),
        [c] if c.is_ascii_uppercase() => Word::Gen(scalar),
        [_] => Word::Fixed(scalar, 1),
        [_, n] => Word::Fixed(scalar, n - b'0'),
        _ => panic!("`{text}` is no word of a signature"),
    }
}

struct Signature {
    result: Word,
    params: SmallVec<[(Word, ParamKind); 5]>,
}

fn parse(text: &str) -> Signature {
    let (result, rest) = text.split_once('(').expect("a signature has parentheses");
    let params = rest.trim_end_matches(')');
    let mut signature = Signature { result: word(result), params: SmallVec::new() };
    for p in params.split(',').filter(|p| !p.is_empty()) {
        signature.params.push(match p.as_bytes()[0] {
            b'>' => (word(&p[1..]), ParamKind::Out),
            b'&' => (word(&p[1..]), ParamKind::Memory),
            b'%' => (word(&p[1..]), ParamKind::Interpolant),
            b'@' => (word(&p[1..]), ParamKind::Place),
            b'!' => (word(&p[1..]), ParamKind::Const),
            _ => (word(p), ParamKind::In),
        });
    }
    signature
}

/// Appends the overloads of a row, also those on the other kinds of numbers `others` where the row has them.
pub(super) fn expand(types: &mut Types, row: &Row, others: &[Scalar], out: &mut Vec<Overload>) {
    let signature = parse(row.signature);
    for other in scalars(row, others) {
        for &size in signature.sizes() {
            let overload = instance(types, row, &signature, other, size);
            // `F(F,f)` and `F(F,F)` are one for scalars.
            if !out.iter().any(|o| o.params == overload.params) {
                out.push(overload);
            }
        }
    }
}

/// The overload of a row with exactly these parameter types, if there is one.
pub(super) fn exact(types: &mut Types, row: &Row, args: &[Type]) -> Option<Overload> {
    let signature = parse(row.signature);
    if signature.params.len() != args.len() {
        return None;
    }
    for other in scalars(row, &other_scalars(types, args)) {
        for &size in signature.sizes() {
            if !signature.may_fit(types, size.1, args) {
                continue;
            }
            let overload = instance(types, row, &signature, other, size);
            if overload.params.iter().map(|p| p.ty).eq(args.iter().copied()) {
                return Some(overload);
            }
        }
    }
    None
}

/// The numbers besides those of 32 bits that are among arguments, of which rows have overloads; integers without their sign.
pub(super) fn other_scalars(types: &Types, args: &[Type]) -> SmallVec<[Scalar; 2]> {
    let has = |scalar: &Scalar| {
        args.iter()
            .filter_map(|&arg| types.scalar_of(arg))
            .any(|arg| arg == *scalar || arg.is_integer() && arg.unsigned() == *scalar)
    };
    OTHERS.into_iter().filter(has).collect()
}

const OTHERS: [Scalar; 5] = [Scalar::F64, Scalar::F16, Scalar::U8, Scalar::U16, Scalar::U64];

/// 32-bit floats, and the others for which a row has overloads.
fn scalars(row: &Row, others: &[Scalar]) -> SmallVec<[Scalar; 3]> {
    let has = |scalar: &&Scalar| match **scalar {
        Scalar::F64 => row.double,
        Scalar::F16 => row.half,
        Scalar::U64 => row.long,
        _ => row.small,
    };
    std::iter::once(Scalar::F32).chain(others.iter().filter(has).copied()).collect()
}

impl Signature {
    /// The columns and rows of its overloads.
    fn sizes(&self) -> &'static [(u8, u8)] {
        let words = || self.params.iter().map(|p| p.0).chain([self.result]);
        if words().any(|w| matches!(w, Word::Gen(_))) {
            &[(1, 1), (2, 2), (3, 3), (4, 4)]
        } else if words().any(|w| w == Word::Outer) {
            ALL_MATRICES
        } else if words().any(|w| matches!(w, Word::Vector(_) | Word::MatrixSquare)) {
            &[(2, 2), (3, 3), (4, 4)]
        } else if words().any(|w| w == Word::Matrix) {
            ALL_MATRICES
        } else {
            &[(1, 1)]
        }
    }

    /// Whether the arguments have the sizes of the overload of this size; cheaper than building it.
    fn may_fit(&self, types: &Types, rows: u8, args: &[Type]) -> bool {
        let outer = self.result == Word::Outer;
        self.params.iter().zip(args).all(|(&(word, _), &arg)| match word {
            Word::Gen(_) | Word::Vector(_) if !outer => types.vector_size(arg) == Some(rows),
            Word::Fixed(_, n) => types.vector_size(arg) == Some(n),
            _ => true,
        })
    }
}

/// Columns and rows. An outer product takes its rows from the first vector and its columns from the second.
const ALL_MATRICES: &[(u8, u8)] = &[(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (4, 4)];

/// The overload of a size, with other floats for those of 32 bits, or with other integers if `other` is one.
fn instance(types: &mut Types, row: &Row, signature: &Signature, other: Scalar, size: (u8, u8)) -> Overload {
    let float = if other.is_float() { other } else { Scalar::F32 };
    let (columns, rows) = size;
    let outer = signature.result == Word::Outer;
    let mut ty = |word: Word, index: usize| {
        let with = |s: Scalar| match s {
            Scalar::F32 => float,
            Scalar::I32 if other.is_integer() => other.signed(),
            Scalar::U32 if other.is_integer() => other,
            _ => s,
        };
        match word {
            Word::Void => Type::VOID,
            Word::Vector(s) if outer => types.vector(with(s), if index == 0 { rows } else { columns }),
            Word::Gen(s) | Word::Vector(s) => types.vector(with(s), rows),
            Word::Fixed(s, n) => types.vector(with(s), n),
            Word::Matrix | Word::MatrixSquare | Word::Outer => types.matrix(float, columns, rows),
            Word::MatrixTransposed => types.matrix(float, rows, columns),
            Word::Counter => Type::ATOMIC_COUNTER,
            Word::Yuv => Type::YUV_CSC,
            Word::AccelerationStructure => device::acceleration_structure(types),
            Word::RayQuery => device::ray_query(types),
            Word::Triangle => types.array(Type::VEC3, 3),
            Word::Transform => types.matrix(Scalar::F32, 4, 3),
        }
    };
    let mut params = SmallVec::new();
    for (i, &(w, kind)) in signature.params.iter().enumerate() {
        params.push(Param { ty: ty(w, i), kind });
    }
    Overload { params, result: ty(signature.result, usize::MAX), action: row.action }
}

#[cfg(test)]
mod tests {
    use super::super::{Action, table};
    use super::*;
    use planish_ir::ops::{Imm, infer};

    /// The op of every overload of every row accepts its parameters and returns its result.
    #[test]
    fn every_overload_fits_its_op() {
        let mut types = Types::new();
        for row in table::all_rows() {
            let mut overloads = Vec::new();
            expand(&mut types, row, &OTHERS, &mut overloads);
            assert!(!overloads.is_empty());
            for overload in overloads {
                let Action::Op(op) = overload.action else { continue };
                // A number of a bit is converted to the type of a small operand.
                let is_counted =
                    op.info().rule.is_query() && types.scalar_of(overload.result).is_some_and(Scalar::is_small_integer);
                if is_counted || overload.params.iter().any(|p| p.kind != ParamKind::In) {
                    continue;
                }
                let wide = types.vector_size(overload.result).unwrap_or(1);
                let args: Vec<Type> = overload
                    .params
                    .iter()
                    .map(|p| {
                        let same = matches!(op.info().rule, planish_ir::ops::Rule::Same(..));
                        let scalar = types.vector_size(p.ty) == Some(1);
                        if same && scalar && wide > 1 { overload.result } else { p.ty }
                    })
                    .collect();
                let result = infer(&mut types, op, Imm::NONE, &args, None);
                let one = [overload.result];
                let expected = if overload.result == Type::VOID { &[][..] } else { &one };
                assert_eq!(result.as_deref(), Ok(expected), "{} {}", row.name, row.signature);
            }
        }
    }

    /// The overload found for exact types is the first with these types.
    #[test]
    fn exact_overloads_are_those_that_all_of_them_hold() {
        let mut types = Types::new();
        for row in table::all_rows() {
            let mut overloads = Vec::new();
            expand(&mut types, row, &OTHERS, &mut overloads);
            for overload in overloads {
                let args: Vec<Type> = overload.params.iter().map(|p| p.ty).collect();
                assert_eq!(exact(&mut types, row, &args), Some(overload), "{} {}", row.name, row.signature);
                let longer = [&args[..], &[Type::F32]].concat();
                assert_eq!(exact(&mut types, row, &longer), None);
            }
        }
    }
}
