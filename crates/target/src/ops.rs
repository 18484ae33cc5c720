//! Ops that a target names one by one: the vocabulary of a node editor, a renderer's materials, a circuit.
//!
//! A set decides what computes. Values are moved in any case: constructors of one component type, components, members, elements, loads and
//! calls belong to every set.
//!
//! ```
//! use planish_ir::ops::Op;
//! use planish_target::ops::OpSet;
//!
//! let ops = OpSet::parse("add, mul, min, max, dot, select", &[]).unwrap();
//! assert!(ops.has(Op::Multiply) && !ops.has(Op::Sin));
//! let error = OpSet::parse("add, slect", &[]).unwrap_err();
//! assert_eq!(error.to_string(), "there is no op `slect`; did you mean `select`?");
//! ```

use std::collections::BTreeSet;
use std::fmt;

use planish_ir::diagnostic::did_you_mean;
use planish_ir::ops::{Class, OPS, Op};

use crate::legal::{Operation, Support};

/// Short names besides those of the op table.
const ALIASES: [(&str, Op); 12] = [
    ("sub", Op::Subtract),
    ("mul", Op::Multiply),
    ("div", Op::Divide),
    ("neg", Op::Negate),
    ("mad", Op::MultiplyAdd),
    ("hadd", Op::HorizontalAdd),
    ("hmin", Op::HorizontalMin),
    ("hmax", Op::HorizontalMax),
    ("convert", Op::ConstructScalarFromScalar),
    ("and", Op::LogicalAnd),
    ("or", Op::LogicalOr),
    ("not", Op::LogicalNot),
];

/// The six comparisons.
const COMPARE: [Op; 6] =
    [Op::Equal, Op::NotEqual, Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual];

/// A set of ops.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OpSet {
    ops: BTreeSet<Op>,
}

/// A word that names no op and no set of ops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownOp {
    /// The word.
    pub word: String,
    /// A name like it.
    pub near: Option<String>,
}

impl fmt::Display for UnknownOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no op `{}`", self.word)?;
        match &self.near {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownOp {}

impl FromIterator<Op> for OpSet {
    fn from_iter<T: IntoIterator<Item = Op>>(ops: T) -> Self {
        OpSet { ops: ops.into_iter().collect() }
    }
}

impl OpSet {
    /// Parses names of ops and of sets, separated by commas or white space; `#` begins a comment. Names are those of `docs/ops.md`, a few
    /// short ones (`mul`, `mad`), `compare` for the comparisons, and those in `sets`.
    ///
    /// # Errors
    /// The first word that is no name.
    pub fn parse(text: &str, sets: &[(&str, &[Op])]) -> Result<Self, UnknownOp> {
        let mut ops = BTreeSet::new();
        let words = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        for word in words.flat_map(|line| line.split([',', ' ', '\t'])).map(str::trim).filter(|word| !word.is_empty()) {
            if let Some((_, set)) = sets.iter().find(|(name, _)| *name == word) {
                ops.extend(*set);
            } else if word == "compare" {
                ops.extend(COMPARE);
            } else if let Some(op) = op_named(word) {
                ops.insert(op);
            } else {
                let names = OPS.iter().filter(|info| is_named(info.op)).map(|info| info.text);
                let names = names.chain(ALIASES.iter().map(|alias| alias.0)).chain(sets.iter().map(|set| set.0));
                let near = did_you_mean(word, names.chain(["compare"])).map(str::to_owned);
                return Err(UnknownOp { word: word.to_owned(), near });
            }
        }
        Ok(OpSet { ops })
    }

    /// Whether an op is in the set, or in every set.
    pub fn has(&self, op: Op) -> bool {
        !is_named(op) || self.ops.contains(&op)
    }

    /// Support of a target that has these ops, for the legalizer.
    pub fn support(&self, operation: &Operation) -> Support {
        match operation.op {
            // Whose parts have another type converts.
            Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple => Support::Guard,
            op if self.has(op) => Support::Yes,
            _ => Support::Expand,
        }
    }
}

/// Whether an op computes, so that a set must name it.
fn is_named(op: Op) -> bool {
    match op.info().class {
        Class::Construct => matches!(op, Op::ConstructScalarFromScalar | Op::Bitcast | Op::TruncateTrapping),
        Class::Extract
        | Class::Access
        | Class::Memory
        | Class::Call
        | Class::Machine
        | Class::Simd
        | Class::Token
        | Class::Custom => false,
        Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn | Class::Texture | Class::Stage => true,
        Class::Subgroup => false,
    }
}

fn op_named(word: &str) -> Option<Op> {
    let alias = ALIASES.iter().find(|alias| alias.0 == word).map(|alias| alias.1);
    alias.or_else(|| OPS.iter().find(|info| info.text == word && is_named(info.op)).map(|info| info.op))
}
