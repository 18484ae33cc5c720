//! Nodes: one op after the other, by the table's meaning.

use naga::{AtomicFunction, BinaryOperator as Bin, Expression, MathFunction as Math, Statement};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Direction;
use planish_ir::ops::{Class, Op};
use planish_ir::types::{AddressSpace, Scalar};
use planish_target::legal::Operation;

use crate::function::{Ex, FunctionLowering, Val};
use crate::legal::{function, info};
use crate::memory::Index;
use crate::module::ParamRef;
use crate::types::{Res, fail};

impl FunctionLowering<'_, '_> {
    /// Lowers a node.
    pub(crate) fn node(&mut self, node: Node) -> Res<()> {
        let body = self.body;
        let data = body.node(node);
        self.span = data.span;
        let args = body.args(node);
        let result = body.result(node);
        let ty = result.map_or(Type::VOID, |r| body.local_type(r));
        if self.cx.types.ir.scalar_of(ty).is_some_and(|scalar| scalar.bits() == 64) {
            // Not only variables have types that the target may lack.
            self.cx.types.value(ty, data.span)?;
        }
        if !info(self.cx.options.target).has(self.cx.module, body, node) {
            // Legalization has an expansion, or reports the same error.
            let operation = Operation::of(self.cx.module, body, node);
            return fail(Code::E0604, self.span, format!("{} has no {}", self.cx.target(), operation.text()));
        }
        let val = match data.op.info().class {
            Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn => {
                return self.value_node(node, args, ty);
            }
            Class::Construct => Val::Expr(self.construct(data.op, args, ty)?),
            Class::Extract => Val::Expr(self.extract(data.op, node, args, ty)?),
            Class::Access => self.access_node(data.op, node, args, ty)?,
            Class::Memory => match self.memory_node(data.op, args)? {
                Some(val) => val,
                None => return Ok(()),
            },
            Class::Call => return self.call(node, args),
            Class::Texture => match self.texture(node, args, ty)? {
                Some(val) => val,
                None => return Ok(()),
            },
            Class::Stage => match self.stage_node(data.op, node)? {
                Some(e) => Val::Expr(e),
                None => return Ok(()),
            },
            Class::Subgroup | Class::Machine | Class::Simd | Class::Token | Class::Custom => {
                return self.no_such_op(data.op);
            }
        };
        match result {
            Some(result) => self.define(result, val),
            None => Ok(()),
        }
    }

    pub(crate) fn no_such_op<T>(&self, op: Op) -> Res<T> {
        fail(Code::E0604, self.span, format!("{} has no `{}`", self.cx.target(), op.text()))
    }

    pub(crate) fn no_such_op_of<T>(&self, op: Op, operands: &str) -> Res<T> {
        fail(Code::E0604, self.span, format!("{} has no `{}` of {operands}", self.cx.target(), op.text()))
    }

    /// A constant as one expression of a naga function on all operands.
    fn all(&mut self, fun: Math, args: &[Value]) -> Res<Ex> {
        let mut e = Vec::with_capacity(args.len());
        for &a in args {
            e.push(self.expr(a)?);
        }
        Ok(self.math(fun, &e))
    }

    fn one(&mut self, op: naga::UnaryOperator, args: &[Value]) -> Res<Ex> {
        let x = self.expr(args[0])?;
        Ok(self.unary(op, x))
    }

    fn both(&mut self, op: Bin, args: &[Value]) -> Res<Ex> {
        let (a, b) = (self.expr(args[0])?, self.expr(args[1])?);
        Ok(self.binary(op, a, b))
    }

    fn value_node(&mut self, node: Node, args: &[Value], ty: Type) -> Res<()> {
        let op = self.body.node(node).op;
        let results: Vec<_> = self.body.results(node).collect();
        let pair = match op {
            Op::Frexp | Op::Modf => Some(self.split_float(op, args, ty)?),
            _ => None,
        };
        if let Some(pair) = pair {
            for (result, e) in results.into_iter().zip(pair) {
                self.define(result, Val::Expr(e))?;
            }
            return Ok(());
        }
        let e = self.one_value(op, args, ty)?;
        self.define(results[0], Val::Expr(e))
    }

    /// Both results of `frexp` and `modf`.
    fn split_float(&mut self, op: Op, args: &[Value], ty: Type) -> Res<[Ex; 2]> {
        let (s, n) = self.shape(ty);
        let (size, scalar) = ((n > 1).then(|| crate::types::size_of(n)), crate::types::scalar(s));
        let (fun, predeclared) = match op {
            Op::Frexp => (Math::Frexp, naga::PredeclaredType::FrexpResult { size, scalar }),
            _ => (Math::Modf, naga::PredeclaredType::ModfResult { size, scalar }),
        };
        self.cx.types.naga.generate_predeclared_type(predeclared);
        let both = self.all(fun, args)?;
        Ok([self.access_index(both, 0), self.access_index(both, 1)])
    }

    fn one_value(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Ex> {
        use naga::RelationalFunction as Relation;
        use naga::UnaryOperator as Un;
        if let Some(fun) = function(op) {
            return self.all(fun, args);
        }
        let is_scalar = self.shape(ty).1 == 1;
        Ok(match op {
            Op::Negate => self.one(Un::Negate, args)?,
            Op::LogicalNot => self.one(Un::LogicalNot, args)?,
            Op::BitwiseNot => self.one(Un::BitwiseNot, args)?,
            Op::ArrayLength => {
                let place = self.place(args[0])?;
                self.array_length(&place)?
            }
            Op::Any | Op::All => {
                let argument = self.expr(args[0])?;
                let fun = if op == Op::Any { Relation::Any } else { Relation::All };
                self.add(Expression::Relational { fun, argument })
            }
            Op::BitCount | Op::FindLsb | Op::FindMsb => {
                let fun = match op {
                    Op::BitCount => Math::CountOneBits,
                    Op::FindLsb => Math::FirstTrailingBit,
                    _ => Math::FirstLeadingBit,
                };
                let found = self.all(fun, args)?;
                let (from, to) = (self.shape(self.type_of(args[0])).0, self.shape(ty).0);
                if from == to { found } else { self.convert(found, to) }
            }
            Op::Dfdx | Op::Dfdy | Op::Fwidth => self.derivative(op, args)?,
            Op::DfdxFine | Op::DfdyFine | Op::FwidthFine => self.derivative(op, args)?,
            Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse => self.derivative(op, args)?,
            Op::Add => self.both(Bin::Add, args)?,
            Op::Subtract => self.both(Bin::Subtract, args)?,
            Op::Multiply | Op::MatrixTimesScalar | Op::MatrixTimesVector => self.both(Bin::Multiply, args)?,
            Op::VectorTimesMatrix | Op::MatrixTimesMatrix => self.both(Bin::Multiply, args)?,
            Op::Divide => self.both(Bin::Divide, args)?,
            Op::Remainder => self.both(Bin::Modulo, args)?,
            Op::LogicalAnd => self.both(if is_scalar { Bin::LogicalAnd } else { Bin::And }, args)?,
            Op::LogicalOr => self.both(if is_scalar { Bin::LogicalOr } else { Bin::InclusiveOr }, args)?,
            Op::LogicalXor | Op::NotEqual => self.both(Bin::NotEqual, args)?,
            Op::BitwiseAnd => self.both(Bin::And, args)?,
            Op::BitwiseOr => self.both(Bin::InclusiveOr, args)?,
            Op::BitwiseXor => self.both(Bin::ExclusiveOr, args)?,
            Op::ShiftLeft => self.shift(Bin::ShiftLeft, args)?,
            Op::ShiftRight => self.shift(Bin::ShiftRight, args)?,
            Op::Equal => self.both(Bin::Equal, args)?,
            Op::LessThan => self.both(Bin::Less, args)?,
            Op::LessThanEqual => self.both(Bin::LessEqual, args)?,
            Op::GreaterThan => self.both(Bin::Greater, args)?,
            Op::GreaterThanEqual => self.both(Bin::GreaterEqual, args)?,
            Op::BitfieldExtract | Op::BitfieldInsert => self.bitfield(op, args)?,
            Op::Select => {
                let (c, a, b) = (self.expr(args[0])?, self.expr(args[1])?, self.expr(args[2])?);
                if self.cx.types.ir.vector_size(ty).is_some() {
                    self.select(c, a, b)
                } else {
                    self.select_aggregate(ty, c, a, b)?
                }
            }
            _ => return self.no_such_op(op),
        })
    }

    fn derivative(&mut self, op: Op, args: &[Value]) -> Res<Ex> {
        use naga::{DerivativeAxis as Axis, DerivativeControl as Control};
        let axis = match op {
            Op::Dfdx | Op::DfdxFine | Op::DfdxCoarse => Axis::X,
            Op::Dfdy | Op::DfdyFine | Op::DfdyCoarse => Axis::Y,
            _ => Axis::Width,
        };
        let ctrl = match op {
            Op::DfdxFine | Op::DfdyFine | Op::FwidthFine => Control::Fine,
            Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse => Control::Coarse,
            _ => Control::None,
        };
        let expr = self.expr(args[0])?;
        Ok(self.add(Expression::Derivative { axis, ctrl, expr }))
    }

    fn bitfield(&mut self, op: Op, args: &[Value]) -> Res<Ex> {
        let (values, field) = args.split_at(args.len() - 2);
        let mut e = vec![];
        for &v in values {
            e.push(self.expr(v)?);
        }
        for &f in field {
            let f = self.expr(f)?;
            e.push(self.as_u32(f));
        }
        Ok(self.math(if op == Op::BitfieldExtract { Math::ExtractBits } else { Math::InsertBits }, &e))
    }

    fn construct(&mut self, op: Op, args: &[Value], ty: Type) -> Res<Ex> {
        match op {
            Op::ConstructVectorFromScalar => {
                let x = self.expr(args[0])?;
                Ok(self.splat(x, self.shape(ty).1))
            }
            Op::ConstructScalarFromScalar | Op::ConstructVectorFromMultiple if args.len() == 1 => {
                let (from, to) = (self.shape(self.type_of(args[0])).0, self.shape(ty).0);
                let x = self.expr(args[0])?;
                Ok(if from == to { x } else { self.convert(x, to) })
            }
            Op::ConstructVectorFromMultiple
            | Op::ConstructMatrixFromMultiple
            | Op::ConstructStruct
            | Op::ConstructArray => {
                let mut parts = Vec::with_capacity(args.len());
                for &a in args {
                    parts.push(self.expr(a)?);
                }
                self.compose(ty, parts)
            }
            Op::Bitcast => {
                let (from, to) = (self.shape(self.type_of(args[0])).0, self.shape(ty).0);
                let x = self.expr(args[0])?;
                Ok(if from == to { x } else { self.bitcast(x, crate::types::scalar(to).kind) })
            }
            _ => self.no_such_op(op),
        }
    }

    fn extract(&mut self, op: Op, node: Node, args: &[Value], ty: Type) -> Res<Ex> {
        let imm = self.body.node(node).imm;
        let composite = self.type_of(args[0]);
        match op {
            Op::ExtractVectorComponent | Op::ExtractStructField => {
                let base = self.expr(args[0])?;
                Ok(self.access_index(base, imm.as_index()))
            }
            Op::ExtractVectorComponentMulti => {
                let base = self.expr(args[0])?;
                let lanes: Vec<u8> = imm.as_lanes().iter().collect();
                Ok(self.swizzle(base, &lanes))
            }
            Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => {
                let base = self.expr(args[0])?;
                let len = self.cx.types.ir.part_count(composite);
                let index = self.index(args[1], len)?;
                // naga takes no computed index into a matrix by value, and not all its writers one into an array.
                if matches!(index, Index::Value(_)) && op != Op::ExtractVectorComponentDynamic {
                    let pointer = self.spill(composite, base)?;
                    let part = self.access(pointer, index);
                    return Ok(self.load_pointer(part));
                }
                Ok(self.access(base, index))
            }
            Op::InsertVectorComponent | Op::InsertStructField => self.insert(args, ty, Index::Const(imm.as_index())),
            _ => {
                let len = self.cx.types.ir.part_count(composite);
                let index = self.index(args[2], len)?;
                self.insert(args, ty, index)
            }
        }
    }

    fn insert(&mut self, args: &[Value], ty: Type, index: Index) -> Res<Ex> {
        let (base, value) = (self.expr(args[0])?, self.expr(args[1])?);
        let pointer = self.spill(ty, base)?;
        let part = self.access(pointer, index);
        self.push(Statement::Store { pointer: part, value });
        Ok(self.load_pointer(pointer))
    }

    pub(crate) fn access_node(&mut self, op: Op, node: Node, args: &[Value], ty: Type) -> Res<Val> {
        let imm = self.body.node(node).imm;
        let place = self.place(args[0])?;
        let Some((composite, _)) = self.cx.types.ir.pointee(self.type_of(args[0])) else {
            return fail(Code::E0699, self.span, "a pointer was expected");
        };
        Ok(Val::Place(match op {
            Op::AccessVectorComponent => self.access_part(&place, composite, Index::Const(imm.as_index()))?,
            Op::AccessVectorComponentMulti => {
                let lanes: Vec<u8> = imm.as_lanes().iter().collect();
                let (part, _) = self.cx.types.ir.pointee(ty).expect("a pointer");
                self.access_lanes(&place, part, &lanes)?
            }
            Op::AccessStructField => self.access_field(&place, composite, imm.as_index())?,
            _ => {
                let len = self.cx.types.ir.part_count(composite);
                let index = self.index(args[1], len)?;
                self.access_part(&place, composite, index)?
            }
        }))
    }

    pub(crate) fn memory_node(&mut self, op: Op, args: &[Value]) -> Res<Option<Val>> {
        use crate::memory::Place;
        let place = self.place(args[0])?;
        match op {
            Op::Load => match place {
                Place::Opaque(opaque) => Ok(Some(Val::Opaque(opaque))),
                place => Ok(Some(Val::Expr(self.load(&place)?))),
            },
            Op::Store => {
                let value = self.expr(args[1])?;
                self.store(&place, value)?;
                Ok(None)
            }
            _ => self.atomic(op, &place, args).map(Some),
        }
    }

    fn array_length(&mut self, place: &crate::memory::Place) -> Res<Ex> {
        use crate::memory::Place;
        match place {
            Place::Memory { pointer, .. } => {
                let length = self.add(Expression::ArrayLength(*pointer));
                Ok(self.convert(length, Scalar::I32))
            }
            Place::Choice(choice) => self.select_of_choice(choice, |s, place| s.array_length(place)),
            _ => fail(Code::E0604, self.span, "this array has no length at run time"),
        }
    }

    fn atomic(&mut self, op: Op, place: &crate::memory::Place, args: &[Value]) -> Res<Val> {
        if let crate::memory::Place::Choice(choice) = place {
            let (s, _) = self.shape(self.type_of(args[1]));
            let scalar = self.scalar_type(s);
            let before = self.local(None, scalar, None);
            self.switch_of_choice(choice, |s, place| {
                let Val::Expr(value) = s.atomic(op, place, args)? else { return s.no_such_op(op) };
                s.push(Statement::Store { pointer: before, value });
                Ok(())
            })?;
            return Ok(Val::Expr(self.load_pointer(before)));
        }
        let crate::memory::Place::Memory { pointer, .. } = *place else { return self.no_such_op(op) };
        let mut fun = match op {
            Op::AtomicAdd => AtomicFunction::Add,
            Op::AtomicMin => AtomicFunction::Min,
            Op::AtomicMax => AtomicFunction::Max,
            Op::AtomicAnd => AtomicFunction::And,
            Op::AtomicOr => AtomicFunction::InclusiveOr,
            Op::AtomicXor => AtomicFunction::ExclusiveOr,
            Op::AtomicExchange | Op::AtomicCompareExchange => AtomicFunction::Exchange { compare: None },
            _ => return self.no_such_op(op),
        };
        let (s, _) = self.shape(self.type_of(args[1]));
        if s.bits() != 32 {
            return self.no_such_op_of(op, "64-bit integers");
        }
        let scalar = self.scalar_type(s);
        if op == Op::AtomicCompareExchange {
            let compare = self.expr(args[1])?;
            fun = AtomicFunction::Exchange { compare: Some(compare) };
            let value = self.expr(args[2])?;
            let predeclared = naga::PredeclaredType::AtomicCompareExchangeWeakResult(crate::types::scalar(s));
            let ty = self.cx.types.naga.generate_predeclared_type(predeclared);
            return self.compare_exchange(pointer, fun, (compare, value), ty, scalar);
        }
        let value = self.expr(args[1])?;
        let result = self.pre(Expression::AtomicResult { ty: scalar, comparison: false });
        self.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        Ok(Val::Expr(result))
    }

    /// The exchange of WGSL may fail although the value is the expected one; then it is tried again.
    fn compare_exchange(
        &mut self,
        pointer: Ex,
        fun: AtomicFunction,
        (compare, value): (Ex, Ex),
        ty: naga::Handle<naga::Type>,
        scalar: naga::Handle<naga::Type>,
    ) -> Res<Val> {
        let old = self.local(None, scalar, None);
        let (body, ()) = self.nested(|s| {
            let result = s.pre(Expression::AtomicResult { ty, comparison: true });
            s.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
            let (was, exchanged) = (s.access_index(result, 0), s.access_index(result, 1));
            s.push(Statement::Store { pointer: old, value: was });
            let other = s.binary(Bin::NotEqual, was, compare);
            let done = s.binary(Bin::LogicalOr, exchanged, other);
            let (accept, ()) = s.nested(|s| {
                s.push(Statement::Break);
                Ok(())
            })?;
            s.push(Statement::If { condition: done, accept, reject: naga::Block::new() });
            Ok(())
        })?;
        self.push(Statement::Loop { body, continuing: naga::Block::new(), break_if: None });
        Ok(Val::Expr(self.load_pointer(old)))
    }

    fn call(&mut self, node: Node, args: &[Value]) -> Res<()> {
        let Some(func) = args[0].as_func() else { return self.no_such_op(Op::CallIndirect) };
        let module = self.cx.module;
        let Some(callee) = self.cx.funcs[planish_ir::arena::Id::index(func)].clone() else {
            // The callee failed; it has an error of its own.
            return fail(
                Code::E0608,
                self.span,
                format!("function `{}` cannot be called", module.funcs[func].name.text),
            );
        };
        let mut arguments = vec![];
        let mut copies = vec![];
        for (i, param) in callee.params.iter().enumerate() {
            let arg = args[i + 1];
            match param {
                ParamRef::Value(_) => arguments.push(self.expr(arg)?),
                ParamRef::Opaque(_) => self.opaque_argument(arg, &mut arguments)?,
                ParamRef::Pointer(_) => {
                    let direction = module.funcs[func].params[i].direction;
                    let pointer = self.pointer_argument(arg, direction, &mut copies)?;
                    arguments.push(pointer);
                }
            }
        }
        let results: Vec<_> = self.body.results(node).collect();
        let result = (!results.is_empty()).then(|| self.pre(Expression::CallResult(callee.handle)));
        self.push(Statement::Call { function: callee.handle, arguments, result });
        for (place, pointer) in copies {
            let value = self.load_pointer(pointer);
            self.store(&place, value)?;
        }
        let Some(result) = result else { return Ok(()) };
        if callee.results.is_none() {
            return self.define(results[0], Val::Expr(result));
        }
        for (i, local) in results.into_iter().enumerate() {
            let part = self.access_index(result, i as u32);
            self.define(local, Val::Expr(part))?;
        }
        Ok(())
    }

    /// A pointer that WGSL lets a function have: the whole of a local variable, or of a copy.
    fn pointer_argument(
        &mut self,
        arg: Value,
        direction: Direction,
        copies: &mut Vec<(crate::memory::Place, Ex)>,
    ) -> Res<Ex> {
        use crate::memory::Place;
        let place = self.place(arg)?;
        if let Place::Memory { pointer, .. } = place
            && matches!(self.fun.expressions[pointer], Expression::LocalVariable(_) | Expression::FunctionArgument(_))
        {
            return Ok(pointer);
        }
        let Some((ty, space)) = self.cx.types.ir.pointee(self.type_of(arg)) else {
            return fail(Code::E0699, self.span, "a pointer was expected");
        };
        let naga = self.cx.types.value(ty, self.span)?;
        let pointer = self.local(None, naga, None);
        if direction != Direction::Out {
            let value = self.load(&place)?;
            self.push(Statement::Store { pointer, value });
        }
        if direction != Direction::In && space != AddressSpace::Handle {
            copies.push((place, pointer));
        }
        Ok(pointer)
    }

    fn opaque_argument(&mut self, arg: Value, arguments: &mut Vec<Ex>) -> Res<()> {
        use crate::memory::Place;
        let opaque = match self.val(arg)? {
            Val::Opaque(o) | Val::Place(Place::Opaque(o)) => o,
            Val::Combined(texture, sampler) => {
                for half in [texture, sampler] {
                    self.one_opaque(&half, arguments)?;
                }
                return Ok(());
            }
            _ => return fail(Code::E0605, self.span, "a struct that holds samplers cannot be passed to a function"),
        };
        self.one_opaque(&opaque, arguments)
    }

    fn one_opaque(&mut self, opaque: &crate::memory::Opaque, arguments: &mut Vec<Ex>) -> Res<()> {
        if opaque.index.is_some() {
            let message = "a sampler chosen by a computed index cannot be passed to a function";
            return fail(Code::E0605, self.span, message);
        }
        self.leaves(&opaque.candidates[0].clone(), arguments);
        Ok(())
    }

    fn stage_node(&mut self, op: Op, node: Node) -> Res<Option<Ex>> {
        use naga::Barrier;
        if let (Op::ControlBarrier | Op::MemoryBarrier, Some(stage)) = (op, self.cx.draws) {
            let message = format!("{} has no barriers in the {} stage", self.cx.target(), stage.name());
            return fail(Code::E0604, self.span, message);
        }
        match op {
            Op::ControlBarrier => {
                self.push(Statement::ControlBarrier(Barrier::WORK_GROUP | Barrier::STORAGE));
                Ok(None)
            }
            Op::MemoryBarrier => {
                let bits = self.body.node(node).imm.0;
                let mut barrier = Barrier::empty();
                // In the order of the table's names: buffer, image, shared, atomic counter, group.
                barrier.set(Barrier::STORAGE, bits & 0b01001 != 0);
                barrier.set(Barrier::TEXTURE, bits & 0b00010 != 0);
                barrier.set(Barrier::WORK_GROUP, bits & 0b10100 != 0);
                if bits == 0 {
                    barrier = Barrier::STORAGE | Barrier::TEXTURE | Barrier::WORK_GROUP;
                }
                if self.cx.options.target == crate::Target::Wgsl {
                    // WGSL's barriers synchronize execution and memory at once.
                    if matches!(self.next_op, Some(Op::ControlBarrier | Op::MemoryBarrier)) {
                        return Ok(None);
                    }
                    return fail(Code::E0604, self.span, "WGSL has no memory barrier without a `barrier()` after it");
                }
                self.push(Statement::MemoryBarrier(barrier));
                Ok(None)
            }
            Op::Demote => {
                let always = self.literal(naga::Literal::Bool(true));
                let (accept, ()) = self.nested(|s| {
                    s.push(Statement::Kill);
                    Ok(())
                })?;
                self.push(Statement::If { condition: always, accept, reject: naga::Block::new() });
                Ok(None)
            }
            _ => self.no_such_op(op),
        }
    }
}
