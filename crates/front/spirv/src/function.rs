//! The body of a function: values of ids at the builder's place, and instructions by their kind.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::Name;
use planish_ir::entity::{Func, Type, Value, Var};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op as Ir};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use rustc_hash::FxHashMap;
use spirv::{Decoration, Op};

use crate::cfg::{self, Cfg};
use crate::constants::zero;
use crate::emit::Frame;
use crate::globals::Global;
use crate::layouts::Order;
use crate::module::Cx;
use crate::report::Res;
use crate::scopes::{Scopes, is_remade};
use crate::structure::structure;
use crate::subgroups;
use crate::words::{ExtSet, FunctionRange, Inst};

/// Meaning of an id.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Value(Value),
    /// An address.
    Pointer(Value),
    /// The address of an image or sampler, or of an array of such; also what is loaded from there.
    Handle(Value),
    /// An image and a sampler by their addresses.
    Sampled(Value, Value),
    /// A texel of a storage image: address of the image, coordinate, sample.
    Texel(Value, Value, Value),
    /// A texel of an image that the IR does not know: address of the image, coordinate, sample; type of the texel.
    SpirvTexel([Value; 3], Type),
    /// A block of built-ins, whose members are variables.
    BuiltIns(Vec<Option<Var>>),
    /// A private variable that is a specialization constant.
    Constant(u32),
}

/// A function that is being translated, or the module's own scope.
pub(crate) struct Scope<'c, 'w, 'm> {
    pub(crate) cx: &'c Cx<'w>,
    pub(crate) b: Builder<'m, 'static>,
    pub(crate) cfg: &'c Cfg,
    scopes: &'c Scopes,
    /// Whether the function is one: else specialization constants have their defaults.
    is_inside: bool,
    /// The scope of the current block.
    scope: u32,
    values: FxHashMap<u32, (Val, u32)>,
    /// Variables of values that are used where they are not visible.
    kept: FxHashMap<u32, Var>,
    /// Order of the matrices that addresses are of.
    pub(crate) orders: FxHashMap<u32, Order>,
    /// Variables of phis.
    pub(crate) phi_vars: FxHashMap<u32, Var>,
    pub(crate) frames: Vec<Frame>,
    /// The place in the source that debug information gives.
    pub(crate) line: Option<Span>,
}

/// Blocks and scopes of the module's own constants, which are in none.
static NO_CFG: std::sync::LazyLock<(Cfg, Scopes)> =
    std::sync::LazyLock::new(|| (Cfg { nodes: vec![], numbers: FxHashMap::default() }, Scopes::default()));

impl<'c, 'w, 'm> Scope<'c, 'w, 'm> {
    fn new(cx: &'c Cx<'w>, b: Builder<'m, 'static>, cfg: &'c Cfg, scopes: &'c Scopes, is_inside: bool) -> Self {
        Scope {
            cx,
            b,
            cfg,
            scopes,
            is_inside,
            scope: 0,
            values: FxHashMap::default(),
            kept: FxHashMap::default(),
            orders: FxHashMap::default(),
            phi_vars: FxHashMap::default(),
            frames: vec![],
            line: None,
        }
    }

    /// The module's own scope.
    pub(crate) fn outside(cx: &'c Cx<'w>, b: Builder<'m, 'static>) -> Self {
        Self::new(cx, b, &NO_CFG.0, &NO_CFG.1, false)
    }

    /// Whether this is a function, not the module's own scope.
    pub(crate) fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// Translates a function.
    pub(crate) fn function(cx: &Cx<'_>, module: &mut Module, func: Func, function: &FunctionRange) -> Res<()> {
        let Some(cfg) = cfg::build(cx.binary, function)? else {
            return cx.binary.insts[function.range.start].unsupported("a function without a body");
        };
        let stmts = structure(cx.binary, &cfg)?;
        let scopes = Scopes::find(cx.binary, &cx.defs, &cfg, &stmts);
        let b = Builder::new(module, func, Policy::PLAIN);
        let mut scope = Scope::new(cx, b, &cfg, &scopes, true);
        scope.parameters(function);
        scope.variables()?;
        scope.body(&stmts)?;
        scope.b.finish();
        Ok(())
    }

    fn parameters(&mut self, function: &FunctionRange) {
        let insts = &self.cx.binary.insts[function.range.clone()];
        for (i, inst) in insts.iter().filter(|i| i.op == Op::FunctionParameter).enumerate() {
            let value = self.b.param(i);
            let val = match self.pointee(value) {
                Some((_, AddressSpace::Handle)) => Val::Handle(value),
                Some(_) => Val::Pointer(value),
                None => Val::Value(value),
            };
            self.values.insert(inst.result, (val, 0));
        }
    }

    /// Declares the variables of the function, and those of phis and kept values.
    fn variables(&mut self) -> Res<()> {
        let binary = self.cx.binary;
        for node in &self.cfg.nodes {
            for inst in &binary.insts[node.insts.clone()] {
                if inst.op == Op::Variable {
                    self.variable(inst)?;
                    continue;
                }
                let is_phi = inst.op == Op::Phi && node.preds.len() > 1 && !is_remade(&self.cx.defs, inst);
                let is_kept = inst.result != 0 && self.scopes.kept.contains(&inst.result);
                if !is_phi && !is_kept {
                    continue;
                }
                let ty = match self.result_type(inst) {
                    Ok(ty) => ty,
                    Err(error) if is_phi => return Err(error),
                    // Its uses are refused.
                    Err(_) => continue,
                };
                let name = if is_phi { binary.name(inst.result) } else { "" };
                if is_phi {
                    let var = self.local(name, ty);
                    self.phi_vars.insert(inst.result, var);
                }
                if is_kept {
                    let var = self.local("", ty);
                    self.kept.insert(inst.result, var);
                }
            }
        }
        Ok(())
    }

    fn local(&mut self, name: &str, ty: Type) -> Var {
        let var = self.b.module.add_var(Name::temporary(name), ty, AddressSpace::Function);
        self.b.declare(var);
        var
    }

    fn variable(&mut self, inst: &Inst<'w>) -> Res<()> {
        let Some((_, pointee)) = self.cx.defs.pointer(inst.ty) else { return inst.invalid("its type is no pointer") };
        let ty = match self.cx.types.value(pointee) {
            // Nothing can use it.
            Ok(Type::VOID) => return Ok(()),
            Ok(ty) if self.b.module.types.is_opaque(ty) => return inst.unsupported("a variable of this type"),
            Ok(ty) if matches!(self.b.module.types[ty], TypeKind::RuntimeArray { .. }) => {
                return inst.unsupported("a variable without a size");
            }
            Ok(ty) => ty,
            Err(what) => return inst.unsupported(what),
        };
        let var = self.local(self.cx.binary.name(inst.result), ty);
        self.b.module.vars[var].span = self.span(inst);
        if let Some(&initial) = inst.operands.get(1) {
            let value = self.value(inst, initial)?;
            let value = self.adapt(inst, value, ty)?;
            match value.as_const() {
                Some(constant) => self.b.module.vars[var].initializer = Some(constant),
                None => self.b.store(var.into(), value),
            }
        }
        self.values.insert(inst.result, (Val::Pointer(var.into()), 0));
        Ok(())
    }

    // Places.

    /// Makes a block the current one.
    pub(crate) fn place(&mut self, block: usize) {
        self.scope = self.scopes.of(block);
    }

    fn span(&self, inst: &Inst<'_>) -> Span {
        self.line.unwrap_or_else(|| inst.span())
    }

    /// Puts the builder at an instruction.
    pub(crate) fn at(&mut self, inst: &Inst<'_>) {
        let span = self.span(inst);
        self.b.at(span);
    }

    // Ids.

    /// The meaning of an id here.
    pub(crate) fn val(&mut self, user: &Inst<'w>, id: u32) -> Res<Val> {
        let known = self.values.get(&id);
        if let Some((val, _)) = known.filter(|(_, scope)| self.scopes.sees(self.scope, *scope)) {
            return Ok(val.clone());
        }
        if known.is_some() {
            if let Some(&var) = self.kept.get(&id) {
                return Ok(Val::Value(self.b.load(var.into())));
            }
            let def = self.cx.binary.def(id).copied();
            if let Some(def) = def.filter(|def| is_remade(&self.cx.defs, def) && def.op != Op::Phi) {
                return self.make_again(&def);
            }
        }
        if self.is_inside
            && let Some(specialized) = self.cx.specialized.get(&id)
        {
            return match specialized {
                Some(var) => Ok(Val::Value(self.b.load((*var).into()))),
                None => self.specialized(user, id),
            };
        }
        if let Some(def) = self.cx.binary.def(id).copied()
            && matches!(def.op, Op::ConstantComposite | Op::SpecConstantComposite)
            && self.cx.defs.is_spirv(def.ty)
        {
            return self.make_again(&def.with_op(Op::CompositeConstruct));
        }
        if let Some(constant) = self.cx.consts.get(&id) {
            return constant.clone().map(|c| Val::Value(c.into()));
        }
        match self.cx.globals.get(&id) {
            Some(Ok(Global::Var(var))) => {
                let is_handle = self.b.module.vars[*var].space == AddressSpace::Handle;
                Ok(if is_handle { Val::Handle((*var).into()) } else { Val::Pointer((*var).into()) })
            }
            Some(Ok(Global::BuiltIns(vars))) => Ok(Val::BuiltIns(vars.clone())),
            Some(Ok(Global::Constant(id))) => Ok(Val::Constant(*id)),
            Some(Err(error)) => Err(error.clone()),
            None => user.invalid(&format!("%{id} is not defined before it is used")),
        }
    }

    /// An address, image or sampler of a place that is not visible here. Recursion: over the chain of definitions, which are not
    /// more than instructions of a block.
    fn make_again(&mut self, def: &Inst<'w>) -> Res<Val> {
        match self.compute(def)? {
            Some(Val::Value(value)) => {
                let ty = self.result_type(def)?;
                Ok(Val::Value(self.adapt(def, value, ty)?))
            }
            Some(val) => Ok(val),
            None => def.invalid("it has no result"),
        }
    }

    /// A value that is computed from specialization constants.
    fn specialized(&mut self, user: &Inst<'w>, id: u32) -> Res<Val> {
        let Some(def) = self.cx.binary.def(id).copied() else { return user.invalid("a constant is missing") };
        let def = match def.op {
            Op::SpecConstantOp => match Op::from_u32(def.word(0)?) {
                Some(op) => def.inner(op),
                None => return def.invalid("the operation is unknown"),
            },
            _ => def.with_op(Op::CompositeConstruct),
        };
        self.make_again(&def)
    }

    /// A value.
    pub(crate) fn value(&mut self, user: &Inst<'w>, id: u32) -> Res<Value> {
        match self.val(user, id)? {
            Val::Value(value) => Ok(value),
            _ => user.invalid(&format!("%{id} is no value")),
        }
    }

    /// The values of operands from one on.
    pub(crate) fn values(&mut self, user: &Inst<'w>, from: usize) -> Res<Vec<Value>> {
        user.rest(from).iter().map(|&id| self.value(user, id)).collect()
    }

    /// The value of an operand.
    pub(crate) fn operand(&mut self, inst: &Inst<'w>, index: usize) -> Res<Value> {
        self.value(inst, inst.word(index)?)
    }

    /// A constant integer, such as a scope.
    pub(crate) fn integer(&self, inst: &Inst<'w>, id: u32) -> Res<u32> {
        let value = self.cx.constant(inst, id)?;
        let consts = &self.b.module.consts;
        match consts.as_integer(&self.b.module.types, value).and_then(|n| u32::try_from(n).ok()) {
            Some(value) => Ok(value),
            None => inst.invalid(&format!("%{id} is no small integer constant")),
        }
    }

    /// The result type of an instruction.
    pub(crate) fn result_type(&self, inst: &Inst<'_>) -> Res<Type> {
        match self.cx.types.value(inst.ty) {
            Ok(Type::VOID) => inst.invalid("a result of type `void`"),
            Ok(ty) => Ok(ty),
            Err(what) => inst.unsupported(what),
        }
    }

    /// Type and address space of a pointer's target.
    pub(crate) fn pointee(&self, value: Value) -> Option<(Type, AddressSpace)> {
        self.b.module.types.pointee(self.b.type_of(value))
    }

    /// Gives the result of an instruction its meaning.
    pub(crate) fn define(&mut self, inst: &Inst<'w>, val: Val) -> Res<()> {
        let val = match val {
            Val::Value(value) => {
                let ty = self.result_type(inst)?;
                Val::Value(self.adapt(inst, value, ty)?)
            }
            other => other,
        };
        if let (Some(&var), Val::Value(value)) = (self.kept.get(&inst.result), &val) {
            self.b.store(var.into(), *value);
        }
        self.values.insert(inst.result, (val, self.scope));
        Ok(())
    }

    // Nodes.

    /// All results of a node.
    pub(crate) fn make_all(&mut self, inst: &Inst<'_>, request: Request<'_>) -> Res<Results> {
        match self.b.try_make(request) {
            Ok(results) => Ok(results),
            Err(error) => inst.invalid(&format!("its operands do not fit: {}", error.0)),
        }
    }

    /// The only result of a node.
    pub(crate) fn make(&mut self, inst: &Inst<'_>, request: Request<'_>) -> Res<Value> {
        match self.make_all(inst, request)?[..] {
            [value] => Ok(value),
            _ => inst.invalid("it has no single result"),
        }
    }

    pub(crate) fn op(&mut self, inst: &Inst<'_>, op: Ir, args: &[Value]) -> Res<Value> {
        self.make(inst, Request::new(op, args))
    }

    pub(crate) fn op_imm(&mut self, inst: &Inst<'_>, op: Ir, imm: impl Into<Imm>, args: &[Value]) -> Res<Value> {
        self.make(inst, Request::new(op, args).imm(imm))
    }

    pub(crate) fn op_typed(&mut self, inst: &Inst<'_>, op: Ir, args: &[Value], ty: Type) -> Res<Value> {
        self.make(inst, Request::new(op, args).ty(ty))
    }

    /// The value as another type of the same bits: integers of the other sign, structs and arrays of the same parts.
    /// Recursion: over the type.
    pub(crate) fn adapt(&mut self, inst: &Inst<'_>, value: Value, ty: Type) -> Res<Value> {
        let from = self.b.type_of(value);
        if from == ty {
            return Ok(value);
        }
        let types = &self.b.module.types;
        let op = match (&types[from], &types[ty]) {
            (TypeKind::Scalar(_), TypeKind::Scalar(_)) | (TypeKind::Vector(..), TypeKind::Vector(..)) => {
                return self.op_typed(inst, Ir::Bitcast, &[value], ty);
            }
            (TypeKind::Struct(_), TypeKind::Struct(_)) => Ir::ConstructStruct,
            (TypeKind::Array { .. }, TypeKind::Array { len, .. }) if *len <= 1024 => Ir::ConstructArray,
            _ => return inst.invalid("a value does not have the type that it must have"),
        };
        let count = types.part_count(ty).unwrap_or(0);
        if types.part_count(from) != Some(count) {
            return inst.invalid("a value does not have the type that it must have");
        }
        let mut parts = vec![];
        for i in 0..count {
            let part = match op {
                Ir::ConstructStruct => self.op_imm(inst, Ir::ExtractStructField, Imm::index(i), &[value])?,
                _ => {
                    let index = self.b.u32(i);
                    self.op(inst, Ir::ExtractArrayElement, &[value, index])?
                }
            };
            let Some(wanted) = self.b.module.types.part(ty, i) else { return inst.invalid("a part is missing") };
            parts.push(self.adapt(inst, part, wanted)?);
        }
        self.op_typed(inst, op, &parts, ty)
    }

    // Instructions.

    /// Translates an instruction.
    pub(crate) fn instruction(&mut self, inst: &Inst<'w>) -> Res<()> {
        if let Some(val) = self.compute(inst)? {
            self.define(inst, val)?;
        }
        Ok(())
    }

    /// The value of an instruction on constants.
    pub(crate) fn constant(&mut self, inst: &Inst<'w>) -> Res<Value> {
        match self.compute(inst)? {
            Some(Val::Value(value)) => {
                let ty = self.result_type(inst)?;
                self.adapt(inst, value, ty)
            }
            _ => inst.invalid("it is no operation on constants"),
        }
    }

    /// Translates an instruction; the meaning of its result, if it has one.
    fn compute(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        let is_precise = inst.result != 0 && self.cx.binary.has(inst.result, Decoration::NoContraction);
        let before = self.b.set_precise(is_precise);
        let val = match self.is_of_spirv_types(inst) {
            true => self.spirv_instruction(inst),
            false => self.compute_kind(inst).or_else(|error| self.otherwise(inst, error)),
        };
        self.b.set_precise(before);
        val
    }

    fn compute_kind(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        if let Some(val) = self.reference(inst)? {
            return Ok(val);
        }
        if let Some(value) = self.arithmetic(inst)? {
            return Ok(Some(Val::Value(value)));
        }
        if let Some(value) = self.composite(inst)? {
            return Ok(Some(Val::Value(value)));
        }
        match inst.op {
            Op::Undef => {
                let ty = self.result_type(inst)?;
                Ok(Some(Val::Value(zero(self.b.module, inst, ty)?.into())))
            }
            Op::CopyObject => Ok(Some(self.val(inst, inst.word(0)?)?)),
            Op::ExtInst => match self.cx.binary.sets.get(&inst.word(0)?) {
                Some(ExtSet::Glsl) => self.extended(inst),
                Some(ExtSet::NonSemantic | ExtSet::Debug) => Ok(None),
                _ => inst.unsupported("an instruction of this set"),
            },
            Op::FunctionCall => self.call(inst),
            Op::Phi => Ok(Some(self.val(inst, inst.word(0)?)?)),
            _ if is_image(inst.op) => self.image(inst),
            _ if is_atomic(inst.op) => self.atomic(inst),
            _ if subgroups::is_subgroup(inst.op) => self.subgroup(inst),
            _ => self.memory(inst),
        }
    }

    fn call(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        let callee = inst.word(0)?;
        let func = match self.cx.funcs.get(&callee) {
            Some(Ok(func)) => *func,
            Some(Err(error)) => return Err(error.clone()),
            None => return inst.invalid(&format!("%{callee} is no function")),
        };
        let params: Vec<Type> = self.b.module.funcs[func].params.iter().map(|p| p.ty).collect();
        let mut operands = vec![Value::from(func)];
        for (i, &id) in inst.rest(1).iter().enumerate() {
            let value = match self.val(inst, id)? {
                Val::Value(value) => match params.get(i) {
                    Some(&ty) => self.adapt(inst, value, ty)?,
                    None => value,
                },
                Val::Pointer(address) | Val::Handle(address) => address,
                Val::Sampled(..) => return inst.unsupported("an image and a sampler as one argument"),
                Val::Texel(..) | Val::SpirvTexel(..) | Val::BuiltIns(_) | Val::Constant(_) => {
                    return inst.unsupported("a pointer to this as an argument");
                }
            };
            operands.push(value);
        }
        let results = self.make_all(inst, Request::new(Ir::Call, &operands))?;
        Ok(results.first().map(|&value| Val::Value(value)))
    }
}

fn is_image(op: Op) -> bool {
    let name = op as u32;
    (Op::SampledImage as u32..=Op::ImageQuerySamples as u32).contains(&name)
        || matches!(op, Op::ImageTexelPointer)
        || (Op::ImageSparseSampleImplicitLod as u32..=Op::ImageSparseRead as u32).contains(&name)
}

fn is_atomic(op: Op) -> bool {
    (Op::AtomicLoad as u32..=Op::AtomicXor as u32).contains(&(op as u32))
        || matches!(
            op,
            Op::ControlBarrier
                | Op::MemoryBarrier
                | Op::AtomicFAddEXT
                | Op::AtomicFMinEXT
                | Op::AtomicFMaxEXT
                | Op::DemoteToHelperInvocation
                | Op::IsHelperInvocationEXT
                | Op::BeginInvocationInterlockEXT
                | Op::EndInvocationInterlockEXT
                | Op::EmitVertex
                | Op::EndPrimitive
        )
}
