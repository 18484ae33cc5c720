//! A composite with one part replaced.

use planish_ir::entity::{Local, Node};
use planish_ir::ops::{Lanes, Op};
use smallvec::SmallVec;

use crate::dialect::Dialect;
use crate::effects::Effects;
use crate::lower::Lower;
use crate::tree::{Callee, Expr, ExprKind, Symbol};

/// Source of a component of a vector that a constructor makes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lane {
    /// An expression of its own.
    Value(Expr),
    /// A component of another vector.
    Of(Expr, u8),
}

/// The components of a vector.
pub(crate) type LaneList = SmallVec<[Lane; 4]>;

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    /// An assignment to the part if the whole has no further uses, a constructor if the parts are available, else a
    /// copy in a variable, then an assignment to the part.
    ///
    /// ```text
    /// v.z = x;        vec3(v.xy, x)        vec3 t = f(); t.z = x;
    /// ```
    pub(crate) fn insert(&mut self, node: Node, result: Local) {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let mut value = self.operand(args[1]);
        let mut index = args.get(2).map(|&i| {
            let index = self.operand(i);
            let len = self.w.module.types.part_count(self.body.local_type(result));
            D::part_index(self, index, (i, len))
        });
        let whole = self.operand(args[0]);
        let in_place = self.shared_variable(result).is_some_and(|s| self.w.tree.kind(whole) == ExprKind::Name(s));
        if data.op == Op::InsertVectorComponent
            && !in_place
            && let Some(mut lanes) = self.lanes_of(whole, result)
        {
            lanes[data.imm.as_index() as usize] = Lane::Value(value);
            let expr = self.construct_lanes(&lanes, result);
            self.lanes.insert(expr, lanes);
            self.finish(result, expr, &Effects::default());
            return;
        }
        self.begin();
        if let Some(symbol) = self.shared_variable(result)
            && !in_place
        {
            // The copy must not overwrite variables that the other operands read.
            value = self.apart_from(symbol, value, args[1]);
            index = index.map(|i| self.apart_from(symbol, i, args[2]));
        }
        let init = (!in_place).then_some(whole);
        let symbol = self.set(result, init, self.frames.len() - 1);
        let name = self.w.tree.name(symbol);
        let kind = match (data.op, index) {
            (Op::InsertVectorComponent, _) => ExprKind::Swizzle(name, Lanes::new(&[data.imm.as_index() as u8])),
            (Op::InsertStructField, _) => ExprKind::Member(name, self.body.local_type(result), data.imm.as_index()),
            (_, Some(index)) => ExprKind::Index(name, index),
            _ => return self.w.internal("an insertion has no index", self.span),
        };
        let target = self.w.tree.add(kind);
        let scalar = self.w.module.type_of(self.body, args[1]);
        let scalar = matches!(self.w.module.types[scalar], planish_ir::types::TypeKind::Scalar(_));
        let stmt = self.assign(target, scalar, value);
        self.push(stmt);
    }

    /// An expression, or if it mentions a variable a copy of its value.
    fn apart_from(&mut self, symbol: Symbol, expr: Expr, value: planish_ir::entity::Value) -> Expr {
        if !self.w.tree.mentioned(expr).contains(&symbol) {
            return expr;
        }
        self.copy_of(value, expr)
    }

    /// The components of a vector, if each can be mentioned on its own.
    fn lanes_of(&self, whole: Expr, result: Local) -> Option<LaneList> {
        if let Some(lanes) = self.lanes.get(&whole) {
            return Some(lanes.clone());
        }
        let size = self.w.module.types.vector_size(self.body.local_type(result))?;
        self.is_trivial(whole).then(|| (0..size).map(|i| Lane::Of(whole, i)).collect())
    }

    /// A constructor; neighbours of one vector stay together.
    fn construct_lanes(&mut self, lanes: &[Lane], result: Local) -> Expr {
        let mut parts: SmallVec<[Expr; 4]> = SmallVec::new();
        let mut at = 0;
        while at < lanes.len() {
            let Lane::Of(whole, first) = lanes[at] else {
                let Lane::Value(value) = lanes[at] else { return parts[0] };
                parts.push(value);
                at += 1;
                continue;
            };
            let literal = matches!(self.w.tree.kind(whole), ExprKind::Literal(_));
            let apart = literal || !self.w.abilities.swizzles;
            let follows = |i: usize| matches!(lanes[i], Lane::Of(w, _) if w == whole && !apart);
            let end = (at + 1..lanes.len()).find(|&i| !follows(i)).unwrap_or(lanes.len());
            let mut numbers: SmallVec<[u8; 4]> = SmallVec::from_slice(&[first]);
            numbers
                .extend(lanes[at + 1..end].iter().filter_map(|l| if let Lane::Of(_, i) = l { Some(*i) } else { None }));
            parts.push(self.swizzle(whole, Lanes::new(&numbers)));
            at = end;
        }
        self.w.tree.call(Callee::Type(self.body.local_type(result)), &parts)
    }
}
