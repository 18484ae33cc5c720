//! A flat function by components: the form in which the lanes of different vectors can be packed.
//!
//! ```text
//! before: %2 = add %p, (0, -1)       after: %3 = component 0 of %p   %5 = add %3, 0
//!         %3 = dot %2, (127.1, 311.7)       %4 = component 1 of %p   %6 = add %4, -1
//!                                           %7 = multiply %5, 127.1  %8 = multiply %6, 311.7  %9 = add %7, %8
//! ```
//!
//! Componentwise ops, sums of components and lengths are split, each by its definition in `docs/numerics.md`, so no bit changes. A loop over cells of a noise
//! computes the same on a vector for each cell: after this, the four cells can be the lanes of one computation.
//!
//! Holds before and after: a flat function. Vectors that other ops need are made of their components.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Request, Results};
use planish_ir::entity::{Func, Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_opt::restage::{self, copy_node};
use planish_opt::rules::Rules;
use smallvec::{SmallVec, smallvec};

use super::site::Manner;
use crate::options::Options;
use crate::place::order_of;
use crate::rebuild::rebuild_with;
use crate::uses::is_componentwise;

/// Components of a value in the new function.
type Parts = SmallVec<[Value; 4]>;

/// Splits the vectors of a function; returns whether there were any.
pub(super) fn split(module: &mut Module, func: Func, options: &Options) -> bool {
    let Some(source) = module.funcs[func].body.clone() else { return false };
    let mut stage = Split { parts: SideTable::with_capacity(source.local_count()), found: false };
    let rules = Rules::with_sets(&options.optimizer(), &[]);
    rebuild_with(module, func, options, &rules, &mut stage, order_of(module, &source, options.barriers));
    if !stage.found {
        module.funcs[func].body = Some(source);
    }
    stage.found
}

struct Split {
    /// By value of the source function: its components, if it was split.
    parts: SideTable<Local, Option<Parts>>,
    found: bool,
}

impl restage::Stage for Split {
    fn node(&mut self, source: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        let Some(parts) = self.split(source, node, args, b) else { return copy_node(source, node, args, b) };
        let result = source.result(node).expect("it has components");
        let ty = source.local_type(result);
        if let [one] = parts[..] {
            return smallvec![one];
        }
        self.found = true;
        let vector = b.make(Request::new(Op::ConstructVectorFromMultiple, &parts).ty(ty));
        self.parts[result] = Some(parts);
        smallvec![vector]
    }
}

impl Split {
    /// The components of the result; `None` if the op stays whole.
    fn split(&self, source: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Option<Parts> {
        let data = source.node(node);
        let size =
            |b: &Builder<'_, '_>, value: Value| b.module.types.vector_size(b.type_of(value)).map_or(0, usize::from);
        let scalar = b.module.types.scalar_of(b.type_of(*args.first()?))?;
        let result = source.result(node)?;
        let to = b.module.types.vector_size(source.local_type(result)).map_or(0, usize::from);
        let widest = args.iter().map(|&arg| size(b, arg)).max()?;
        if to == 0 || widest == 0 || args.iter().any(|&arg| size(b, arg) == 0) || widest.max(to) == 1 {
            return None;
        }
        let keeps_type = b.module.types.scalar_of(source.local_type(result)) == Some(scalar)
            && args.iter().all(|&arg| b.module.types.scalar_of(b.type_of(arg)) == Some(scalar));
        let manner = Manner { precise: data.precise, precision: data.precision };
        let part = |b: &mut Builder<'_, '_>, i: usize, lane: usize| self.part(source, node, args, (i, lane), b);
        let count = size(b, args[0]);
        match data.op {
            Op::ConstructVectorFromScalar if keeps_type => Some(smallvec![args[0]; to]),
            Op::ConstructVectorFromMultiple if keeps_type => {
                let sizes: SmallVec<[usize; 4]> = args.iter().map(|&arg| size(b, arg)).collect();
                let places = sizes.iter().enumerate().flat_map(|(i, &size)| (0..size).map(move |lane| (i, lane)));
                let parts: Parts = places.collect::<Vec<_>>().into_iter().map(|(i, lane)| part(b, i, lane)).collect();
                (parts.len() == to).then_some(parts)
            }
            Op::ExtractVectorComponent => Some(smallvec![part(b, 0, data.imm.as_index() as usize)]),
            Op::ExtractVectorComponentMulti => {
                Some(data.imm.as_lanes().iter().map(|lane| part(b, 0, usize::from(lane))).collect())
            }
            Op::Dot | Op::HorizontalAdd | Op::HorizontalMin | Op::HorizontalMax | Op::Length | Op::Distance => {
                let lanes: Parts = (0..count)
                    .map(|lane| {
                        let x = part(b, 0, lane);
                        match data.op {
                            Op::Dot => {
                                let y = part(b, 1, lane);
                                op_in(manner, b, Op::Multiply, &[x, y])
                            }
                            Op::Length => op_in(manner, b, Op::Multiply, &[x, x]),
                            Op::Distance => {
                                let y = part(b, 1, lane);
                                let by = op_in(manner, b, Op::Subtract, &[x, y]);
                                op_in(manner, b, Op::Multiply, &[by, by])
                            }
                            _ => x,
                        }
                    })
                    .collect();
                let join = match data.op {
                    Op::HorizontalMin => Op::Min,
                    Op::HorizontalMax => Op::Max,
                    _ => Op::Add,
                };
                let all = lanes.into_iter().reduce(|all, lane| op_in(manner, b, join, &[all, lane]))?;
                let is_root = matches!(data.op, Op::Length | Op::Distance);
                Some(smallvec![if is_root { op_in(manner, b, Op::Sqrt, &[all]) } else { all }])
            }
            op if op.is_pure() && is_componentwise(op, scalar) && to == widest => {
                let lane = |b: &mut Builder<'_, '_>, lane: usize| {
                    let sizes = args.iter().map(|&arg| size(b, arg)).collect::<SmallVec<[usize; 3]>>();
                    let mut operands: SmallVec<[Value; 3]> = SmallVec::new();
                    for (i, size) in sizes.into_iter().enumerate() {
                        operands.push(part(b, i, if size == 1 { 0 } else { lane }));
                    }
                    // One op for both, so that lanes with constants of either sign are alike: the same bits.
                    let mut op = op;
                    if op == Op::Subtract && operands[1].as_const().is_some() && scalar.is_float() {
                        op = Op::Add;
                        operands[1] = op_in(manner, b, Op::Negate, &[operands[1]]);
                    }
                    make_in(manner, b, Request::new(op, &operands).imm(data.imm))
                };
                Some((0..to).map(|i| lane(b, i)).collect())
            }
            _ => None,
        }
    }

    /// A component of an operand.
    fn part(
        &self,
        source: &Body,
        node: Node,
        args: &[Value],
        (i, lane): (usize, usize),
        b: &mut Builder<'_, '_>,
    ) -> Value {
        let known = source.args(node)[i].as_local().and_then(|local| self.parts[local].as_ref());
        match known {
            Some(parts) => parts[lane],
            None if b.module.types.vector_size(b.type_of(args[i])) == Some(1) => args[i],
            None => b.swizzle(args[i], &[lane as u8]),
        }
    }
}

fn op_in(manner: Manner, b: &mut Builder<'_, '_>, op: Op, args: &[Value]) -> Value {
    make_in(manner, b, Request::new(op, args))
}

fn make_in(manner: Manner, b: &mut Builder<'_, '_>, request: Request<'_>) -> Value {
    b.set_precise(manner.precise);
    b.make(request.precision(manner.precision))
}
