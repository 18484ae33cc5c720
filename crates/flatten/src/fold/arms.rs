//! Merges equal operations in both arms of a select.
//!
//! ```text
//! select(c, sin(x), sin(y))                sin(select(c, x, y))
//! select(c, sqrt(a + x), sqrt(a + y))      sqrt(a + select(c, x, y))
//! ```
//!
//! The same bits, since only the selected arm is observed. Both operations must have no other user, and must vary if
//! the select does: a uniform operation is cheaper. Not for ops that read neighbouring fragments.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Request, Results};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::ops::{Class, Imm, Op};
use smallvec::SmallVec;

/// New values with a single use.
#[derive(Default)]
pub(super) struct Arms {
    /// By new value: whether it has one use, and varies.
    mine: SideTable<Local, Mine>,
}

#[derive(Clone, Copy, Default)]
struct Mine {
    once: bool,
    varies: bool,
}

/// An op of both arms.
struct Wrapper {
    op: Op,
    imm: Imm,
    args: SmallVec<[Value; 4]>,
    /// The operands in which the arms differ.
    differs: SmallVec<[usize; 4]>,
    ty: Type,
    precision: Precision,
    precise: bool,
}

impl Arms {
    /// Records the results of a source node that has one use or not, and varies or not.
    pub(super) fn record(&mut self, results: &Results, once: bool, varies: bool) {
        for local in results.iter().filter_map(|v| v.as_local()) {
            self.mine[local] = Mine { once, varies };
        }
    }

    /// The replacement of the select `node` on new operands; `None` if there is none.
    pub(super) fn merged(
        &self,
        source: &Body,
        node: Node,
        args: &[Value],
        varies: bool,
        b: &mut Builder<'_, '_>,
    ) -> Option<Value> {
        let &[condition, mut x, mut y] = args else { return None };
        if b.type_of(condition) != Type::BOOL {
            return None;
        }
        let mut wrappers: Vec<Wrapper> = Vec::new();
        while let Some((wrapper, one, other)) = self.wrapper(x, y, varies, b) {
            wrappers.push(wrapper);
            (x, y) = (one, other);
        }
        if wrappers.is_empty() {
            return None;
        }
        let data = *source.node(node);
        b.set_precise(data.precise);
        let mut value = b.make(Request::new(Op::Select, &[condition, x, y]).precision(data.precision));
        for mut wrapper in wrappers.into_iter().rev() {
            wrapper.differs.iter().for_each(|&at| wrapper.args[at] = value);
            b.set_precise(wrapper.precise);
            let request = Request::new(wrapper.op, &wrapper.args).imm(wrapper.imm).ty(wrapper.ty);
            value = b.make(request.precision(wrapper.precision));
        }
        Some(value)
    }

    /// The op that makes both values, if they differ in one operand; and these two operands.
    fn wrapper(&self, x: Value, y: Value, varies: bool, b: &Builder<'_, '_>) -> Option<(Wrapper, Value, Value)> {
        let (one, other) = (x.as_local()?, y.as_local()?);
        let may_go = |mine: Mine| mine.once && mine.varies == varies;
        if one == other || !may_go(self.mine[one]) || !may_go(self.mine[other]) {
            return None;
        }
        let body = b.body();
        let (p, q) = (body.node_of(x)?, body.node_of(y)?);
        let (data, twin) = (body.node(p), body.node(q));
        let is_same =
            (data.op, data.imm, data.precise, data.precision) == (twin.op, twin.imm, twin.precise, twin.precision);
        if !is_same
            || !data.op.is_pure()
            || body.results(p).len() != 1
            || data.op.info().class == Class::Access
            || body.local_type(one) != body.local_type(other)
        {
            return None;
        }
        let args = body.args(p);
        let (differs, x, y) = difference(data.op, args, body.args(q))?;
        let is_number = |v: Value| b.module.types.vector_size(b.type_of(v)).is_some();
        if !is_number(x) || b.type_of(x) != b.type_of(y) {
            return None;
        }
        let (ty, args) = (body.local_type(one), args.into());
        let (precision, precise) = (data.precision, data.precise);
        Some((Wrapper { op: data.op, imm: data.imm, args, differs, ty, precision, precise }, x, y))
    }
}

/// The positions at which two lists of operands differ, if they differ in one pair of values only; and that pair.
fn difference(op: Op, p: &[Value], q: &[Value]) -> Option<(SmallVec<[usize; 4]>, Value, Value)> {
    if let (true, &[a, b], &[c, d]) = (op.info().commutative, p, q) {
        match () {
            () if a == d && b != c => return Some((SmallVec::from_slice(&[1]), b, c)),
            () if b == c && a != d => return Some((SmallVec::from_slice(&[0]), a, d)),
            () => {}
        }
    }
    let differs: SmallVec<[usize; 4]> = (0..p.len().min(q.len())).filter(|&i| p[i] != q[i]).collect();
    let &first = differs.first()?;
    let only = p.len() == q.len() && differs.iter().all(|&i| (p[i], q[i]) == (p[first], q[first]));
    only.then_some((differs, p[first], q[first]))
}
