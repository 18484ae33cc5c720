//! Nodes of the IR as nodes of the list.

use planish_ir::arena::Id;
use planish_ir::custom;
use planish_ir::entity::{Block, Func, Node, Type, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::ops::{Class, Imm, Op};
use planish_ir::types::TypeKind;
use planish_target::legal::is_defined;

use super::types::Shape;
use super::{Fallible, Lower, push_kinds};
use crate::code::{Arg, ArgKind, CallKind, What};
use crate::isa::{Kind, Machine, trapping_division};

impl<I: Machine> Lower<'_, I> {
    /// The kind of a value that is one; [`Kind::None`] for others.
    #[inline]
    pub(super) fn kind_of(&self, body: &Body, value: Value) -> Kind {
        self.room.shapes.kind(self.module.type_of(body, value))
    }

    /// The kind of an operand that is one value, and what it is here; [`Kind::None`] for others.
    #[inline]
    fn operand(&mut self, body: &Body, value: Value) -> Fallible<(Kind, Arg)> {
        if let Some(local) = value.as_local() {
            return Ok((self.room.shapes.kind(body.local_type(local)), self.room.map[local.index()]));
        }
        match self.kind_of(body, value) {
            Kind::None => Ok((Kind::None, Arg::NONE)),
            kind => Ok((kind, self.arg(value)?)),
        }
    }

    pub(super) fn node(&mut self, body: &Body, node: Node) -> Fallible<()> {
        let data = body.node(node);
        self.span = data.span;
        match data.op.info().class {
            Class::Unary
            | Class::Binary
            | Class::Compare
            | Class::BuiltIn
            | Class::Machine
            | Class::Simd
            | Class::Token => self.plain(body, node),
            Class::Construct => self.conversion(body, node),
            Class::Extract => {
                let result = self.result_type(body, node);
                let insert = matches!(
                    data.op,
                    Op::InsertVectorComponent
                        | Op::InsertVectorComponentDynamic
                        | Op::InsertMatrixColumn
                        | Op::InsertArrayElement
                        | Op::InsertStructField
                );
                let arg = if insert { self.insert(body, node, result)? } else { self.extract(body, node, result)? };
                self.name(body, node, arg);
                Ok(())
            }
            Class::Access => {
                let arg = self.access(body, node)?;
                self.name(body, node, arg);
                Ok(())
            }
            Class::Memory => self.memory(body, node),
            Class::Call => self.call(body, node, false),
            Class::Custom => {
                let error = custom::unlowered_node(self.module, body, node);
                error.map_or_else(|| self.unsupported("an op without a row"), |error| Err(Box::new(error)))
            }
            Class::Texture | Class::Stage | Class::Subgroup => {
                self.unsupported(format!("a register machine has no `{}`", data.op.text()))
            }
        }
    }

    fn result_type(&self, body: &Body, node: Node) -> Type {
        body.result(node).map_or(Type::VOID, |local| body.local_type(local))
    }

    /// The node's first result is from now on called so.
    fn name(&mut self, body: &Body, node: Node, arg: Arg) {
        if let Some(local) = body.result(node) {
            self.room.map[local.index()] = arg;
        }
    }

    fn conversion(&mut self, body: &Body, node: Node) -> Fallible<()> {
        let data = body.node(node);
        let result = self.result_type(body, node);
        let first = body.args(node).first().copied();
        let arg = match (data.op, first) {
            (Op::Bitcast, Some(value)) => self.arg(value)?,
            (Op::TruncateTrapping, _) => return self.plain(body, node),
            (Op::ConstructScalarFromScalar, Some(value)) => {
                let Shape::One(to) = self.room.shapes.of(result) else { return self.plain(body, node) };
                let from = self.kind_of(body, value);
                let arg = self.arg(value)?;
                self.convert(arg, from, to)?
            }
            _ => self.construct(body, node, result)?,
        };
        self.name(body, node, arg);
        Ok(())
    }

    fn memory(&mut self, body: &Body, node: Node) -> Fallible<()> {
        let args = body.args(node);
        let arg = match body.node(node).op {
            Op::Load => {
                let pointer = self.arg(args[0])?;
                self.load(pointer, self.result_type(body, node))?
            }
            Op::Store => {
                let (pointer, value) = (self.arg(args[0])?, self.arg(args[1])?);
                return self.store(pointer, value, self.module.type_of(body, args[1]));
            }
            op => return self.unsupported(format!("a register machine has no `{}`", op.text())),
        };
        self.name(body, node, arg);
        Ok(())
    }

    /// An op on scalars, or the same op on each component.
    fn plain(&mut self, body: &Body, node: Node) -> Fallible<()> {
        let data = body.node(node);
        let values = body.args(node);
        match data.op {
            Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement => {
                let arg = self.increment(body, node)?;
                self.name(body, node, arg);
                return Ok(());
            }
            op if is_algebra(op) => return self.by_components(body, node),
            Op::RefFunc => {
                if let Some(func) = values.first().and_then(|value| value.as_func()) {
                    return self.reference(body, node, func);
                }
            }
            _ => {}
        }
        let (mut few, mut many) = ([Arg::NONE; 4], vec![]);
        let args = match few.get_mut(..values.len()) {
            Some(few) => few,
            None => {
                many.resize(values.len(), Arg::NONE);
                &mut many[..]
            }
        };
        let decides = usize::from(matches!(data.op, Op::MemoryStore | Op::Select | Op::TableSet));
        let mut operand = Kind::None;
        for (i, (arg, &value)) in args.iter_mut().zip(values).enumerate() {
            let kind;
            (kind, *arg) = self.operand(body, value)?;
            if kind == Kind::None {
                return self.by_components(body, node);
            }
            if i == decides {
                operand = kind;
            }
        }
        let (mut kinds, mut outs) = ([Kind::None; 2], 0);
        for local in body.results(node) {
            let kind = self.room.shapes.kind(body.local_type(local));
            if kind == Kind::None || outs == kinds.len() {
                return self.by_components(body, node);
            }
            kinds[outs] = kind;
            outs += 1;
        }
        if let [a, b] = args
            && matches!(a.kind(), ArgKind::Const(_))
            && data.op.info().commutative
        {
            std::mem::swap(a, b);
        }
        let op = self.op_of(body, node, operand);
        let first = self.operations(op, data.imm, operand, args, &kinds[..outs])?;
        for (local, value) in body.results(node).zip(first..) {
            self.room.map[local.index()] = Arg::value(value);
        }
        Ok(())
    }

    /// The op of a node. A machine that has no division but the trapping one uses it where the operands are in range.
    #[inline]
    pub(super) fn op_of(&self, body: &Body, node: Node, operand: Kind) -> Op {
        let data = body.node(node);
        match trapping_division(data.op) {
            Some(trapping)
                if operand.is_integer()
                    && !self.isa.supports(data.op, operand, operand)
                    && is_defined(self.module, body, (data.op, data.imm), body.args(node), None) =>
            {
                trapping
            }
            _ => data.op,
        }
    }

    fn reference(&mut self, body: &Body, node: Node, func: Func) -> Fallible<()> {
        let arg = self.operation(Op::RefFunc, Imm(func.as_u32().into()), Kind::None, Kind::Func, &[])?;
        self.name(body, node, arg);
        Ok(())
    }

    /// Whether the last thing a block does is to call and return what the callee gives: the call.
    pub(super) fn tail_call(&self, body: &Body, block: Block) -> Option<Node> {
        let data = &body.blocks[block];
        let (Exit::Return(args), Some(&node)) = (&data.exit, data.nodes.last()) else { return None };
        let op = body.node(node).op;
        if !matches!(op, Op::TailCall | Op::TailCallIndirect) {
            return None;
        }
        let same = args.len() == body.node(node).result_count()
            && body.results(node).zip(args).all(|(result, &arg)| Value::from(result) == arg);
        let import = body.args(node)[0].as_func().is_some_and(|func| self.room.is_import[func.index()]);
        let callee = self.callee_type(body, node);
        let TypeKind::Function { params, .. } = &self.module.types[callee] else { return None };
        let plain = self.room.out_params.is_empty() && params.iter().all(|&ty| self.pointee(ty) == ty);
        (same && !import && plain).then_some(node)
    }

    /// The type of what a call calls.
    fn callee_type(&self, body: &Body, node: Node) -> Type {
        match body.node(node).op {
            Op::CallIndirect | Op::TailCallIndirect => body.node(node).imm.as_table_type().1,
            _ => self.module.type_of(body, body.args(node)[0]),
        }
    }

    pub(super) fn tail(&mut self, body: &Body, node: Node) -> Fallible<()> {
        self.span = body.node(node).span;
        self.call(body, node, true)
    }

    /// Arguments first, what tells the callee last.
    fn call(&mut self, body: &Body, node: Node, tail: bool) -> Fallible<()> {
        let data = body.node(node);
        let args = body.args(node);
        let through_table = matches!(data.op, Op::CallIndirect | Op::TailCallIndirect);
        let (kind, imm) = match args[0].as_func() {
            _ if through_table => (CallKind::Table, data.imm),
            Some(func) => {
                let kind = if self.room.is_import[func.index()] { CallKind::Import } else { CallKind::Func };
                (kind, Imm(func.as_u32().into()))
            }
            None => (CallKind::Value, Imm(self.callee_type(body, node).as_u32().into())),
        };
        let ty = self.callee_type(body, node);
        let TypeKind::Function { params, results } = &self.module.types[ty] else {
            return self.unsupported("a call of what is no function");
        };
        params.iter().chain(results.iter()).try_for_each(|&ty| self.need_value(self.pointee(ty)))?;
        self.collect(body, &args[1..])?;
        if !matches!(kind, CallKind::Func | CallKind::Import) {
            let callee = self.arg(args[0])?;
            self.room.scratch.push(callee);
        }
        let mut kinds = std::mem::take(&mut self.room.kinds);
        kinds.clear();
        results.iter().for_each(|&ty| push_kinds(self.module, ty, &mut kinds));
        let pointers = params.iter().map(|&ty| self.pointee(ty)).zip(params.iter()).filter(|(to, ty)| to != *ty);
        pointers.for_each(|(ty, _)| push_kinds(self.module, ty, &mut kinds));
        let scratch = std::mem::take(&mut self.room.scratch);
        let what = if tail { What::TailCall(kind) } else { What::Call(kind) };
        let outs: &[Kind] = if tail { &[] } else { &kinds };
        let mut first = self.push_node(what, data.op, imm, (Kind::None, Kind::None), &scratch, outs);
        self.room.scratch = scratch;
        self.room.kinds = kinds;
        self.room.code.has_calls = true;
        if !tail {
            for (local, &ty) in body.results(node).zip(results.iter()) {
                self.room.map[local.index()] = self.arg_of_values(first, ty);
                first += self.room.shapes.components(ty).unwrap_or(0);
            }
            for (&ty, &pointer) in params.iter().zip(&args[1..]) {
                let behind = self.pointee(ty);
                if behind != ty {
                    let (pointer, value) = (self.arg(pointer)?, self.arg_of_values(first, behind));
                    self.store(pointer, value, behind)?;
                    first += self.room.shapes.components(behind).unwrap_or(0);
                }
            }
        }
        Ok(())
    }
}

/// Ops that are sequences of others, on scalars too.
#[inline]
fn is_algebra(op: Op) -> bool {
    use Op::{All, Any, Distance, Dot, FaceForward, Length, Normalize, Reflect, Refract};
    use Op::{HorizontalAdd, HorizontalMax, HorizontalMin};
    matches!(op, Length | Distance | Dot | Normalize | Reflect | Refract | FaceForward | Any | All)
        || matches!(op, HorizontalAdd | HorizontalMin | HorizontalMax)
}
