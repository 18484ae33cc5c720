//! One function: its values, constants, variables, and the statements being written.

use std::rc::Rc;

use naga::{Expression, Handle, Literal, Statement};
use planish_interface::Implicit;
use planish_ir::arena::{Id, SideTable};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Const, Local, Type, Value, ValueKind, Var};
use planish_ir::function::{Body, Exit, LocalDef};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_ir::walk::{self, BlockKind, Event};
use planish_target::{jumps, structure};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::control::{FRAMES, OpenIf, OpenLoop, OpenSwitch};
use crate::globals::{GlobalRef, Tree};
use crate::memory::{Opaque, Place};
use crate::module::{Context, ParamRef, literal, naga_span, plain_name};
use crate::parts::Parts;
use crate::routes::Routes;
use crate::types::{Res, fail};

/// A naga expression.
pub(crate) type Ex = Handle<Expression>;

/// Lowered form of a value.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    /// An expression.
    Expr(Ex),
    /// A pointer.
    Place(Place),
    /// A loaded image or sampler.
    Opaque(Opaque),
    /// A texture and a sampler put together.
    Combined(Opaque, Opaque),
}

/// The state of one function.
pub(crate) struct FunctionLowering<'a, 'm> {
    pub(crate) cx: &'a mut Context<'m>,
    pub(crate) body: &'m Body,
    pub(crate) fun: naga::Function,
    /// The statements being written.
    pub(crate) block: naga::Block,
    emit_from: Option<usize>,
    values: Vec<Option<Val>>,
    literals: FxHashMap<(u8, u64), Ex>,
    constants: FxHashMap<Const, Ex>,
    globals: FxHashMap<Handle<naga::GlobalVariable>, Ex>,
    arguments: FxHashMap<u32, Ex>,
    locals: FxHashMap<Var, Place>,
    /// Local variables that hold block inputs, or that carry values out of the scope that makes them.
    slots: FxHashMap<Local, Ex>,
    escaping: FxHashSet<Local>,
    nonfinite: FxHashMap<u64, Ex>,
    pub(crate) parts: Parts,
    /// Block inputs whose value is known without a variable.
    pub(crate) ready: FxHashSet<Local>,
    /// The op of the next node of the block; `None` after the last.
    pub(crate) next_op: Option<planish_ir::ops::Op>,
    /// Owners of the constructs around that `Break` leaves.
    pub(crate) frames: Vec<Block>,
    pub(crate) loops: Vec<(Block, OpenLoop)>,
    pub(crate) ifs: Vec<OpenIf>,
    pub(crate) switches: Vec<OpenSwitch>,
    /// The labelled blocks that something breaks out of.
    pub(crate) broken: SideTable<Block, bool>,
    pub(crate) routes: Routes,
    /// The blocks of the output around: their statements so far, and their place.
    around: Vec<(naga::Block, Span, u32)>,
    pub(crate) params: Vec<ParamRef>,
    pub(crate) results: Option<Handle<naga::Type>>,
    pub(crate) implicit: Implicit,
    /// Source location of the node being lowered.
    pub(crate) span: Span,
    /// Pairs of braces around the current statement.
    braces: u32,
}

impl<'a, 'm> FunctionLowering<'a, 'm> {
    pub(crate) fn new(
        cx: &'a mut Context<'m>,
        body: &'m Body,
        fun: naga::Function,
        params: Vec<ParamRef>,
        results: Option<Handle<naga::Type>>,
    ) -> Self {
        let escaping = escaping_values(&cx.module.types, body);
        FunctionLowering {
            cx,
            body,
            fun,
            block: naga::Block::new(),
            emit_from: None,
            values: vec![None; body.local_count()],
            literals: FxHashMap::default(),
            constants: FxHashMap::default(),
            globals: FxHashMap::default(),
            arguments: FxHashMap::default(),
            locals: FxHashMap::default(),
            slots: FxHashMap::default(),
            escaping,
            nonfinite: FxHashMap::default(),
            parts: Parts::new(body),
            ready: FxHashSet::default(),
            next_op: None,
            frames: vec![],
            loops: vec![],
            ifs: vec![],
            switches: vec![],
            broken: jumps::broken(body),
            routes: Routes::of(body),
            around: vec![],
            params,
            results,
            implicit: Implicit::Exist,
            span: Span::NONE,
            braces: 1,
        }
    }

    /// Lowers the whole body.
    pub(crate) fn run(mut self) -> Res<naga::Function> {
        let body = self.body;
        let entry = body.entry;
        for (i, param) in self.params.clone().into_iter().enumerate() {
            let input = self.body.blocks[entry].inputs[i];
            let val = match param {
                ParamRef::Value(index) => Val::Expr(self.argument(index)),
                ParamRef::Pointer(index) => {
                    let pointer = self.argument(index);
                    let (ty, _) = self.cx.types.ir.pointee(self.body.local_type(input)).expect("a pointer");
                    let mem = self.cx.types.private_mem(ty, None, self.span)?;
                    Val::Place(Place::Memory { pointer, mem })
                }
                ParamRef::Opaque(tree) => {
                    let opaque = Opaque::new(tree);
                    let pointer = self.cx.types.ir.pointee(self.body.local_type(input)).is_some();
                    if pointer { Val::Place(Place::Opaque(opaque)) } else { Val::Opaque(opaque) }
                }
            };
            self.values[input.index()] = Some(val);
        }
        let most = self.cx.options.target.most_braces() as usize;
        if let Some(span) = jumps::deeper_than(self.body, &FRAMES, most) {
            return Err(self.too_deep(span));
        }
        structure::write(&mut self, body)?;
        self.flush();
        self.fun.body = std::mem::take(&mut self.block);
        Ok(self.fun)
    }

    // Expressions and statements.

    /// Adds an expression that is evaluated here.
    pub(crate) fn add(&mut self, expression: Expression) -> Ex {
        if self.emit_from.is_none() {
            self.emit_from = Some(self.fun.expressions.len());
        }
        self.fun.expressions.append(expression, naga_span(self.span))
    }

    /// Adds an expression that is not evaluated anywhere: a literal, a variable, a result of a statement.
    pub(crate) fn pre(&mut self, expression: Expression) -> Ex {
        self.flush();
        self.fun.expressions.append(expression, naga_span(self.span))
    }

    /// Ends the run of expressions to evaluate.
    pub(crate) fn flush(&mut self) {
        if let Some(from) = self.emit_from.take() {
            let range = self.fun.expressions.range_from(from);
            self.block.push(Statement::Emit(range), naga_span(self.span));
        }
    }

    /// Adds a statement.
    pub(crate) fn push(&mut self, statement: Statement) {
        self.flush();
        self.block.push(statement, naga_span(self.span));
    }

    /// Writes a block of its own.
    pub(crate) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<(naga::Block, T)> {
        self.open(1)?;
        let result = f(self);
        let inner = self.close();
        Ok((inner, result?))
    }

    fn too_deep(&self, span: Span) -> Box<Diagnostic> {
        let target = self.cx.options.target;
        let message =
            format!("{} takes at most {} nested blocks, and this is deeper", target.name(), target.most_braces());
        let way_out = "put a part of it into a function of its own";
        Box::new(Diagnostic::error(Code::E0690, span, message).help(way_out))
    }

    /// Begins a block of the output, within `braces` pairs of braces more.
    pub(crate) fn open(&mut self, braces: u32) -> Res<()> {
        if self.braces + braces > self.cx.options.target.most_braces() {
            return Err(self.too_deep(self.span));
        }
        self.flush();
        self.around.push((std::mem::take(&mut self.block), self.span, self.braces));
        self.braces += braces;
        Ok(())
    }

    /// Ends the innermost block of the output.
    pub(crate) fn close(&mut self) -> naga::Block {
        self.flush();
        let (outer, span, braces) = self.around.pop().expect("a block was begun");
        (self.span, self.braces) = (span, braces);
        std::mem::replace(&mut self.block, outer)
    }

    /// A new local variable; its address.
    pub(crate) fn local(&mut self, name: Option<String>, ty: Handle<naga::Type>, init: Option<Ex>) -> Ex {
        let variable = naga::LocalVariable { name, ty, init };
        let handle = self.fun.local_variables.append(variable, naga_span(self.span));
        self.pre(Expression::LocalVariable(handle))
    }

    /// A literal.
    pub(crate) fn literal(&mut self, literal: Literal) -> Ex {
        let key = match literal {
            Literal::F64(x) => (0, x.to_bits()),
            Literal::F32(x) => (1, x.to_bits().into()),
            Literal::U32(x) => (2, x.into()),
            Literal::I32(x) => (3, x as u32 as u64),
            Literal::U64(x) => (4, x),
            Literal::I64(x) => (5, x as u64),
            Literal::Bool(x) => (6, x.into()),
            _ => return self.pre(Expression::Literal(literal)),
        };
        if let Some(&known) = self.literals.get(&key) {
            return known;
        }
        let made = self.pre(Expression::Literal(literal));
        self.literals.insert(key, made);
        made
    }

    pub(crate) fn f32(&mut self, x: f32) -> Ex {
        self.literal(Literal::F32(x))
    }

    pub(crate) fn i32(&mut self, x: i32) -> Ex {
        self.literal(Literal::I32(x))
    }

    pub(crate) fn u32(&mut self, x: u32) -> Ex {
        self.literal(Literal::U32(x))
    }

    /// The address of a global variable (of textures and samplers: the thing itself).
    pub(crate) fn global(&mut self, global: Handle<naga::GlobalVariable>) -> Ex {
        if let Some(&known) = self.globals.get(&global) {
            return known;
        }
        let made = self.pre(Expression::GlobalVariable(global));
        self.globals.insert(global, made);
        made
    }

    /// An argument of the function.
    pub(crate) fn argument(&mut self, index: u32) -> Ex {
        if let Some(&known) = self.arguments.get(&index) {
            return known;
        }
        let made = self.pre(Expression::FunctionArgument(index));
        self.arguments.insert(index, made);
        made
    }

    /// A constant.
    /// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn constant(&mut self, c: Const) -> Res<Ex> {
        if let Some(&known) = self.constants.get(&c) {
            return Ok(known);
        }
        let module = self.cx.module;
        if let Some(l) = literal(module, c) {
            return Ok(self.literal(l));
        }
        if let Some(bits) = module.consts.as_bits(c) {
            return self.nonfinite(bits, module.consts[c].ty);
        }
        if let Some(constant) = self.cx.constant(c)? {
            let made = self.pre(Expression::Constant(constant));
            self.constants.insert(c, made);
            return Ok(made);
        }
        // Some component is NaN or infinite.
        let parts: Vec<Const> = module.consts.as_parts(c).unwrap_or(&[]).to_vec();
        let mut components = Vec::with_capacity(parts.len());
        for part in parts {
            components.push(self.constant(part)?);
        }
        let ty = self.cx.types.value(module.consts[c].ty, self.span)?;
        Ok(self.add(Expression::Compose { ty, components }))
    }

    /// NaN or infinity. WGSL forbids them as literals and in constant expressions, so the bits come from a variable.
    fn nonfinite(&mut self, bits: u64, ty: Type) -> Res<Ex> {
        if ty != Type::F32 {
            return fail(Code::E0602, self.span, format!("{} has no NaN or infinity of this type", self.cx.target()));
        }
        let variable = match self.nonfinite.get(&bits) {
            Some(&known) => known,
            None => {
                let word = self.cx.types.vector(naga::Scalar::U32, 1);
                let init = self.u32(bits as u32);
                let made = self.local(Some("float_bits".into()), word, Some(init));
                self.nonfinite.insert(bits, made);
                made
            }
        };
        let word = self.load_pointer(variable);
        Ok(self.bitcast(word, naga::ScalarKind::Float))
    }

    // Values of the IR.

    /// The type of a value.
    pub(crate) fn type_of(&self, value: Value) -> Type {
        self.cx.module.type_of(self.body, value)
    }

    /// Component type and number of components of a scalar or vector type.
    pub(crate) fn shape(&self, ty: Type) -> (Scalar, u8) {
        let types = &self.cx.types.ir;
        (types.scalar_of(ty).unwrap_or(Scalar::F32), types.vector_size(ty).unwrap_or(1))
    }

    /// The lowered form of a value.
    pub(crate) fn val(&mut self, value: Value) -> Res<Val> {
        match value.kind() {
            ValueKind::Const(c) => Ok(Val::Expr(self.constant(c)?)),
            ValueKind::Var(v) => Ok(Val::Place(self.var(v)?)),
            ValueKind::Local(l) => {
                if self.escaping.contains(&l)
                    && let Some(&slot) = self.slots.get(&l)
                {
                    return Ok(Val::Expr(self.load_pointer(slot)));
                }
                if self.escaping.contains(&l)
                    && let Some(node) = self.body.node_of(value)
                {
                    return self.remake(node, l);
                }
                match &self.values[l.index()] {
                    Some(val) => Ok(val.clone()),
                    None => fail(Code::E0699, self.span, format!("{l} is used before it is made")),
                }
            }
            ValueKind::Func(_) => {
                fail(Code::E0608, self.span, format!("{} has no references to functions", self.cx.target()))
            }
        }
    }

    /// A value as an expression.
    pub(crate) fn expr(&mut self, value: Value) -> Res<Ex> {
        match self.val(value)? {
            Val::Expr(e) => Ok(e),
            _ => fail(Code::E0604, self.span, "a pointer, image or sampler cannot be used as a value here"),
        }
    }

    /// A value as a pointer.
    pub(crate) fn place(&mut self, value: Value) -> Res<Place> {
        match self.val(value)? {
            Val::Place(p) => Ok(p),
            _ => fail(Code::E0699, self.span, "a pointer was expected"),
        }
    }

    /// A pointer, texture or sampler, computed again at a use where its definition is not in scope.
    fn remake(&mut self, node: planish_ir::entity::Node, result: Local) -> Res<Val> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        if data.op.info().class == planish_ir::ops::Class::Access {
            return self.access_node(data.op, node, args, self.body.local_type(result));
        }
        match self.memory_node(data.op, args)? {
            Some(val) if data.op == planish_ir::ops::Op::Load => Ok(val),
            _ => fail(Code::E0699, self.span, format!("{result} cannot leave the loop that makes it")),
        }
    }

    /// Notes the lowered form of a local value.
    pub(crate) fn define(&mut self, local: Local, val: Val) -> Res<()> {
        if self.escaping.contains(&local) {
            // No variable holds a pointer or a texture: it is made again where it is used.
            let Val::Expr(e) = val else { return Ok(()) };
            let slot = self.slot(local)?;
            self.push(Statement::Store { pointer: slot, value: e });
            return Ok(());
        }
        if let Val::Expr(e) = val
            && (self.parts.is_too_long(self.body, local) || self.stays_before_loop(local, e))
        {
            self.fun.named_expressions.insert(e, "part".into());
        }
        self.values[local.index()] = Some(val);
        Ok(())
    }

    /// Whether a value is computed before a loop and used in it, if naga's writers would not: they name values that are
    /// loaded or used twice, and a part of a named value costs nothing.
    fn stays_before_loop(&self, local: Local, e: Ex) -> bool {
        if !self.parts.is_hoisted(local) {
            return false;
        }
        let mut e = e;
        while let Expression::AccessIndex { base, .. } = self.fun.expressions[e] {
            e = base;
        }
        !matches!(
            self.fun.expressions[e],
            Expression::Load { .. }
                | Expression::Literal(_)
                | Expression::Constant(_)
                | Expression::FunctionArgument(_)
                | Expression::LocalVariable(_)
                | Expression::GlobalVariable(_)
                | Expression::CallResult(_)
                | Expression::AtomicResult { .. }
        )
    }

    /// The variable that carries a value to where it is not in scope, or into a block's input.
    pub(crate) fn slot(&mut self, mut local: Local) -> Res<Ex> {
        while let Some(&target) = self.routes.aliases.get(&local) {
            local = target;
        }
        if let Some(&known) = self.slots.get(&local) {
            return Ok(known);
        }
        let ty = self.body.local_type(local);
        if self.cx.types.ir.pointee(ty).is_some() || self.cx.types.ir.is_opaque(ty) {
            return fail(Code::E0604, self.span, "pointers, images and samplers cannot be chosen by control flow");
        }
        let ty = self.cx.types.value(ty, self.span)?;
        let name = self.body.origin(local).and_then(|var| plain_name(&self.cx.module.vars[var].name.text));
        let slot = self.local(name, ty, None);
        self.slots.insert(local, slot);
        Ok(slot)
    }

    /// Passes arguments to a block: stores them to the variables of its inputs.
    pub(crate) fn pass(&mut self, block: Block, args: &[Value]) -> Res<()> {
        let inputs: SmallVec<[Local; 2]> = self.body.blocks[block].inputs.iter().copied().collect();
        let mut values: SmallVec<[(Local, Ex); 2]> = SmallVec::new();
        for (index, (&input, &arg)) in inputs.iter().zip(args).enumerate() {
            let is_there = arg.as_local().is_some_and(|local| self.routes.aliases.get(&local) == Some(&input));
            if !is_there && !self.routes.skips(block, args, index) {
                values.push((input, self.expr(arg)?));
            }
        }
        for (input, value) in values {
            let pointer = self.slot(input)?;
            self.push(Statement::Store { pointer, value });
        }
        Ok(())
    }

    /// Takes the inputs of a block out of their variables.
    pub(crate) fn take_inputs(&mut self, block: Block) -> Res<()> {
        for i in 0..self.body.blocks[block].inputs.len() {
            let input = self.body.blocks[block].inputs[i];
            let passes_on = self.routes.aliases.contains_key(&input);
            if !passes_on && !self.ready.remove(&input) && !self.escaping.contains(&input) {
                let slot = self.slot(input)?;
                let value = self.load_pointer(slot);
                self.values[input.index()] = Some(Val::Expr(value));
            }
        }
        Ok(())
    }

    /// A variable's place.
    pub(crate) fn var(&mut self, var: Var) -> Res<Place> {
        if let Some(place) = self.locals.get(&var) {
            return Ok(place.clone());
        }
        let global = self.cx.globals[var.index()].clone();
        match global {
            Some(global) => Ok(self.global_place(&global)),
            None => {
                let data = &self.cx.module.vars[var];
                let mem = self.cx.types.private_mem(data.ty, None, data.span)?;
                let ty = self.cx.types.mem(mem).naga;
                let pointer = self.local(plain_name(&data.name.text), ty, None);
                let place = Place::Memory { pointer, mem };
                self.locals.insert(var, place.clone());
                Ok(place)
            }
        }
    }

    /// Recursion: one level, as the memory of `Mixed` is a variable or a member of one.
    fn global_place(&mut self, global: &GlobalRef) -> Place {
        match global {
            GlobalRef::Memory { global, mem } => Place::Memory { pointer: self.global(*global), mem: *mem },
            GlobalRef::Member { global, member, mem } => {
                let base = self.global(*global);
                Place::Memory { pointer: self.access_index(base, *member), mem: *mem }
            }
            GlobalRef::Blocks { globals, mem } => Place::Blocks { globals: globals.clone().into(), mem: *mem },
            GlobalRef::Opaque(tree) => Place::Opaque(Opaque::new(tree.clone())),
            GlobalRef::Mixed { memory, tree } => Place::Mixed {
                memory: memory.as_deref().map(|m| Box::new(self.global_place(m))),
                opaque: Opaque::new(tree.clone()),
            },
        }
    }

    /// Sets a variable that is declared in a block to its initializer.
    pub(crate) fn declare(&mut self, var: Var, in_loop: bool) -> Res<()> {
        let data = &self.cx.module.vars[var];
        let Some(init) = data.initializer else {
            self.var(var)?;
            return Ok(());
        };
        let value = self.constant(init)?;
        let constant = matches!(self.fun.expressions[value], Expression::Literal(_) | Expression::Constant(_));
        if constant && !in_loop && !self.locals.contains_key(&var) {
            let mem = self.cx.types.private_mem(data.ty, None, data.span)?;
            let ty = self.cx.types.mem(mem).naga;
            let name = plain_name(&data.name.text);
            let pointer = self.local(name, ty, Some(value));
            self.locals.insert(var, Place::Memory { pointer, mem });
            return Ok(());
        }
        let place = self.var(var)?;
        self.store(&place, value)
    }

    /// The kind of a type.
    pub(crate) fn kind(&self, ty: Type) -> TypeKind {
        self.cx.types.ir[ty].clone()
    }

    /// The leaf of a texture or sampler as an expression.
    pub(crate) fn bound(&mut self, bound: crate::globals::Bound) -> Ex {
        match bound {
            crate::globals::Bound::Global(g) => self.global(g),
            crate::globals::Bound::Argument(i) => self.argument(i),
        }
    }

    /// The leaves of an opaque argument, in the order of the callee's arguments.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn leaves(&mut self, tree: &Rc<Tree>, out: &mut Vec<Ex>) {
        match &**tree {
            Tree::Leaf { texture, sampler } => {
                for bound in [texture, sampler].into_iter().flatten() {
                    let e = self.bound(*bound);
                    out.push(e);
                }
            }
            Tree::Array(parts) => parts.iter().for_each(|p| self.leaves(p, out)),
            Tree::Struct(parts) => parts.iter().flatten().for_each(|p| self.leaves(p, out)),
        }
    }
}

/// Values that are used where naga has them no longer in scope: defined in a loop's condition, used in the `continuing`
/// block or after the loop.
fn escaping_values(types: &planish_ir::types::Types, body: &Body) -> FxHashSet<Local> {
    let mut escaping = FxHashSet::default();
    if !body.blocks.values().any(|b| matches!(b.exit, Exit::Loop { .. } | Exit::DoLoop { .. })) {
        return escaping;
    }
    // Each sequence of statements is a scope; the enclosing ones are found by parents.
    let mut parents: Vec<usize> = vec![0];
    let mut scope_of = vec![usize::MAX; body.blocks.len()];
    let mut current = vec![0usize];
    for event in walk::events(body, body.entry) {
        match event {
            Event::Enter { block, kind, parent, .. } => {
                if !matches!(kind, BlockKind::Entry | BlockKind::Merge) {
                    let around = *current.last().expect("not empty");
                    let scope = match (kind, &body.blocks[parent].exit) {
                        // The body continues the scope of the condition's last block.
                        (BlockKind::LoopBody, Exit::Loop { condition, .. }) => scope_of[condition.index()],
                        _ => {
                            parents.push(around);
                            parents.len() - 1
                        }
                    };
                    current.push(scope);
                }
                scope_of[block.index()] = *current.last().expect("not empty");
            }
            Event::Leave { kind, .. } => {
                if kind != BlockKind::Entry && current.len() > 1 {
                    current.pop();
                }
            }
        }
    }
    let inside = |mut scope: usize, outer: usize| loop {
        if scope == outer {
            return true;
        }
        if scope == 0 {
            return false;
        }
        scope = parents[scope];
    };
    // Scope of the definition of each local value.
    let mut made = vec![usize::MAX; body.local_count()];
    for block in walk::blocks(body) {
        for &input in &body.blocks[block].inputs {
            made[input.index()] = scope_of[block.index()];
        }
        for &node in &body.blocks[block].nodes {
            for result in body.results(node) {
                made[result.index()] = scope_of[block.index()];
            }
        }
    }
    let entry_inputs = |l: Local| matches!(body.local(l).def, LocalDef::Input(b, _) if b == body.entry);
    for block in walk::blocks(body) {
        let here = scope_of[block.index()];
        let mut check = |value: Value| {
            if let Some(l) = value.as_local()
                && !entry_inputs(l)
                && made[l.index()] != usize::MAX
                && !inside(here, made[l.index()])
            {
                escaping.insert(l);
            }
        };
        for &node in &body.blocks[block].nodes {
            body.args(node).iter().copied().for_each(&mut check);
        }
        body.blocks[block].exit.for_each_operand(&mut check);
    }
    // Pointers and opaque values are computed again at each use, so their operands escape too.
    let mut remade: Vec<Local> = escaping.iter().copied().collect();
    while let Some(local) = remade.pop() {
        let ty = body.local_type(local);
        if types.pointee(ty).is_none() && !types.is_opaque(ty) {
            continue;
        }
        let operands = body.node_of(local.into()).map(|n| body.args(n)).unwrap_or_default();
        for operand in operands.iter().filter_map(|a| a.as_local()).filter(|&l| !entry_inputs(l)) {
            if escaping.insert(operand) {
                remade.push(operand);
            }
        }
    }
    escaping
}
