//! One function: its values, variables, and the blocks being written.

use planish_interface::Implicit;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Const, Func, Local, Type, Value, ValueKind, Var};
use planish_ir::function::Body;
use planish_ir::module::EntryPoint;
use planish_ir::ops::Op as IrOp;
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use spirv::{Decoration, GlslStd450Op, Op, StorageClass};

use crate::assemble::{Id, Words};
use crate::calls::{ParamRef, Signature};
use crate::control::Control;
use crate::entry::Epilogue;
use crate::memory_model::unread_exchanges;
use crate::module::{Context, at};
use crate::places::Place;
use crate::types::{Res, fail, is_relaxed};

/// Lowered form of a value.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    /// A result.
    Id(Id),
    /// A pointer.
    Place(Place),
    /// A loaded image or sampler; it is loaded again where it is used.
    Handle(Place),
    /// A vector of this scalar, which is only ever a factor.
    Splat(Id),
    /// A texture and a sampler; they are put together where they are used, as SPIR-V demands.
    Combined(Place, Place),
}

/// A phi.
#[derive(Debug)]
pub(crate) struct Phi {
    pub(crate) id: Id,
    pub(crate) ty: Id,
    /// Value and block it comes from.
    pub(crate) incoming: Vec<(Id, Id)>,
}

/// A block of SPIR-V.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) label: Id,
    pub(crate) phis: Vec<Phi>,
    words: Words,
}

/// An access chain or a load: opcode, type, base, indices.
pub(crate) type AtHand = (Op, Id, Id, SmallVec<[Id; 4]>);

/// The state of one function.
pub(crate) struct FunctionWriter<'a, 'm> {
    pub(crate) cx: &'a mut Context<'m>,
    pub(crate) func: Func,
    pub(crate) body: &'m Body,
    values: Vec<Option<Val>>,
    /// Variables of the function.
    variables: Words,
    pub(crate) locals: FxHashMap<Var, Id>,
    pub(crate) blocks: Vec<Written>,
    /// Whether the last block has not ended.
    pub(crate) open: bool,
    pub(crate) control: Control,
    pub(crate) epilogue: Epilogue,
    pub(crate) implicit: Implicit,
    /// Source location of the node being written.
    pub(crate) span: Span,
    line: Option<[u32; 3]>,
    /// Whether the node being written is `precise`.
    precise: bool,
    /// The result of the last instruction.
    last: Id,
    relaxed: FxHashSet<Id>,
    /// Indices, and what they lead to, that differ among invocations.
    pub(crate) non_uniform: FxHashSet<Id>,
    /// Vectors of a repeated scalar that are only factors.
    pub(crate) factors: FxHashSet<Local>,
    /// Results of atomic exchanges that are stores.
    pub(crate) unread_exchanges: FxHashSet<Local>,
    /// Access chains and loads of images and samplers that the block being written has.
    pub(crate) at_hand: FxHashMap<AtHand, Id>,
    /// Variables that hold constants, to be indexed.
    pub(crate) constant_variables: FxHashMap<Const, Id>,
}

impl<'a, 'm> FunctionWriter<'a, 'm> {
    pub(crate) fn new(cx: &'a mut Context<'m>, func: Func, body: &'m Body, epilogue: Epilogue) -> Self {
        let factors = crate::splats::only_factors(cx.module, body);
        FunctionWriter {
            cx,
            func,
            body,
            values: vec![None; body.local_count()],
            variables: Words::default(),
            locals: FxHashMap::default(),
            at_hand: FxHashMap::default(),
            blocks: vec![],
            open: false,
            control: Control::new(body),
            epilogue,
            implicit: Implicit::Exist,
            span: Span::NONE,
            line: None,
            precise: false,
            last: 0,
            relaxed: FxHashSet::default(),
            non_uniform: FxHashSet::default(),
            factors,
            unread_exchanges: unread_exchanges(body),
            constant_variables: FxHashMap::default(),
        }
    }

    /// Writes the whole function into the module.
    pub(crate) fn run(mut self, signature: Signature, entry: Option<&EntryPoint>) -> Res<()> {
        let data = &self.cx.module.funcs[self.func];
        self.span = data.span;
        let id = self.cx.out.id();
        let name = self.cx.module.outside_name(self.func);
        self.cx.out.name(id, name);
        if self.cx.is_exported(self.func) {
            let export = [spirv::LinkageType::Export as u32];
            let linkage = [id, Decoration::LinkageAttributes as u32];
            self.cx.out.decorations.op_with_text(Op::Decorate, &linkage, name, &export);
        }
        let mut head = Words::default();
        head.op(Op::Function, &[signature.result, id, 0, signature.ty]);
        let inputs = self.body.blocks[self.body.entry].inputs.clone();
        for (i, (&input, param)) in inputs.iter().zip(&signature.params).enumerate() {
            let (ty, declared) = (param.ty(), &data.params[i]);
            let param_id = self.cx.out.id();
            self.cx.out.name(param_id, &declared.name.text);
            head.op(Op::FunctionParameter, &[ty, param_id]);
            if is_relaxed(declared.precision) && self.cx.is_relaxable(self.value_behind(declared.ty)) {
                self.cx.out.decorate(param_id, Decoration::RelaxedPrecision, &[]);
            }
            let val = self.parameter(param, param_id, declared.ty)?;
            self.values[at(input)] = Some(val);
        }
        self.blocks(entry)?;
        self.write_out(head);
        self.cx.funcs[at(self.func)] = Some(signature.into_ref(id));
        Ok(())
    }

    fn value_behind(&self, ty: Type) -> Type {
        self.cx.types.pointee(ty).map_or(ty, |(pointee, _)| pointee)
    }

    fn parameter(&mut self, param: &ParamRef, id: Id, ty: Type) -> Res<Val> {
        use crate::places::Chain;
        Ok(match param {
            ParamRef::Value(_) => Val::Id(id),
            ParamRef::Pointer(_, class) => {
                Val::Place(Place::Memory(Chain::new(id, *class, self.value_behind(ty), None)))
            }
            ParamRef::Opaque(_) => {
                let is_pointer = self.cx.types.pointee(ty).is_some();
                let place = self.opaque_param(id, self.value_behind(ty))?;
                if is_pointer { Val::Place(place) } else { Val::Handle(place) }
            }
        })
    }

    fn write_out(&mut self, head: Words) {
        let out = &mut self.cx.out.functions;
        out.0.extend(head.0);
        for (i, block) in self.blocks.iter().enumerate() {
            out.op(Op::Label, &[block.label]);
            for phi in &block.phis {
                let mut operands = vec![phi.ty, phi.id];
                operands.extend(phi.incoming.iter().flat_map(|&(value, from)| [value, from]));
                out.op(Op::Phi, &operands);
            }
            if i == 0 {
                out.0.extend_from_slice(&self.variables.0);
            }
            out.0.extend_from_slice(&block.words.0);
        }
        out.op(Op::FunctionEnd, &[]);
    }

    // Blocks and instructions.

    /// Begins a block.
    pub(crate) fn start_block(&mut self, label: Id) {
        debug_assert!(!self.open, "a block begins before the last one has ended");
        self.blocks.push(Written { label, phis: vec![], words: Words::default() });
        self.at_hand.clear();
        self.open = true;
        self.line = None;
    }

    /// The label of the block being written.
    pub(crate) fn label(&self) -> Id {
        self.blocks.last().expect("a block").label
    }

    /// Ends the block.
    pub(crate) fn end(&mut self, op: Op, operands: &[u32]) {
        debug_assert!(self.open, "a block ends twice");
        self.emit_void(op, operands);
        self.open = false;
    }

    /// Appends an instruction with a result.
    pub(crate) fn emit(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.cx.out.id();
        let mut all: SmallVec<[u32; 10]> = smallvec![ty, id];
        all.extend_from_slice(operands);
        self.emit_void(op, &all);
        if self.precise && may_contract(op) {
            self.cx.out.decorate(id, Decoration::NoContraction, &[]);
        }
        self.last = id;
        id
    }

    /// Appends an instruction without a result.
    pub(crate) fn emit_void(&mut self, op: Op, operands: &[u32]) {
        if self.cx.options.lines.is_some() && !matches!(op, Op::SelectionMerge | Op::LoopMerge) {
            self.emit_line(op);
        }
        self.blocks.last_mut().expect("a block").words.op(op, operands);
    }

    /// Emits `OpLine` if the line differs from that of the instruction before. No instruction may separate a merge
    /// instruction from its branch.
    fn emit_line(&mut self, op: Op) {
        let branch = matches!(op, Op::Branch | Op::BranchConditional | Op::Switch);
        let Some(line) = self.cx.line_of(self.span).filter(|line| !branch && self.line != Some(*line)) else { return };
        self.line = Some(line);
        self.blocks.last_mut().expect("a block").words.op(Op::Line, &line);
    }

    /// One operand; the result is a number.
    pub(crate) fn op1(&mut self, op: Op, ty: Type, a: Id) -> Id {
        let ty = self.cx.number(ty);
        self.emit(op, ty, &[a])
    }

    /// Two operands; the result is a number.
    pub(crate) fn op2(&mut self, op: Op, ty: Type, a: Id, b: Id) -> Id {
        let ty = self.cx.number(ty);
        self.emit(op, ty, &[a, b])
    }

    /// Three operands; the result is a number.
    pub(crate) fn op3(&mut self, op: Op, ty: Type, a: Id, b: Id, c: Id) -> Id {
        let ty = self.cx.number(ty);
        self.emit(op, ty, &[a, b, c])
    }

    /// An instruction of `GLSL.std.450`; the result is a number.
    pub(crate) fn glsl(&mut self, op: GlslStd450Op, ty: Type, operands: &[Id]) -> Id {
        let ty = self.cx.number(ty);
        self.glsl_of(op, ty, operands)
    }

    /// An instruction of `GLSL.std.450`.
    pub(crate) fn glsl_of(&mut self, op: GlslStd450Op, ty: Id, operands: &[Id]) -> Id {
        let set = self.cx.out.glsl();
        let mut all: SmallVec<[u32; 8]> = smallvec![set, op as u32];
        all.extend_from_slice(operands);
        self.emit(Op::ExtInst, ty, &all)
    }

    /// Part of a composite whose parts are of type `ty`.
    pub(crate) fn part(&mut self, composite: Id, ty: Type, index: u32) -> Id {
        let ty = self.cx.number(ty);
        self.emit(Op::CompositeExtract, ty, &[composite, index])
    }

    /// A number of its parts.
    pub(crate) fn compose(&mut self, ty: Type, parts: &[Id]) -> Id {
        let ty = self.cx.number(ty);
        self.emit(Op::CompositeConstruct, ty, parts)
    }

    /// A scalar in every component of a vector type (or of the scalar's own).
    pub(crate) fn splat_value(&mut self, ty: Type, scalar: Id) -> Id {
        match self.shape(ty).1 {
            1 => scalar,
            n => self.compose(ty, &vec![scalar; n.into()]),
        }
    }

    // Types and values of the IR.

    /// The type of a value.
    pub(crate) fn type_of(&self, value: Value) -> Type {
        self.cx.module.type_of(self.body, value)
    }

    /// Component type and number of components of a scalar or vector type.
    pub(crate) fn shape(&self, ty: Type) -> (Scalar, u8) {
        let types = &self.cx.types;
        (types.scalar_of(ty).unwrap_or(Scalar::F32), types.vector_size(ty).unwrap_or(1))
    }

    /// The type of a component of a scalar or vector type.
    pub(crate) fn component_type(&mut self, ty: Type) -> Type {
        let (scalar, _) = self.shape(ty);
        self.cx.types.scalar(scalar)
    }

    /// The type of the same shape with other components.
    pub(crate) fn with_scalar(&mut self, ty: Type, scalar: Scalar) -> Type {
        self.cx.types.with_scalar(ty, scalar)
    }

    /// The lowered form of a value.
    pub(crate) fn val(&mut self, value: Value) -> Res<Val> {
        match value.kind() {
            ValueKind::Const(c) => Ok(Val::Id(self.constant(c)?)),
            ValueKind::Var(v) => Ok(Val::Place(self.var(v)?)),
            ValueKind::Local(l) => match &self.values[at(l)] {
                Some(val) => Ok(val.clone()),
                None => fail(Code::E0699, self.span, format!("{l} is used before it is made")),
            },
            ValueKind::Func(_) => fail(Code::E0608, self.span, "SPIR-V has no references to functions"),
        }
    }

    /// A value as an id.
    pub(crate) fn id(&mut self, value: Value) -> Res<Id> {
        match self.val(value)? {
            Val::Id(id) => Ok(id),
            _ => fail(Code::E0604, self.span, "a pointer, image or sampler cannot be used as a value here"),
        }
    }

    /// Values as ids.
    pub(crate) fn ids(&mut self, values: &[Value]) -> Res<Vec<Id>> {
        values.iter().map(|&v| self.id(v)).collect()
    }

    /// A value as a pointer.
    pub(crate) fn place(&mut self, value: Value) -> Res<Place> {
        match self.val(value)? {
            Val::Place(place) => Ok(place),
            _ => fail(Code::E0699, self.span, "a pointer was expected"),
        }
    }

    /// Notes the lowered form of a local value. A result of the last instruction gets the value's precision.
    pub(crate) fn define(&mut self, local: Local, val: Val) {
        if let Val::Id(id) = val
            && id == self.last
        {
            self.relax(local, id);
            self.name_value(local, id);
        }
        self.set(local, val);
    }

    /// In an output for a debugger, a value is called as the variable that it was last assigned to.
    pub(crate) fn name_value(&mut self, local: Local, id: Id) {
        if let (Some(_), Some(var)) = (self.cx.options.lines, self.body.origin(local)) {
            self.cx.out.name(id, &self.cx.module.vars[var].name.text);
        }
    }

    /// Notes the lowered form of a local value that another instruction computes.
    pub(crate) fn set(&mut self, local: Local, val: Val) {
        self.values[at(local)] = Some(val);
    }

    /// Gives an id the precision of a value.
    pub(crate) fn relax(&mut self, local: Local, id: Id) {
        let data = self.body.local(local);
        if is_relaxed(data.precision) && self.cx.is_relaxable(data.ty) && self.relaxed.insert(id) {
            self.cx.out.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
    }

    /// Begins a node.
    pub(crate) fn begin_node(&mut self, span: Span, precise: bool) {
        self.span = span;
        self.precise = precise;
        self.last = 0;
    }

    // Variables.

    /// A variable of the function that the IR does not know.
    pub(crate) fn new_variable(&mut self, ty: Type, initializer: Option<Id>) -> Res<Id> {
        self.cx.compute_with(ty);
        let pointer = self.cx.pointer_type(StorageClass::Function, ty, None, self.span)?;
        let id = self.cx.out.id();
        let operands = [pointer, id, StorageClass::Function as u32, initializer.unwrap_or(0)];
        self.variables.op(Op::Variable, &operands[..if initializer.is_some() { 4 } else { 3 }]);
        Ok(id)
    }

    /// The SPIR-V variable of a local variable.
    pub(crate) fn declare_local(&mut self, var: Var) -> Res<Id> {
        self.declare_with(var, None)
    }

    fn declare_with(&mut self, var: Var, initializer: Option<Id>) -> Res<Id> {
        let data = &self.cx.module.vars[var];
        let id = self.new_variable(data.ty, initializer)?;
        self.cx.out.name(id, &data.name.text);
        if is_relaxed(data.precision) && self.cx.is_relaxable(data.ty) {
            self.cx.out.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
        self.locals.insert(var, id);
        Ok(id)
    }

    /// Stores the initial values of the variables that a block declares: their initializer, or zero.
    pub(crate) fn declare_variables(&mut self, block: Block) -> Res<()> {
        let body = self.body;
        let stored_first = self.stored_first(block);
        for &var in &body.blocks[block].variables {
            let data = &self.cx.module.vars[var];
            let finite = data.initializer.is_none_or(|c| self.cx.is_finite(c));
            let once = finite && !self.control.in_loop() && !self.locals.contains_key(&var);
            if data.initializer.is_none() && stored_first.contains(&var) {
                self.var(var)?;
                continue;
            }
            let value = match data.initializer {
                Some(c) => self.constant(c)?,
                None if self.cx.has_spirv_type(data.ty) => {
                    self.var(var)?;
                    continue;
                }
                None => self.cx.null(data.ty, data.span)?,
            };
            if once {
                self.declare_with(var, Some(value))?;
            } else {
                let place = self.var(var)?;
                self.store(&place, value)?;
            }
        }
        Ok(())
    }

    /// The variables of which a block first writes all that is in them.
    fn stored_first(&self, block: Block) -> FxHashSet<Var> {
        let body = self.body;
        let data = &body.blocks[block];
        let (mut seen, mut stored) = (FxHashSet::default(), FxHashSet::default());
        if data.variables.is_empty() {
            return stored;
        }
        for &node in &data.nodes {
            let args = body.args(node);
            let target = args.first().and_then(|a| a.as_var()).filter(|_| body.node(node).op == IrOp::Store);
            if let Some(var) = target.filter(|var| !seen.contains(var) && args[1].as_var() != Some(*var)) {
                stored.insert(var);
            }
            seen.extend(args.iter().filter_map(|a| a.as_var()));
        }
        stored
    }
}

/// Whether a driver may fuse an instruction with another, so that the result differs.
fn may_contract(op: Op) -> bool {
    matches!(
        op,
        Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FNegate
            | Op::FMod
            | Op::VectorTimesScalar
            | Op::MatrixTimesScalar
            | Op::MatrixTimesVector
            | Op::VectorTimesMatrix
            | Op::MatrixTimesMatrix
            | Op::OuterProduct
            | Op::Dot
    )
}
