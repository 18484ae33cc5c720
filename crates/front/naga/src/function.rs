//! The body of a function: values of naga's expressions at the builder's insertion point.
//!
//! naga defines the point of evaluation of most expressions (`Emit`); their values are cached. The others (constants,
//! addresses of variables, arguments) cost nothing and are rebuilt at each use.

use naga::{Expression, Handle};
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::Name;
use planish_ir::entity::{Func, Type, Value, Var};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{AddressSpace, TypeKind};
use rustc_hash::FxHashMap;

use crate::entry::Outputs;
use crate::module::{Lower, Maps, zero};
use crate::overrides::OverrideValue;
use crate::statements::{Carry, Label};

/// A function that is being lowered, or the module's own scope.
pub(crate) struct Scope<'a, 'n> {
    pub(crate) maps: &'a Maps<'n>,
    pub(crate) b: Builder<'a, 'static>,
    pub(crate) function: Option<&'n naga::Function>,
    pub(crate) expressions: &'n naga::Arena<Expression>,
    /// Values of the arguments; of handles their addresses.
    pub(crate) arguments: Vec<Value>,
    locals: Vec<Var>,
    values: Vec<Option<Value>>,
    /// Variables that pass values from a loop's body to its continuing block.
    pub(crate) carried: FxHashMap<Handle<Expression>, Carry>,
    /// Loops and switches around, innermost last.
    pub(crate) labels: Vec<Label>,
    /// Destination of the entry point's result.
    pub(crate) outputs: Option<Outputs>,
}

impl<'a, 'n> Scope<'a, 'n> {
    /// The value of an expression in the module's own scope.
    pub(crate) fn global_expression(
        maps: &'a Maps<'n>,
        module: &'a mut Module,
        handle: Handle<Expression>,
    ) -> Lower<Value> {
        let b = Builder::outside(module, Policy::PLAIN);
        Self::new(maps, b, None, &maps.naga.global_expressions).expression(handle)
    }

    fn new(
        maps: &'a Maps<'n>,
        b: Builder<'a, 'static>,
        function: Option<&'n naga::Function>,
        expressions: &'n naga::Arena<Expression>,
    ) -> Self {
        Scope {
            maps,
            b,
            function,
            expressions,
            arguments: Vec::new(),
            locals: Vec::new(),
            // The module's own scope has its values in `maps`.
            values: vec![None; if function.is_some() { expressions.len() } else { 0 }],
            carried: FxHashMap::default(),
            labels: Vec::new(),
            outputs: None,
        }
    }

    /// Lowers a function that is no entry point.
    pub(crate) fn lower_function(
        maps: &'a Maps<'n>,
        module: &'a mut Module,
        func: Func,
        function: &'n naga::Function,
    ) -> Lower<()> {
        let count = module.funcs[func].params.len();
        let b = Builder::new(module, func, Policy::PLAIN);
        let mut scope = Scope::new(maps, b, Some(function), &function.expressions);
        scope.arguments = (0..count).map(|i| scope.b.param(i)).collect();
        scope.lower_body(function)
    }

    /// Lowers an entry point; `enter` loads its arguments.
    pub(crate) fn lower_entry(
        maps: &'a Maps<'n>,
        module: &'a mut Module,
        func: Func,
        function: &'n naga::Function,
        outputs: Outputs,
        enter: impl FnOnce(&mut Builder<'_, '_>) -> Vec<Value>,
    ) -> Lower<()> {
        let b = Builder::new(module, func, Policy::PLAIN);
        let mut scope = Scope::new(maps, b, Some(function), &function.expressions);
        scope.arguments = enter(&mut scope.b);
        scope.outputs = Some(outputs);
        scope.lower_body(function)
    }

    fn lower_body(mut self, function: &'n naga::Function) -> Lower<()> {
        self.declare_locals(function)?;
        self.block(&function.body)?;
        if self.b.is_open() {
            self.fall_off_the_end(function);
        }
        self.b.finish();
        Ok(())
    }

    /// Ends a body without a `return`: unreachable for a function with a result.
    fn fall_off_the_end(&mut self, function: &naga::Function) {
        let zero = match (&self.outputs, &function.result) {
            (None, Some(result)) => {
                let ty = self.maps.types.get(result.ty).ok();
                ty.and_then(|ty| self.b.module.consts.zero(&mut self.b.module.types, ty))
            }
            _ => None,
        };
        match zero {
            Some(zero) => self.b.ret(&[zero.into()]),
            None => self.b.ret(&[]),
        }
    }

    fn declare_locals(&mut self, function: &'n naga::Function) -> Lower<()> {
        for (handle, local) in function.local_variables.iter() {
            let span = function.local_variables.get_span(handle);
            let ty = self.maps.ty(local.ty, span)?;
            let initial = match local.init {
                Some(init) => Some(self.value(init)?),
                None => zero(self.maps, self.b.module, ty, span)?.map(Value::from),
            };
            let name = Name::temporary(local.name.as_deref().unwrap_or(""));
            let var = self.b.module.add_var(name, ty, AddressSpace::Function);
            self.b.module.vars[var].span = self.maps.source.span(span);
            self.b.module.vars[var].initializer = initial.and_then(Value::as_const);
            self.b.declare(var);
            // An override's value is not a constant here.
            if let Some(initial) = initial.filter(|v| v.as_const().is_none()) {
                self.b.store(var.into(), initial);
            }
            self.locals.push(var);
        }
        Ok(())
    }

    /// naga's span of an expression.
    pub(crate) fn span(&self, handle: Handle<Expression>) -> naga::Span {
        self.expressions.get_span(handle)
    }

    /// Puts the builder at an expression's place in the source.
    pub(crate) fn at(&mut self, span: naga::Span) {
        let span = self.maps.source.span(span);
        self.b.at(span);
    }

    /// The value of an expression: of a pointer or a handle the address.
    pub(crate) fn value(&mut self, handle: Handle<Expression>) -> Lower<Value> {
        if let Some(Some(value)) = self.values.get(handle.index()) {
            return Ok(*value);
        }
        if self.function.is_none() {
            // Operands are older, and constant or not supported.
            return self.maps.global_value(handle).map(Value::from);
        }
        let value = self.expression(handle)?;
        // Only values without a node may be used anywhere in the function.
        if value.as_local().is_none() {
            self.values[handle.index()] = Some(value);
        }
        Ok(value)
    }

    /// Evaluates an expression here, and caches its value.
    pub(crate) fn emit(&mut self, handle: Handle<Expression>) -> Lower<()> {
        let value = self.expression(handle)?;
        self.define(handle, value);
        Ok(())
    }

    /// Keeps the value of an expression.
    pub(crate) fn define(&mut self, handle: Handle<Expression>, value: Value) {
        self.values[handle.index()] = Some(value);
        let Some(carry) = self.carried.get(&handle).copied() else { return };
        let ty = self.b.type_of(value);
        if value.as_local().is_none() || self.b.module.types.pointee(ty).is_some() {
            return;
        }
        let var = self.b.module.add_var(Name::temporary(""), ty, AddressSpace::Function);
        self.b.block_mut(carry.block).variables.push(var);
        self.b.store(var.into(), value);
        self.carried.insert(handle, Carry { var: Some(var), ..carry });
    }

    /// Forgets the value of an expression that is no longer visible.
    pub(crate) fn forget(&mut self, handle: Handle<Expression>) {
        self.values[handle.index()] = None;
    }

    /// The address of a module-scope variable.
    pub(crate) fn global_address(&mut self, handle: Handle<naga::GlobalVariable>) -> Lower<Value> {
        let global = self.maps.global(handle)?;
        let address = Value::from(global.var);
        if global.wrapped {
            return Ok(self.b.op_imm(Op::AccessStructField, Imm::index(0), &[address]));
        }
        Ok(address)
    }

    /// The address of a local variable.
    pub(crate) fn local_address(&self, handle: Handle<naga::LocalVariable>) -> Value {
        self.locals[handle.index()].into()
    }

    /// The value of an override.
    pub(crate) fn override_value(&mut self, handle: Handle<naga::Override>) -> Lower<Value> {
        Ok(match self.maps.override_value(handle)? {
            OverrideValue::Constant(value) => value.into(),
            OverrideValue::Var(specialized) => self.b.load(specialized.var.into()),
            OverrideValue::Computed(expression) if self.function.is_some() => self.computed_here(expression)?,
            OverrideValue::Computed(expression) => self.maps.global_value(expression)?.into(),
        })
    }

    /// Computes an expression of the module's own scope in this function.
    /// Recursion: over expressions, whose depth naga limits, and the overrides in them, each of which is computed from earlier ones.
    fn computed_here(&mut self, expression: Handle<Expression>) -> Lower<Value> {
        let global = &self.maps.naga.global_expressions;
        let own = std::mem::replace(&mut self.expressions, global);
        let values = std::mem::replace(&mut self.values, vec![None; global.len()]);
        let value = self.expression(expression);
        (self.expressions, self.values) = (own, values);
        value
    }

    /// Loads from an address. A whole interface block is loaded as the value struct that it was derived from.
    pub(crate) fn load(&mut self, pointer: Value) -> Value {
        let Some((pointee, members)) = self.block_parts(pointer) else { return self.b.load(pointer) };
        let parts: Vec<Value> = (0..members)
            .map(|i| {
                let part = self.b.op_imm(Op::AccessStructField, Imm::index(i), &[pointer]);
                self.b.load(part)
            })
            .collect();
        self.b.op_typed(Op::ConstructStruct, &parts, pointee)
    }

    /// Whether a pointer is to an atomic.
    pub(crate) fn is_atomic(&self, pointer: Handle<Expression>) -> bool {
        let mut members = vec![];
        let mut at = pointer;
        let root = loop {
            at = match self.expressions[at] {
                Expression::Access { base, .. } => {
                    members.push(None);
                    base
                }
                Expression::AccessIndex { base, index } => {
                    members.push(Some(index));
                    base
                }
                Expression::GlobalVariable(global) => break Some(self.maps.naga.global_variables[global].ty),
                Expression::FunctionArgument(argument) => {
                    let argument = self.function.and_then(|f| f.arguments.get(argument as usize));
                    break argument.and_then(|argument| match self.maps.naga.types[argument.ty].inner {
                        naga::TypeInner::Pointer { base, .. } => Some(base),
                        naga::TypeInner::ValuePointer { .. } => None,
                        _ => Some(argument.ty),
                    });
                }
                _ => break None,
            }
        };
        let Some(mut ty) = root else { return false };
        for member in members.into_iter().rev() {
            ty = match (&self.maps.naga.types[ty].inner, member) {
                (naga::TypeInner::Array { base, .. } | naga::TypeInner::BindingArray { base, .. }, _) => *base,
                (naga::TypeInner::Struct { members, .. }, Some(index)) => match members.get(index as usize) {
                    Some(member) => member.ty,
                    None => return false,
                },
                _ => return false,
            };
        }
        matches!(self.maps.naga.types[ty].inner, naga::TypeInner::Atomic(_))
    }

    /// An atomic load.
    pub(crate) fn atomic_load(&mut self, pointer: Value) -> Value {
        let Some((ty, _)) = self.b.module.types.pointee(self.b.type_of(pointer)) else { return self.b.load(pointer) };
        let (operand, is_sum) = self.b.module.atomic_load_operand(ty);
        self.b.op(if is_sum { Op::AtomicAdd } else { Op::AtomicOr }, &[pointer, operand.into()])
    }

    /// Stores to an address; to an interface block member by member.
    pub(crate) fn store(&mut self, pointer: Value, value: Value) {
        let Some((_, members)) = self.block_parts(pointer) else { return self.b.store(pointer, value) };
        for i in 0..members {
            let part = self.b.op_imm(Op::AccessStructField, Imm::index(i), &[pointer]);
            let member = self.b.op_imm(Op::ExtractStructField, Imm::index(i), &[value]);
            self.b.store(part, member);
        }
    }

    /// For a pointer to a whole interface block: the struct of the same members, and their number.
    fn block_parts(&mut self, pointer: Value) -> Option<(Type, u32)> {
        let (pointee, _) = self.b.module.types.pointee(self.b.type_of(pointer))?;
        let plain = self.maps.value_struct(pointee)?;
        Some((plain, self.b.module.types.part_count(plain)?))
    }

    /// The type of a value.
    pub(crate) fn kind(&self, value: Value) -> &TypeKind {
        &self.b.module.types[self.b.type_of(value)]
    }

    /// Type and address space of a pointer's target.
    pub(crate) fn pointee(&self, value: Value) -> Option<(Type, AddressSpace)> {
        self.b.module.types.pointee(self.b.type_of(value))
    }
}
