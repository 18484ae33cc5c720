//! The primitive procedures, in one table. Those whose names begin with `%` are internal to the standard library, which
//! wraps them.

use planish_ir::meaning::Kernel;
use planish_ir::meaning::kernel;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

/// Operands and operation of a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Action {
    /// A real of a real.
    Unary(Op),
    /// A real of a pair of reals.
    Binary(Op),
    /// A boolean of a pair of reals.
    Compare(Op),
    /// Whether a value is of a kind.
    Is(Test),
    /// First part of a pair.
    Car,
    /// Second part of a pair.
    Cdr,
    /// Creates a new token; ignores its operand.
    Gensym,
    /// Whether two tokens are equal.
    GensymEqual,
    /// Whether the first token is older than the second.
    GensymLess,
    /// The same real, with an unknown abstract value.
    Real,
    /// The next real of the input; ignores its operand.
    ReadReal,
    /// Gives a real to the world, and back.
    WriteReal,
    /// A bundle of a token, a primal and a tangent: `(cons token (cons primal tangent))`.
    Bundle,
    /// The token of a bundle.
    BundleToken,
    /// The primal of a bundle.
    BundlePrimal,
    /// The tangent of a bundle.
    BundleTangent,
    /// Creates a node of reverse mode's record, from a list of `(factor . node)`.
    Node,
    /// Propagates back through nodes: `(cons hand (cons arrived (cons operands nodes)))`.
    PropagateBack,
}

impl Action {
    /// Whether it compares two tokens.
    pub(crate) fn compares_tokens(self) -> bool {
        matches!(self, GensymEqual | GensymLess)
    }
}

/// A test of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Test {
    Pair,
    Null,
    Boolean,
    Procedure,
    Real,
    Gensym,
    Bundle,
    Node,
    /// Whether there is a node in it, or in its captures.
    HoldsNode,
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Info {
    pub(crate) name: &'static str,
    pub(crate) action: Action,
}

/// A primitive: the number of its row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Primitive(u8);

use Action::*;

const TABLE: &[Info] = &[
    row("%+", Binary(Op::Add)),
    row("%-", Binary(Op::Subtract)),
    row("%*", Binary(Op::Multiply)),
    row("%/", Binary(Op::Divide)),
    row("%min", Binary(Op::Min)),
    row("%max", Binary(Op::Max)),
    row("%power", Binary(Op::Pow)),
    row("%atan2", Binary(Op::Atan2)),
    row("%negate", Unary(Op::Negate)),
    row("%abs", Unary(Op::Abs)),
    row("%exp", Unary(Op::Exp)),
    row("%log", Unary(Op::Log)),
    row("%sin", Unary(Op::Sin)),
    row("%cos", Unary(Op::Cos)),
    row("%tan", Unary(Op::Tan)),
    row("%asin", Unary(Op::Asin)),
    row("%acos", Unary(Op::Acos)),
    row("%atan", Unary(Op::Atan)),
    row("%sqrt", Unary(Op::Sqrt)),
    row("%floor", Unary(Op::Floor)),
    row("%ceiling", Unary(Op::Ceil)),
    row("%truncate", Unary(Op::Trunc)),
    row("%round", Unary(Op::RoundEven)),
    row("%<", Compare(Op::LessThan)),
    row("%<=", Compare(Op::LessThanEqual)),
    row("%>", Compare(Op::GreaterThan)),
    row("%>=", Compare(Op::GreaterThanEqual)),
    row("%=", Compare(Op::Equal)),
    row("%real?", Is(Test::Real)),
    row("%bundle?", Is(Test::Bundle)),
    row("%bundle", Bundle),
    row("%bundle-token", BundleToken),
    row("%bundle-primal", BundlePrimal),
    row("%bundle-tangent", BundleTangent),
    row("%node", Node),
    row("%node?", Is(Test::Node)),
    row("%holds-node?", Is(Test::HoldsNode)),
    row("%propagate-back", PropagateBack),
    row("%real", Real),
    row("%write-real", WriteReal),
    row("read-real", ReadReal),
    row("pair?", Is(Test::Pair)),
    row("null?", Is(Test::Null)),
    row("boolean?", Is(Test::Boolean)),
    row("procedure?", Is(Test::Procedure)),
    row("car", Car),
    row("cdr", Cdr),
    row("gensym", Gensym),
    row("gensym?", Is(Test::Gensym)),
    row("gensym=", GensymEqual),
    row("gensym<", GensymLess),
];

const fn row(name: &'static str, action: Action) -> Info {
    Info { name, action }
}

impl Primitive {
    /// Every primitive.
    pub(crate) fn all() -> impl Iterator<Item = Primitive> {
        (0..TABLE.len() as u8).map(Primitive)
    }

    /// Its name in the standard library.
    pub(crate) fn name(self) -> &'static str {
        TABLE[usize::from(self.0)].name
    }

    /// Its name in messages: the public name if the standard library wraps it.
    pub(crate) fn public_name(self) -> &'static str {
        self.name().strip_prefix('%').unwrap_or(self.name())
    }

    /// Its operation.
    pub(crate) fn action(self) -> Action {
        TABLE[usize::from(self.0)].action
    }
}

/// The result of an op on the bits of `f64`s, by the IR's own meaning.
pub(crate) fn meaning(op: Op, args: &[u64]) -> u64 {
    match (kernel(op, Scalar::F64), args) {
        (Some(Kernel::Unary(kernel)), &[x]) => (kernel.one)(x),
        (Some(Kernel::Binary(kernel)), &[x, y]) => (kernel.one)(x, y),
        _ => unreachable!("{op:?} is no op on so many reals"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_op_has_a_meaning() {
        for primitive in Primitive::all() {
            let one = 1f64.to_bits();
            match primitive.action() {
                Unary(op) => assert!(f64::from_bits(meaning(op, &[one])) <= 3.0),
                Binary(op) => assert!(f64::from_bits(meaning(op, &[one, one])) <= 2.0),
                Compare(op) => assert!(meaning(op, &[one, one]) <= 1),
                _ => {}
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = Primitive::all().map(Primitive::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
    }
}
