//! Entry points return every real and every boolean of their value, in order, constant or not: the layout of a result
//! follows from its shape, not from the parts that are known at compile time.

use planish_ir::entity::Type;

use super::Generator;
use super::function::{Code, Parts};
use crate::analyze::value::{Value, ValueId, Values};

/// A part of a value that is neither a pair nor a dual number, with the scalar unless it is constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    Real(Option<u64>),
    Bool(Option<bool>),
    /// A value that is not returned to the host, and its number of unknown scalars.
    Hidden(usize),
}

/// The leaves of a value, in order. Along lists without recursion.
pub(super) fn leaves(values: &Values, value: ValueId) -> impl Iterator<Item = Leaf> {
    let mut open = vec![value];
    std::iter::from_fn(move || {
        loop {
            let value = open.pop()?;
            return Some(match values.get(value) {
                Value::Pair(a, b) => {
                    open.extend([b, a]);
                    continue;
                }
                Value::Bundle(_, primal, tangent) => {
                    open.extend([tangent, primal]);
                    continue;
                }
                Value::Real(bits) => Leaf::Real(Some(bits)),
                Value::AnyReal | Value::Asked(_) => Leaf::Real(None),
                Value::Bool(b) => Leaf::Bool(Some(b)),
                Value::AnyBool => Leaf::Bool(None),
                _ => Leaf::Hidden(values.width(value)),
            });
        }
    })
}

impl Generator<'_, '_> {
    /// The result types of an entry point with this value.
    pub(super) fn whole_types(&self, value: ValueId) -> Vec<Type> {
        let types = leaves(&self.analysis.values, value).filter_map(|leaf| match leaf {
            Leaf::Real(_) => Some(self.real),
            Leaf::Bool(_) => Some(Type::BOOL),
            Leaf::Hidden(_) => None,
        });
        types.collect()
    }
}

impl Code<'_, '_, '_, '_> {
    /// The results of an entry point whose value has these unknown scalars.
    pub(super) fn whole(&mut self, value: ValueId, parts: &[planish_ir::entity::Value]) -> Parts {
        let mut parts = parts.iter().copied();
        let mut next = || parts.next().expect("a scalar for each that is not known");
        let mut result = Parts::new();
        for leaf in leaves(&self.generator.analysis.values, value) {
            match leaf {
                Leaf::Real(Some(bits)) => result.push(self.real(bits)),
                Leaf::Bool(Some(b)) => result.push(self.b.bool(b)),
                Leaf::Real(None) | Leaf::Bool(None) => result.push(next()),
                Leaf::Hidden(width) => (0..width).for_each(|_| _ = next()),
            }
        }
        result
    }
}
