//! Nodes: the same op on every component, in lanes where it varies.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::types::{Scalar, TypeKind};

use super::control::Widener;
use super::lanes::{and_not, assemble, broadcast, disassemble, is_lanes, join, lane};
use crate::legalize::{algebra, number, pack};
use crate::lower_to_scalars::arith::{is_componentwise, reduce};
use crate::lower_to_scalars::values::{Parts, Typed, construct, part};

/// A constant array of more elements than this is indexed lane by lane, a smaller one by selects.
const MAX_SELECTED: u32 = 8;

impl Widener<'_, '_> {
    /// The components of a value of the source.
    pub(super) fn parts(&mut self, value: Value, b: &mut Builder<'_, '_>) -> Parts {
        if let Some(constant) = value.as_const() {
            let mut parts = Parts::new();
            let mut stack = vec![constant];
            while let Some(constant) = stack.pop() {
                match b.module.consts.as_parts(constant) {
                    Some(inner) => stack.extend(inner.iter().rev()),
                    None => parts.push(constant.into()),
                }
            }
            return parts;
        }
        let Some(local) = value.as_local() else { return Parts::from_slice(&[value]) };
        match &self.values[local] {
            Some(parts) => parts.clone(),
            None if let Some(lanes) = self.grown(local, b) => Parts::from_slice(&[lanes]),
            // An error has been reported where it should have been made.
            None => self.zeros(self.body.local_type(local), b),
        }
    }

    /// Zero in every component of a type.
    pub(super) fn zeros(&mut self, ty: Type, b: &mut Builder<'_, '_>) -> Parts {
        let mut scalars = Vec::new();
        let _ = super::scalars_of(b.module, ty, &mut scalars);
        let zero = |scalar: Scalar| {
            let ty = b.module.types.scalar(scalar);
            b.module.consts.bits(ty, 0).into()
        };
        scalars.into_iter().map(zero).collect()
    }

    fn typed(&mut self, value: Value, varies: bool, b: &mut Builder<'_, '_>) -> Typed {
        let ty = self.old.type_of(self.body, value);
        let mut parts = self.parts(value, b);
        if varies {
            parts.iter_mut().for_each(|part| *part = broadcast(b, *part, self.n));
        }
        Typed { ty, parts }
    }

    pub(super) fn varies(&self, node: Node) -> bool {
        self.body.results(node).any(|local| self.divergence.is_varying(local.into()))
    }

    pub(super) fn set(&mut self, local: Local, parts: Parts, b: &mut Builder<'_, '_>) {
        let varies = self.divergence.is_varying(local.into());
        let parts: Parts =
            parts.into_iter().map(|part| if varies { broadcast(b, part, self.n) } else { part }).collect();
        parts.iter().filter(|part| part.as_local().is_some()).for_each(|&part| b.keep_origin(self.body, local, part));
        self.values[local] = Some(parts);
        self.forget_first(local);
    }

    pub(super) fn node(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let data = *self.body.node(node);
        b.at(data.span);
        b.set_precise(data.precise);
        let done = match data.op.info().class {
            Class::Access => self.access(node, b),
            Class::Memory => self.memory(node, b),
            Class::Unary if data.op.info().effect == Effect::Modify => self.memory(node, b),
            Class::Unary if data.op == Op::ArrayLength => self.array_length(node, b),
            Class::Unary if data.op.info().effect == Effect::Quad => self.derivative(node, b),
            Class::Call => self.call(node, b),
            Class::Texture => self.texture(node, b),
            Class::Stage => self.stage(node, b),
            Class::Machine if self.affine.is_some() => self.bytes(node, b),
            Class::Subgroup | Class::Machine | Class::Simd | Class::Token | Class::Custom => None,
            Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn | Class::Construct | Class::Extract => {
                self.pure(node, b)
            }
        };
        if done.is_none() {
            self.work.error(data.span, &format!("the operation `{}`", data.op.text()));
        }
        b.set_precise(false);
    }

    fn pure(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        if self.first_of(node, b) {
            return Some(());
        }
        let data = *self.body.node(node);
        let results: Vec<Local> = self.body.results(node).collect();
        let varies = self.varies(node);
        let args = self.body.args(node);
        if let [first, second] = results[..] {
            let typed: Vec<Typed> = args.iter().map(|&arg| self.typed(arg, varies, b)).collect();
            let mut out = [Parts::new(), Parts::new()];
            for i in 0..typed[0].parts.len() {
                let one: Parts = typed.iter().map(|arg| arg.parts[i]).collect();
                let pair = b.make_all(Request::new(data.op, &one).imm(data.imm));
                out[0].push(pair[0]);
                out[1].push(pair[1]);
            }
            let [low, high] = out;
            self.set(first, low, b);
            self.set(second, high, b);
            return Some(());
        }
        let &[result] = &results[..] else { return None };
        let ty = self.body.local_type(result);
        let parts = self.value(node, args, ty, varies, b)?;
        self.set(result, parts, b);
        Some(())
    }

    fn value(&mut self, node: Node, args: &[Value], ty: Type, varies: bool, b: &mut Builder<'_, '_>) -> Option<Parts> {
        let data = *self.body.node(node);
        let scalar = args.first().and_then(|&arg| self.old.types.scalar_of(self.old.type_of(self.body, arg)));
        match data.op {
            Op::ExtractArrayElement if self.is_table(args) => return self.by_lane(node, b),
            // A condition and an index for all lanes stay what they are.
            Op::Select if self.is_scalar(args[0]) => {
                let typed = [self.typed(args[1], varies, b), self.typed(args[2], varies, b)];
                let condition = self.parts(args[0], b)[0];
                let pairs = typed[0].parts.iter().zip(&typed[1].parts);
                return Some(pairs.map(|(&x, &y)| b.op(Op::Select, &[condition, x, y])).collect());
            }
            op if op.info().class == Class::Extract => {
                let index = self.index_of(op);
                let typed: Vec<Typed> =
                    args.iter().enumerate().map(|(i, &arg)| self.typed(arg, varies && Some(i) != index, b)).collect();
                return part(b, op, data.imm, &typed);
            }
            Op::BitfieldExtract | Op::BitfieldInsert => {
                let values = args.len() - 2;
                if args[values..].iter().any(|&arg| self.divergence.is_varying(arg)) {
                    return self.by_lane(node, b);
                }
                let amounts: Parts = args[values..].iter().map(|&arg| self.parts(arg, b)[0]).collect();
                let typed: Vec<Typed> = args[..values].iter().map(|&arg| self.typed(arg, varies, b)).collect();
                let make = |i: usize, b: &mut Builder<'_, '_>| {
                    let one: Parts = typed.iter().map(|arg| arg.parts[i]).chain(amounts.iter().copied()).collect();
                    b.make(Request::new(data.op, &one).imm(data.imm))
                };
                return Some((0..typed[0].parts.len()).map(|i| make(i, b)).collect());
            }
            Op::TruncateTrapping if varies => return self.by_lane(node, b),
            _ => {}
        }
        let mut typed: Vec<Typed> = args.iter().map(|&arg| self.typed(arg, varies, b)).collect();
        match data.op {
            Op::Any | Op::All | Op::AggregateEqual => Some(Parts::from_slice(&[reduce(b, data.op, &typed)?])),
            op if is_componentwise(op, scalar) => {
                if matches!(op, Op::DivideTrapping | Op::RemainderTrapping) && varies {
                    // Lanes that are not here must not trap.
                    for part in &mut typed[1].parts {
                        let one = number(b, b.type_of(*part), 1);
                        *part = b.op(Op::Select, &[self.active, *part, one]);
                    }
                }
                self.componentwise(node, &typed, ty, b)
            }
            op if op.info().class == Class::Construct => construct(b, op, &typed, ty),
            op => {
                let types: Vec<Type> = typed.iter().map(|arg| arg.ty).collect();
                let parts: Vec<Parts> = typed.into_iter().map(|arg| arg.parts).collect();
                if let Some(parts) = pack::lower(b, None, op, &parts) {
                    return Some(parts);
                }
                match algebra::lower(b, op, &types, &parts) {
                    Some(parts) => Some(parts),
                    None => self.by_lane(node, b),
                }
            }
        }
    }

    fn is_scalar(&self, value: Value) -> bool {
        matches!(self.old.types[self.old.type_of(self.body, value)], TypeKind::Scalar(_))
    }

    /// The operand that is an index, if it is the same for all lanes.
    fn index_of(&self, op: Op) -> Option<usize> {
        match op {
            Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => Some(1),
            Op::InsertVectorComponentDynamic | Op::InsertMatrixColumn | Op::InsertArrayElement => Some(2),
            _ => None,
        }
    }

    /// Whether an element is taken out of a large constant array by an index that varies.
    fn is_table(&self, args: &[Value]) -> bool {
        let [array, index] = args else { return false };
        let count = self.old.types.part_count(self.old.type_of(self.body, *array));
        array.as_const().is_some() && self.divergence.is_varying(*index) && count > Some(MAX_SELECTED)
    }

    fn componentwise(&mut self, node: Node, args: &[Typed], result: Type, b: &mut Builder<'_, '_>) -> Option<Parts> {
        let data = self.body.node(node);
        let op = match data.op {
            Op::MatrixTimesScalar | Op::MatrixComponentMultiply => Op::Multiply,
            other => other,
        };
        let count = args.iter().map(|a| a.parts.len()).max()?;
        let scalar = b.module.types.scalar_of(result)?;
        let mut out = Parts::new();
        for i in 0..count {
            let one: Parts = args.iter().map(|a| if a.parts.len() == 1 { a.parts[0] } else { a.parts[i] }).collect();
            let like = b.type_of(one[0]);
            let ty = b.module.types.with_scalar(like, scalar);
            out.push(match op {
                Op::ConstructScalarFromScalar => b.convert_imm(data.imm, one[0], ty),
                _ => b.make(Request::new(op, &one).imm(data.imm).ty(ty)),
            });
        }
        Some(out)
    }

    /// A pure op on the values of each lane; once, if it does not vary.
    fn by_lane(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<Parts> {
        let data = *self.body.node(node);
        let varies = self.varies(node);
        let ty = self.body.local_type(self.body.result(node)?);
        let args: Vec<Typed> = self.body.args(node).iter().map(|&arg| self.typed(arg, false, b)).collect();
        let count = if varies { self.n } else { 1 };
        let mut columns: Vec<Vec<Value>> = Vec::new();
        for l in 0..count {
            let mut operands = Parts::new();
            for (arg, &source) in args.iter().zip(self.body.args(node)) {
                if source.as_const().is_some() {
                    operands.push(source);
                    continue;
                }
                let mut scalars = Vec::new();
                for &part in &arg.parts {
                    scalars.push(lane(b, part, l));
                }
                operands.push(assemble(b, arg.ty, &mut scalars.into_iter())?);
            }
            if data.op == Op::TruncateTrapping && varies {
                let here = lane(b, self.active, l);
                let zero = number(b, b.type_of(operands[0]), 0);
                operands[0] = b.op(Op::Select, &[here, operands[0], zero]);
            }
            let value = b.make(Request::new(data.op, &operands).imm(data.imm).ty(ty));
            let mut parts = Parts::new();
            disassemble(b, value, &mut parts)?;
            columns.resize(parts.len(), Vec::new());
            columns.iter_mut().zip(parts).for_each(|(column, part)| column.push(part));
        }
        Some(columns.iter().map(|column| if varies { join(b, column) } else { column[0] }).collect())
    }

    /// Differences in a quad, as the evaluator defines them: 0 where one of the two lanes is not active, and of equal bits.
    fn derivative(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        use Op::{DfdxCoarse, DfdyCoarse, Fwidth, FwidthCoarse, FwidthFine};
        let op = self.body.node(node).op;
        let result = self.body.result(node)?;
        let value = self.typed(self.body.args(node)[0], true, b);
        let coarse = matches!(op, DfdxCoarse | DfdyCoarse | FwidthCoarse);
        let is_y = matches!(op, Op::Dfdy | Op::DfdyFine | DfdyCoarse);
        let is_sum = matches!(op, Fwidth | FwidthFine | FwidthCoarse);
        let mut out = Parts::new();
        for part in value.parts {
            out.push(if is_sum {
                let x = self.difference(part, 1, coarse, b);
                let y = self.difference(part, 2, coarse, b);
                let (x, y) = (b.op(Op::Abs, &[x]), b.op(Op::Abs, &[y]));
                b.op(Op::Add, &[x, y])
            } else {
                self.difference(part, if is_y { 2 } else { 1 }, coarse, b)
            });
        }
        self.set(result, out, b);
        Some(())
    }

    /// `axis`: 1 to the next column of the quad, 2 to the next row.
    fn difference(&mut self, value: Value, axis: u8, coarse: bool, b: &mut Builder<'_, '_>) -> Value {
        let low = |l: u8| if coarse { l & !3 } else { l & !axis };
        let lows: Vec<u8> = (0..self.n).map(low).collect();
        let highs: Vec<u8> = lows.iter().map(|l| l | axis).collect();
        let (x, y) = (permuted(b, value, &lows), permuted(b, value, &highs));
        let difference = b.op(Op::Subtract, &[y, x]);
        let zero = number(b, b.type_of(value), 0);
        let wide = b.module.types.scalar_of(b.type_of(value)) == Some(Scalar::F64);
        let bits = super::lanes::type_in_lanes(b, if wide { Scalar::U64 } else { Scalar::U32 }, self.n);
        let (x, y) = (b.op_typed(Op::Bitcast, &[x], bits), b.op_typed(Op::Bitcast, &[y], bits));
        let same = b.op(Op::Equal, &[x, y]);
        let mut nothing = same;
        if !super::lanes::is_all(b, self.active) {
            let (one, other) = (permuted(b, self.active, &lows), permuted(b, self.active, &highs));
            let both = b.op(Op::LogicalAnd, &[one, other]);
            let alone = b.op(Op::LogicalNot, &[both]);
            nothing = b.op(Op::LogicalOr, &[same, alone]);
        }
        b.op(Op::Select, &[nothing, zero, difference])
    }

    fn stage(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = self.body.node(node);
        match data.op {
            // Invocations of a group run in one thread.
            Op::ControlBarrier | Op::MemoryBarrier if self.group.is_some() => {}
            Op::ControlBarrier | Op::MemoryBarrier => {
                b.make_all(Request::new(data.op, &[]).imm(data.imm));
            }
            Op::Demote => self.demote(b),
            Op::IsHelper => {
                let result = self.body.result(node)?;
                let helpers = b.load(self.work.helpers.into());
                self.set(result, Parts::from_slice(&[helpers]), b);
            }
            // The fragments of a pixel are drawn one after the other.
            Op::BeginInterlock | Op::EndInterlock => {}
            Op::InterpolateAtCentroid | Op::InterpolateAtSample => return self.memory(node, b),
            Op::InterpolateAtOffset => {
                let (result, offset) = (self.body.result(node)?, self.body.args(node)[1]);
                let value = self.loaded(node, b)?;
                let offset = self.typed(offset, true, b);
                let mut out = Parts::new();
                for part in value {
                    let part = broadcast(b, part, self.n);
                    let (dx, dy) = (self.slope(part, 1, b), self.slope(part, 2, b));
                    let (x, y) = (offset.parts[0], offset.parts[1]);
                    let (x, y) = (b.op(Op::Multiply, &[x, dx]), b.op(Op::Multiply, &[y, dy]));
                    let sum = b.op(Op::Add, &[part, x]);
                    out.push(b.op(Op::Add, &[sum, y]));
                }
                self.set(result, out, b);
            }
            _ => return None,
        }
        Some(())
    }

    /// The plain difference to the next lane of the quad, 0 where one of the two is not active.
    fn slope(&mut self, value: Value, axis: u8, b: &mut Builder<'_, '_>) -> Value {
        let lows: Vec<u8> = (0..self.n).map(|l| l & !axis).collect();
        let highs: Vec<u8> = lows.iter().map(|l| l | axis).collect();
        let (x, y) = (permuted(b, value, &lows), permuted(b, value, &highs));
        let difference = b.op(Op::Subtract, &[y, x]);
        if super::lanes::is_all(b, self.active) {
            return difference;
        }
        let (one, other) = (permuted(b, self.active, &lows), permuted(b, self.active, &highs));
        let both = b.op(Op::LogicalAnd, &[one, other]);
        let zero = number(b, b.type_of(value), 0);
        b.op(Op::Select, &[both, difference, zero])
    }

    /// Makes the active lanes helper invocations.
    pub(super) fn demote(&mut self, b: &mut Builder<'_, '_>) {
        let helpers = self.work.helpers.into();
        let old = b.load(helpers);
        let new = b.op(Op::LogicalOr, &[old, self.active]);
        b.store(helpers, new);
    }

    /// The active lanes that are no helpers.
    pub(super) fn live(&mut self, mask: Value, b: &mut Builder<'_, '_>) -> Value {
        if !self.has_helpers() {
            return mask;
        }
        let helpers = b.load(self.work.helpers.into());
        and_not(b, mask, helpers, self.n)
    }

    /// Runs `f` for one active lane after the other, helper invocations left out; its values, of these types, in lanes, 0 in others.
    pub(super) fn one_by_one(
        &mut self,
        types: &[Type],
        with_helpers: bool,
        b: &mut Builder<'_, '_>,
        f: &mut dyn FnMut(&mut Self, u8, &mut Builder<'_, '_>) -> Option<Parts>,
    ) -> Option<Parts> {
        let mask = if with_helpers { self.active } else { self.live(self.active, b) };
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); types.len()];
        for l in 0..self.n {
            let here = lane(b, mask, l);
            let blocks = b.if_(here);
            b.switch_to(blocks.then);
            let values = f(self, l, b)?;
            debug_assert!(values.iter().all(|&value| !is_lanes(b, value)));
            b.merge(&values);
            b.switch_to(blocks.otherwise);
            let zeros: Parts = types.iter().map(|&ty| number_or_false(b, ty)).collect();
            b.merge(&zeros);
            b.switch_to(blocks.merge);
            for (column, &ty) in columns.iter_mut().zip(types) {
                column.push(b.add_input(blocks.merge, ty, planish_ir::decoration::Precision::None));
            }
        }
        Some(columns.iter().map(|column| join(b, column)).collect())
    }
}

fn number_or_false(b: &mut Builder<'_, '_>, ty: Type) -> Value {
    b.module.consts.bits(ty, 0).into()
}

/// The lanes of a value in another order.
pub(super) fn permuted(b: &mut Builder<'_, '_>, value: Value, lanes: &[u8]) -> Value {
    let parts: Parts = lanes.iter().map(|&l| lane(b, value, l)).collect();
    join(b, &parts)
}
