//! View of a function for the checks: expressions, use counts and users, uniformity, and the numbers of the text form.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::meaning::{float_bits, float_value, kernel};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;
use planish_ir::uniform::{is_uniform, uniform_values};
use planish_ir::walk;
use smallvec::SmallVec;

use crate::options::Options;

/// The bits of a constant's components.
pub(super) type Bits = SmallVec<[u64; 4]>;

/// A decoded node.
#[derive(Clone, Copy)]
pub(super) struct Expr<'a> {
    pub(super) node: Node,
    pub(super) op: Op,
    pub(super) imm: Imm,
    pub(super) args: &'a [Value],
}

/// View of a function. Built in O(nodes).
pub(super) struct View<'a> {
    pub(super) module: &'a Module,
    pub(super) body: &'a Body,
    pub(super) options: &'a Options,
    /// The nodes of all blocks, in execution order.
    pub(super) nodes: Vec<Node>,
    uses: SideTable<Local, u32>,
    users: SideTable<Local, Option<Node>>,
    /// Values with a user that is not componentwise.
    whole: SideTable<Local, bool>,
    uniform: SideTable<Local, bool>,
    numbers: SideTable<Local, u32>,
}

impl<'a> View<'a> {
    pub(super) fn new(module: &'a Module, body: &'a Body, options: &'a Options) -> Self {
        let mut view = View {
            module,
            body,
            options,
            nodes: Vec::new(),
            uses: SideTable::with_capacity(body.local_count()),
            users: SideTable::with_capacity(body.local_count()),
            whole: SideTable::with_capacity(body.local_count()),
            uniform: uniform_values(module, body, &options.barriers),
            numbers: SideTable::with_capacity(body.local_count()),
        };
        let mut next = 0;
        for block in walk::blocks(body) {
            let data = &body.blocks[block];
            data.inputs.iter().for_each(|&l| view.number(l, &mut next));
            for &node in &data.nodes {
                view.nodes.push(node);
                body.args(node).iter().for_each(|&v| view.count(v, Some(node)));
                body.results(node).for_each(|l| view.number(l, &mut next));
            }
            data.exit.for_each_operand(|v| view.count(v, None));
        }
        view
    }

    fn number(&mut self, local: Local, next: &mut u32) {
        self.numbers[local] = *next;
        *next += 1;
    }

    fn count(&mut self, value: Value, user: Option<Node>) {
        if let Some(local) = value.as_local() {
            self.uses[local] += 1;
            self.users[local] = user;
            self.whole[local] |= user.is_none_or(|n| !self.is_componentwise(n));
        }
    }

    /// Whether a node is componentwise.
    pub(super) fn is_componentwise(&self, node: Node) -> bool {
        let first = self.body.args(node).first().and_then(|&a| self.scalar_of(a));
        first.is_some_and(|scalar| kernel(self.body.node(node).op, scalar).is_some())
    }

    /// Whether all users of a value are componentwise, so that a splat of it would be free.
    pub(super) fn is_used_by_component(&self, value: Value) -> bool {
        value.as_local().is_some_and(|l| !self.whole[l])
    }

    /// The number of a local value in the text form.
    pub(super) fn number_of(&self, local: Local) -> u32 {
        self.numbers[local]
    }

    /// A node, taken apart.
    pub(super) fn expr(&self, node: Node) -> Expr<'a> {
        let data = self.body.node(node);
        Expr { node, op: data.op, imm: data.imm, args: self.body.args(node) }
    }

    /// The node that makes a value; `None` for other values.
    pub(super) fn definition(&self, value: Value) -> Option<Expr<'a>> {
        self.body.node_of(value).map(|n| self.expr(n))
    }

    /// The node that makes a value, if it has this op.
    pub(super) fn definition_with(&self, value: Value, op: Op) -> Option<Expr<'a>> {
        self.definition(value).filter(|e| e.op == op)
    }

    /// The only result of a node.
    pub(super) fn result(&self, node: Node) -> Option<Value> {
        (self.body.node(node).result_count() == 1).then(|| self.body.result(node).map(Value::from)).flatten()
    }

    pub(super) fn type_of(&self, value: Value) -> Type {
        self.module.type_of(self.body, value)
    }

    /// The component type of a scalar, vector or matrix.
    pub(super) fn scalar_of(&self, value: Value) -> Option<Scalar> {
        self.module.types.scalar_of(self.type_of(value))
    }

    /// Components of a scalar (1) or vector (2 to 4).
    pub(super) fn size_of(&self, value: Value) -> Option<u8> {
        self.module.types.vector_size(self.type_of(value))
    }

    /// The component type of a node's result, if that is a scalar or vector.
    pub(super) fn lane_type(&self, node: Node) -> Option<Scalar> {
        let result = self.result(node)?;
        self.size_of(result)?;
        self.scalar_of(result)
    }

    /// Number of uses of a value, by operands and exits.
    pub(super) fn uses(&self, value: Value) -> u32 {
        value.as_local().map_or(0, |l| self.uses[l])
    }

    /// Whether a value is made by a node and used once, so that the node becomes dead with its user.
    pub(super) fn once(&self, value: Value) -> bool {
        self.uses(value) == 1 && self.body.node_of(value).is_some()
    }

    /// The user of a value with one use.
    pub(super) fn only_user(&self, value: Value) -> Option<Expr<'a>> {
        let local = value.as_local().filter(|&l| self.uses[l] == 1)?;
        self.users[local].map(|n| self.expr(n))
    }

    /// Whether a value is uniform.
    pub(super) fn uniform(&self, value: Value) -> bool {
        is_uniform(self.module, &self.uniform, value)
    }

    /// Whether the result of a node is uniform.
    pub(super) fn is_uniform_result(&self, node: Node) -> bool {
        self.body.result(node).is_some_and(|l| self.uniform[l])
    }

    /// Whether a value is uniform and used by a varying node: it costs nothing per pixel.
    pub(super) fn is_preshaded(&self, value: Value, user: Node) -> bool {
        self.uniform(value) && !self.is_uniform_result(user)
    }

    /// Whether laws of real numbers apply to a node.
    pub(super) fn is_fast(&self, node: Node) -> bool {
        self.options.fast_math && !self.body.node(node).precise
    }

    /// Whether sums and products of a node may be regrouped: integers always, floats by laws of real numbers.
    pub(super) fn regroups(&self, node: Node) -> bool {
        match self.lane_type(node) {
            Some(scalar) if scalar.is_float() => self.is_fast(node),
            Some(scalar) => scalar.is_integer(),
            None => false,
        }
    }

    /// Whether any NaN is equivalent; otherwise `x * 1` must preserve the bits of a NaN.
    pub(super) fn any_nan(&self) -> bool {
        !self.module.facts.nan_bits
    }

    /// The bits of the components of a constant scalar or vector.
    pub(super) fn bits(&self, value: Value) -> Option<Bits> {
        let constant = value.as_const()?;
        self.size_of(value)?;
        let consts = &self.module.consts;
        match consts.as_parts(constant) {
            Some(parts) => parts.iter().map(|&p| consts.as_bits(p)).collect(),
            None => consts.as_bits(constant).map(|b| Bits::from_slice(&[b])),
        }
    }

    /// Whether a value is a constant of which each component passes the test.
    pub(super) fn every_lane(&self, value: Value, test: impl Fn(Scalar, u64) -> bool) -> bool {
        match (self.scalar_of(value), self.bits(value)) {
            (Some(scalar), Some(bits)) => bits.iter().all(|&b| test(scalar, b)),
            _ => false,
        }
    }

    /// Whether every component is exactly this number: `0.0` is not `-0.0`.
    pub(super) fn is(&self, value: Value, number: f64) -> bool {
        self.every_lane(value, |scalar, bits| bits == bits_of(scalar, number))
    }

    /// Whether every component is a zero of either sign.
    pub(super) fn is_zero(&self, value: Value) -> bool {
        self.every_lane(value, is_zero)
    }

    /// The scalar of a splat or of a constant with equal components.
    pub(super) fn splat_of(&self, value: Value) -> Option<Value> {
        let splat = self.definition_with(value, Op::ConstructVectorFromScalar)?;
        (self.scalar_of(splat.args[0]) == self.scalar_of(value)).then_some(splat.args[0])
    }

    /// Whether a value is a constant vector of equal components.
    pub(super) fn is_even_constant(&self, value: Value) -> bool {
        self.bits(value).is_some_and(|bits| bits.iter().all(|&b| b == bits[0]))
    }

    /// The vector and the index of an extracted component.
    pub(super) fn component(&self, value: Value) -> Option<(Value, u8)> {
        let read = self.definition_with(value, Op::ExtractVectorComponent)?;
        Some((read.args[0], read.imm.as_index() as u8))
    }
}

/// The bits of a number in a scalar type; the number must be representable.
pub(super) fn bits_of(scalar: Scalar, number: f64) -> u64 {
    match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => float_bits(scalar, number),
        Scalar::Bool => (number != 0.0).into(),
        integer => (number as i64) as u64 & u64::MAX >> (64 - integer.bits()),
    }
}

/// Whether the bits are a zero of either sign.
pub(super) fn is_zero(scalar: Scalar, bits: u64) -> bool {
    match scalar {
        scalar if scalar.is_float() => float_value(scalar, bits) == 0.0,
        _ => bits == 0,
    }
}

/// The value of float bits, exactly; `None` for other types.
pub(super) fn float(scalar: Scalar, bits: u64) -> Option<f64> {
    scalar.is_float().then(|| float_value(scalar, bits))
}
