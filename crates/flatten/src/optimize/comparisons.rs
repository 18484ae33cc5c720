//! Replaces a comparison by its negation in selects, if both exist.
//!
//! ```text
//! %1 = equal %x, 0                    %1 = equal %x, 0
//! %2 = select %1, %a, %b              %2 = select %1, %a, %b
//! %3 = not_equal %x, 0                %4 = select %1, %d, %c
//! %4 = select %3, %c, %d
//! ```
//!
//! For floats `<` and `>=` are opposites only without NaN: this needs fast-math.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;
use planish_ir::walk;
use rustc_hash::FxHashMap;

/// Comparisons with an earlier negation.
#[derive(Default)]
pub(super) struct Comparisons {
    /// By result: the negation.
    twins: FxHashMap<Local, Local>,
}

impl Comparisons {
    /// Finds the pairs. O(nodes).
    pub(super) fn find(module: &Module, source: &Body, fast_math: bool) -> Self {
        let mut seen: FxHashMap<(Op, Value, Value), Local> = FxHashMap::default();
        let mut twins = FxHashMap::default();
        for &node in walk::blocks(source).flat_map(|b| &source.blocks[b].nodes) {
            let data = source.node(node);
            let (Class::Compare, &[x, y], Some(result)) =
                (data.op.info().class, source.args(node), source.result(node))
            else {
                continue;
            };
            let is_float = module.types.scalar_of(module.type_of(source, x)).is_some_and(Scalar::is_float);
            let is_equality = matches!(data.op, Op::Equal | Op::NotEqual);
            let negations =
                if is_equality || !is_float || fast_math && !data.precise { negations(data.op, x, y) } else { None };
            let twin = negations.iter().flatten().find_map(|key| seen.get(key));
            match twin {
                Some(&twin) => {
                    twins.insert(result, twin);
                }
                // Only a remaining comparison can be the twin of others.
                None => {
                    seen.insert((data.op, x, y), result);
                }
            }
        }
        Comparisons { twins }
    }

    /// A select on a comparison with an available negation: on the negation, with exchanged arms.
    pub(super) fn swapped(
        &self,
        source: &Body,
        node: Node,
        args: &[Value],
        values: &SideTable<Local, Option<Value>>,
        b: &mut Builder<'_, '_>,
    ) -> Option<Value> {
        let data = *source.node(node);
        if data.op != Op::Select {
            return None;
        }
        let twin = self.twins.get(&source.args(node)[0].as_local()?)?;
        b.set_precise(data.precise);
        Some(b.make(Request::new(Op::Select, &[values[*twin]?, args[2], args[1]]).precision(data.precision)))
    }
}

/// The possible forms of the negation of a comparison.
fn negations(op: Op, x: Value, y: Value) -> Option<[(Op, Value, Value); 2]> {
    Some(match op {
        Op::Equal => [(Op::NotEqual, x, y), (Op::NotEqual, y, x)],
        Op::NotEqual => [(Op::Equal, x, y), (Op::Equal, y, x)],
        Op::LessThan => [(Op::GreaterThanEqual, x, y), (Op::LessThanEqual, y, x)],
        Op::LessThanEqual => [(Op::GreaterThan, x, y), (Op::LessThan, y, x)],
        Op::GreaterThan => [(Op::LessThanEqual, x, y), (Op::GreaterThanEqual, y, x)],
        Op::GreaterThanEqual => [(Op::LessThan, x, y), (Op::GreaterThan, y, x)],
        _ => return None,
    })
}
