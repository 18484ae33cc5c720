//! Operations that a target supports.
//!
//! A back end exports a [`TargetInfo`]: its name and a function from [`Operation`] to [`Support`]. The legalizer
//! (`planish_opt::legalize`) rewrites a module until every operation in it is supported, and back ends print what is left
//! one to one.
//!
//! ```
//! use planish_ir::ops::Op;
//! use planish_ir::types::Scalar;
//! use planish_target::legal::{Operation, Support, TargetInfo};
//!
//! fn support(operation: &Operation) -> Support {
//!     match operation.op {
//!         Op::Saturate | Op::IsNan => Support::Expand,
//!         Op::Divide if operation.scalar().is_some_and(Scalar::is_integer) => Support::Guard,
//!         Op::Inverse => Support::Call,
//!         _ => Support::Yes,
//!     }
//! }
//! let info = TargetInfo { name: "Example", support: &support, is_shading_language: false };
//! assert_eq!(info.name, "Example");
//! ```

use std::cmp::Ordering;

use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::meaning::float_value;
use planish_ir::module::Module;
use planish_ir::ops::{Class, GroupOperation, Imm, ImmKind, Op};
use planish_ir::types::{Scalar, TypeKind, Types};

/// Support of a target for an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// An instruction or function of the target with exactly the meaning of `docs/numerics.md`.
    Yes,
    /// An instruction of the target that is undefined (or does not exist) for some operands: where these are not known to be
    /// in range ([`is_defined`]), they are replaced by others before it, or it is expanded.
    Guard,
    /// A division that is undefined only where the divisor is 0: the least integer over -1 wraps. The divisor is replaced.
    GuardZero,
    /// As [`Support::Yes`], but constants that are out of range are errors of the target: they are replaced by others.
    GuardConstants,
    /// Other operations in its place; an error if there are none.
    Expand,
    /// A call of a function of the IR that computes it, one for each list of types: for large expansions.
    Call,
}

impl Support {
    /// Whether a target with this support can take an operation on these operands as it is.
    pub fn takes(
        self,
        module: &Module,
        body: &Body,
        (op, imm): (Op, Imm),
        args: &[Value],
        result: Option<Type>,
    ) -> bool {
        match self {
            Support::Yes => true,
            Support::Guard => is_defined(module, body, (op, imm), args, result),
            Support::GuardZero => {
                imm.is_guarded() || constant_bits(module, args[1]).is_some_and(|bits| !bits.contains(&0))
            }
            Support::GuardConstants => !has_constant_out_of_range(module, body, (op, args)),
            Support::Expand | Support::Call => false,
        }
    }
}

/// Form of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// One number or boolean.
    Scalar,
    /// A vector of 2 to 4 components.
    Vector(u8),
    /// A matrix of 2 to 4 columns and rows.
    Matrix {
        /// Number of columns.
        columns: u8,
        /// Number of rows.
        rows: u8,
    },
    /// Any other type, or no value.
    Other,
}

/// Component type and form of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand {
    /// Component type; `None` if it has none.
    pub scalar: Option<Scalar>,
    /// Form.
    pub shape: Shape,
}

impl Operand {
    /// No value.
    pub const NONE: Operand = Operand { scalar: None, shape: Shape::Other };

    /// A value of a type.
    pub fn of(types: &Types, ty: Type) -> Self {
        match types[ty] {
            TypeKind::Scalar(scalar) => Operand { scalar: Some(scalar), shape: Shape::Scalar },
            TypeKind::Vector(scalar, n) => Operand { scalar: Some(scalar), shape: Shape::Vector(n) },
            TypeKind::Matrix { scalar, columns, rows } => {
                Operand { scalar: Some(scalar), shape: Shape::Matrix { columns, rows } }
            }
            _ => Operand::NONE,
        }
    }
}

/// An operation on operands of some types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The op. The conversion of a whole vector is a `ConstructScalarFromScalar` of vectors.
    pub op: Op,
    /// Its immediate.
    pub imm: Imm,
    /// The first operand.
    pub first: Operand,
    /// The second operand.
    pub second: Operand,
    /// The result, of ops that construct or convert; [`Operand::NONE`] of others.
    pub result: Operand,
}

impl Operation {
    /// An operation whose operands and result have these types; `result` counts only if the op constructs or converts.
    pub fn new(types: &Types, op: Op, imm: Imm, operands: &[Type], result: Option<Type>) -> Self {
        let operand = |ty: Option<&Type>| ty.map_or(Operand::NONE, |&ty| Operand::of(types, ty));
        let constructs = op.info().class == Class::Construct;
        let (first, second) = (operand(operands.first()), operand(operands.get(1)));
        let result = operand(result.as_ref().filter(|_| constructs));
        let is_conversion = op == Op::ConstructVectorFromMultiple && operands.len() == 1 && first.shape == result.shape;
        let op = if is_conversion { Op::ConstructScalarFromScalar } else { op };
        Operation { op, imm, first, second, result }
    }

    /// The operation of a node.
    pub fn of(module: &Module, body: &Body, node: Node) -> Self {
        let (data, args) = (body.node(node), body.args(node));
        let ty = |i: usize| args.get(i).map_or(Type::VOID, |&arg| module.type_of(body, arg));
        let result = body.result(node).map(|local| body.local_type(local));
        Operation::new(&module.types, data.op, data.imm, &[ty(0), ty(1)][..args.len().min(2)], result)
    }

    /// The type of its operands, for a target whose operations take scalars.
    ///
    /// # Errors
    /// If that is not what decides: such a target has no operation on composites, and its memories, calls and lanes are not
    /// the legalizer's concern.
    pub fn on_scalars(&self) -> Result<Scalar, Support> {
        use Class::{Call, Custom, Machine, Memory, Simd, Token};
        if matches!(self.op.info().class, Memory | Call | Machine | Simd | Token | Custom) {
            return Err(Support::Yes);
        }
        match (self.first.shape, self.second.shape) {
            (Shape::Scalar, Shape::Vector(_) | Shape::Matrix { .. }) if self.op == Op::Select => Err(Support::Expand),
            (Shape::Scalar, _) => self.scalar().ok_or(Support::Expand),
            _ => Err(Support::Expand),
        }
    }

    /// Component type of the first operand.
    pub fn scalar(&self) -> Option<Scalar> {
        self.first.scalar
    }

    /// Whether the components of the first operand have 64 bits.
    pub fn is_wide(&self) -> bool {
        self.scalar().is_some_and(|scalar| scalar.bits() == 64)
    }

    /// Whether the components of the first operand are floats.
    pub fn is_float(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_float)
    }

    /// Whether the first operand is a matrix.
    pub fn is_matrix(&self) -> bool {
        matches!(self.first.shape, Shape::Matrix { .. })
    }

    /// Its name for people, with its operands where these may be the reason that a target lacks it: `` `sin` of doubles ``.
    pub fn text(&self) -> String {
        let operands = match (self.first.shape, self.scalar()) {
            (Shape::Matrix { .. }, Some(Scalar::F64)) => " of matrices of doubles",
            (_, Some(Scalar::F64)) => " of doubles",
            (_, Some(Scalar::F16)) => " of 16-bit floats",
            (_, Some(Scalar::I16 | Scalar::U16)) => " of 16-bit integers",
            (_, Some(Scalar::I8 | Scalar::U8)) => " of 8-bit integers",
            (_, Some(Scalar::I64 | Scalar::U64)) => " of 64-bit integers",
            _ => "",
        };
        let group = match (self.op.info().imm, self.imm.as_group()) {
            (ImmKind::Group, GroupOperation::InclusiveScan) => " as an inclusive scan",
            (ImmKind::Group, GroupOperation::ExclusiveScan) => " as an exclusive scan",
            (ImmKind::Group, GroupOperation::ClusteredReduce(_)) => " over clusters",
            _ => "",
        };
        format!("`{}`{group}{operands}", self.op.text())
    }
}

/// A target, as the legalizer knows it.
#[derive(Clone, Copy)]
pub struct TargetInfo<'a> {
    /// Its name in messages.
    pub name: &'a str,
    /// Support for an operation.
    pub support: &'a dyn Fn(&Operation) -> Support,
    /// Whether it is a shading language: its compilers may take floats for numbers, so that a test for NaN must look at the
    /// bits; and integers of 64 bits are an extension, which no expansion may ask for.
    pub is_shading_language: bool,
}

impl std::fmt::Debug for TargetInfo<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TargetInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl TargetInfo<'_> {
    /// A machine that has every operation, for lowerings whose result is not legalized.
    pub const EVERYTHING: TargetInfo<'static> =
        TargetInfo { name: "a machine", support: &|_| Support::Yes, is_shading_language: false };

    /// Whether the target has numbers of a type, as its support of their sums says. If not, [`planish_opt::lower_small`] replaces them.
    ///
    /// [`planish_opt::lower_small`]: https://docs.rs/planish-opt
    pub fn has_numbers(&self, scalar: Scalar) -> bool {
        let number = Operand { scalar: Some(scalar), shape: Shape::Scalar };
        let sum = Operation { op: Op::Add, imm: Imm::NONE, first: number, second: number, result: Operand::NONE };
        (self.support)(&sum) == Support::Yes
    }

    /// Whether the target can take a node as it is.
    pub fn has(&self, module: &Module, body: &Body, node: Node) -> bool {
        let data = body.node(node);
        let result = body.result(node).map(|local| body.local_type(local));
        let support = (self.support)(&Operation::of(module, body, node));
        support.takes(module, body, (data.op, data.imm), body.args(node), result)
    }
}

/// Whether an op has a constant operand that some targets refuse to compile ([`Support::GuardConstants`]): a divisor of 0, a
/// shift by the width or more, bounds of `clamp` and `smooth_step` that are not in order.
fn has_constant_out_of_range(module: &Module, body: &Body, (op, args): (Op, &[Value])) -> bool {
    let scalar = |i: usize| module.types.scalar_of(module.type_of(body, args[i]));
    match op {
        Op::Divide | Op::Remainder => {
            scalar(0).is_some_and(Scalar::is_integer) && constant_bits(module, args[1]).is_some_and(|b| b.contains(&0))
        }
        Op::ShiftLeft | Op::ShiftRight => {
            let width = scalar(0).map_or(0, |scalar| u64::from(scalar.bits()));
            constant_bits(module, args[1]).is_some_and(|bits| bits.iter().any(|&b| b >= width))
        }
        Op::Clamp | Op::SmoothStep => !is_defined(module, body, (op, Imm::NONE), args, None),
        _ => false,
    }
}

/// Whether the operands of an op that some targets leave undefined ([`Support::Guard`]) are known to be in range: because the
/// node is marked as guarded, or by constants.
///
/// | op | in range |
/// | --- | --- |
/// | `divide`, `remainder` of integers | no divisor of 0, no least integer over -1 |
/// | `pow` | only if marked: the base has no sign |
/// | shifts | amount less than the width |
/// | `bitfield_extract`, `bitfield_insert` | the field lies in the word |
/// | float to integer | only if the conversion is open |
/// | `mod` | no divisor of 0 |
/// | `clamp`, `smooth_step` | unless the bounds are constants that are not in order |
/// | constructors of vectors and matrices | the operands have the component type and fill the result exactly, a matrix by columns |
pub fn is_defined(module: &Module, body: &Body, (op, imm): (Op, Imm), args: &[Value], result: Option<Type>) -> bool {
    let operand = |i: usize| Operand::of(&module.types, module.type_of(body, args[i]));
    let bits = |i: usize| constant_bits(module, args[i]);
    match op {
        Op::Divide | Op::Remainder if operand(0).scalar.is_some_and(Scalar::is_integer) => {
            imm.is_guarded() || divides_in_range(operand(0).scalar, bits(0), bits(1))
        }
        Op::Pow => imm.is_guarded(),
        Op::ShiftLeft | Op::ShiftRight => {
            let width = operand(0).scalar.map_or(0, Scalar::bits);
            imm.is_guarded() || bits(1).is_some_and(|bits| bits.iter().all(|&b| b < width.into()))
        }
        Op::BitfieldExtract | Op::BitfieldInsert => {
            let width = operand(0).scalar.map_or(0, |scalar| u64::from(scalar.bits()));
            let field = (bits(args.len() - 2), bits(args.len() - 1));
            let fits = |(offset, count): (Vec<u64>, Vec<u64>)| offset[0] <= width && count[0] <= width - offset[0];
            imm.is_guarded() || field.0.zip(field.1).is_some_and(fits)
        }
        Op::Mod => {
            let scalar = operand(0).scalar.unwrap_or(Scalar::F64);
            bits(1).is_some_and(|bits| !bits.iter().any(|&bits| float_value(scalar, bits) == 0.0))
        }
        Op::SubgroupBroadcast | Op::QuadBroadcast => args[1].as_const().is_some(),
        Op::Clamp => !is_descending(module, args[1], args[2], false),
        Op::SmoothStep => !is_descending(module, args[0], args[1], true),
        Op::ConstructScalarFromScalar => {
            converts_in_range(imm, operand(0), result.map(|ty| Operand::of(&module.types, ty)))
        }
        Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple => {
            let Some(result) = result.map(|ty| Operand::of(&module.types, ty)) else { return true };
            let operands: Vec<Operand> = (0..args.len()).map(operand).collect();
            match (op, &operands[..]) {
                (Op::ConstructVectorFromScalar, [scalar]) => scalar.scalar == result.scalar,
                (Op::ConstructVectorFromMultiple, [whole]) if whole.shape == result.shape => {
                    converts_in_range(imm, *whole, Some(result))
                }
                _ => fills(result, &operands),
            }
        }
        _ => true,
    }
}

/// The components of a constant scalar or vector.
fn constant_bits(module: &Module, value: Value) -> Option<Vec<u64>> {
    let mut bits = Vec::new();
    (module.consts.flatten(value.as_const()?, &mut bits) && !bits.is_empty()).then_some(bits)
}

fn divides_in_range(scalar: Option<Scalar>, dividend: Option<Vec<u64>>, divisor: Option<Vec<u64>>) -> bool {
    let (Some(scalar), Some(divisor)) = (scalar, divisor) else { return false };
    let ones = u64::MAX >> (64 - scalar.bits());
    let least = 1u64 << (scalar.bits() - 1);
    let may_be_least = dividend.is_none_or(|bits| bits.contains(&least));
    let overflows = scalar.is_signed() && may_be_least && divisor.contains(&ones);
    !divisor.contains(&0) && !overflows
}

fn converts_in_range(imm: Imm, from: Operand, to: Option<Operand>) -> bool {
    let rounds =
        from.scalar.is_some_and(Scalar::is_float) && to.is_some_and(|to| to.scalar.is_some_and(Scalar::is_integer));
    !rounds || imm.is_open()
}

/// Whether the operands of a constructor have the component type of its result and exactly as many components: of a matrix
/// by columns.
fn fills(result: Operand, operands: &[Operand]) -> bool {
    let size = |operand: &Operand| match operand.shape {
        Shape::Scalar => Some(1),
        Shape::Vector(n) => Some(usize::from(n)),
        _ => None,
    };
    let fits = operands.iter().all(|operand| operand.scalar == result.scalar && size(operand).is_some());
    fits && match result.shape {
        Shape::Vector(n) => operands.iter().filter_map(size).sum::<usize>() == n.into(),
        Shape::Matrix { columns, rows } => {
            operands.len() == columns.into() && operands.iter().all(|operand| operand.shape == Shape::Vector(rows))
        }
        _ => true,
    }
}

/// Whether two values are constants that are not in ascending order in some component.
fn is_descending(module: &Module, low: Value, high: Value, strictly: bool) -> bool {
    let (Some(low), Some(high)) = (low.as_const(), high.as_const()) else { return false };
    let (consts, types) = (&module.consts, &module.types);
    let parts = |c| consts.as_parts(c).map_or_else(|| vec![c], <[_]>::to_vec);
    !parts(low).into_iter().zip(parts(high)).all(|(a, b)| {
        let order = match (consts.as_float(types, a), consts.as_float(types, b)) {
            (Some(a), Some(b)) => a.partial_cmp(&b),
            _ => consts.as_integer(types, a).partial_cmp(&consts.as_integer(types, b)),
        };
        order == Some(Ordering::Less) || order == Some(Ordering::Equal) && !strictly
    })
}
