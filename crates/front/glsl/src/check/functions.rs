//! Functions: prototypes, definitions, overload sets, recursion.

use planish_ir::decoration::{Decoration, Name as IrName, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type, Value};
use planish_ir::function::{Direction, Param as IrParam, ResultType};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::instances::Path;
use super::names::{Access, Entity};
use super::operand::Operand;
use super::{Checked, Checker, Frame, Reported};
use crate::ast::*;
use crate::builtins;
use crate::symbol::{Symbol, sym};

/// A parameter of a user function.
#[derive(Clone, Copy, Debug)]
pub(super) struct UserParam {
    /// The type of the value.
    pub(super) ty: Type,
    pub(super) direction: Direction,
    pub(super) precision: Precision,
    pub(super) is_opaque: bool,
    is_const: bool,
}

/// A function that the shader declares.
#[derive(Debug)]
pub(super) struct UserFunction {
    pub(super) name: Symbol,
    pub(super) params: SmallVec<[UserParam; 4]>,
    pub(super) result: Type,
    pub(super) result_precision: Precision,
    pub(super) func: Func,
    pub(super) declared: Span,
    pub(super) defined: Option<Span>,
    /// Callees, and spans of the calls.
    pub(super) callees: Vec<(u32, Span)>,
}

impl UserFunction {
    /// A function without parameters that the front end wrote itself; it calls `callee`.
    pub(super) fn synthetic(name: Symbol, func: Func, callee: u32) -> Self {
        UserFunction {
            name,
            params: SmallVec::new(),
            result: Type::VOID,
            result_precision: Precision::None,
            func,
            declared: Span::NONE,
            defined: Some(Span::NONE),
            callees: vec![(callee, Span::NONE)],
        }
    }

    /// The `out` and `inout` parameters, as a bit set.
    pub(super) fn out_mask(&self) -> u32 {
        let outs = self.params.iter().enumerate().filter(|(_, p)| p.direction != Direction::In);
        outs.fold(0, |mask, (i, _)| mask | 1u32.checked_shl(i as u32).unwrap_or(0))
    }
}

impl<'a> Checker<'a, '_> {
    /// `float f(vec2 p)`, for messages.
    pub(super) fn signature(&self, function: &UserFunction) -> String {
        let params: Vec<String> = function
            .params
            .iter()
            .map(|p| {
                let direction = match p.direction {
                    Direction::In => "",
                    Direction::Out => "out ",
                    Direction::InOut | Direction::NoAlias => "inout ",
                };
                format!("{direction}{}", self.type_name(p.ty))
            })
            .collect();
        format!("{} {}({})", self.type_name(function.result), self.text(function.name), params.join(", "))
    }

    /// A prototype or definition.
    pub(super) fn function(&mut self, id: FunctionId, body: Option<StmtId>) {
        let index = self.declare_function(id);
        if let (Ok(index), true) = (index, self.flatten_next.take().is_some()) {
            let func = self.functions[index as usize].func;
            self.b.module.funcs[func].decorations.add(Decoration::Flatten);
        }
        if let (Ok(index), Some(body)) = (index, body) {
            self.define_function(index, id, body);
        }
    }

    fn declare_function(&mut self, id: FunctionId) -> Checked<u32> {
        let proto = self.ast[id];
        let name = proto.name;
        let (result, result_precision) = self.function_result(&proto)?;
        let mut params: SmallVec<[UserParam; 4]> = SmallVec::new();
        let mut failed = false;
        for param in &self.ast[proto.params] {
            match self.parameter(param) {
                Ok(param) => params.push(param),
                Err(Reported) => failed = true,
            }
        }
        if failed {
            self.poison(name);
            return Err(Reported);
        }
        self.check_function_name(name, &params)?;
        let set = self.overload_set(name)?;
        let same = self.overloads[set as usize]
            .iter()
            .copied()
            .find(|&f| self.functions[f as usize].params.iter().map(|p| p.ty).eq(params.iter().map(|p| p.ty)));
        if let Some(index) = same {
            let checked = self.check_redeclaration(index, &params, result, name.span);
            if checked.is_err() {
                // Avoids a second error about a missing definition.
                self.functions[index as usize].defined.get_or_insert(name.span);
            }
            return checked.map(|()| index);
        }
        if name.symbol == sym::MAIN {
            self.check_main(&params, result, proto.span);
        }
        let func = self.make_func(&proto, &params, result, result_precision);
        let index = self.functions.len() as u32;
        self.functions.push(UserFunction {
            name: name.symbol,
            params,
            result,
            result_precision,
            func,
            declared: name.span,
            defined: None,
            callees: vec![],
        });
        self.overloads[set as usize].push(index);
        Ok(index)
    }

    fn function_result(&mut self, proto: &FunctionProto) -> Checked<(Type, Precision)> {
        let result = self.type_spec(proto.ty);
        let Ok(ty) = result else {
            self.poison(proto.name);
            return Err(Reported);
        };
        let span = self.ast[proto.ty].span;
        let q = self.qualifiers(proto.qualifiers);
        self.expect_only(&q, "a function", &[]);
        if ty != Type::VOID && (!self.is_plain_data(ty) || self.is_unsized(ty)) {
            let name = self.type_name(ty);
            return Err(self.fail(Code::E0405, span, format!("a function cannot return `{name}`")));
        }
        if self.version.is_es_100() && self.contains_array(ty) {
            let name = self.type_name(ty);
            return Err(self.fail(
                Code::E0405,
                span,
                format!("a function cannot return `{name}` in GLSL ES 1.00, as it holds an array"),
            ));
        }
        let written = self.written_precision(&q);
        let precision = if ty == Type::VOID { Precision::None } else { self.precision_for(ty, written, span) };
        Ok((ty, precision))
    }

    fn parameter(&mut self, param: &Param) -> Checked<UserParam> {
        let base = self.type_spec(param.ty)?;
        let ty = self.with_dims(base, param.dims)?;
        let q = self.qualifiers(param.qualifiers);
        self.check_parameter_qualifiers(&q);
        let is_opaque = self.is_opaque(ty);
        let direction = q.direction();
        if ty == Type::VOID {
            return Err(self.fail(Code::E0312, param.span, "a parameter cannot be `void`"));
        }
        if self.is_unsized(ty) {
            return Err(self.fail(Code::E0411, param.span, "a parameter that is an array needs a size"));
        }
        if is_opaque && direction != Direction::In {
            let name = self.type_name(ty);
            return Err(self.fail(Code::E0405, param.span, format!("a parameter of type `{name}` can only be `in`")));
        }
        let ty = if is_opaque { self.with_format(ty, &q) } else { ty };
        let precision = self.precision_for(ty, self.written_precision(&q), param.span);
        Ok(UserParam { ty, direction, precision, is_opaque, is_const: q.is_const.is_some() })
    }

    fn make_func(
        &mut self,
        proto: &FunctionProto,
        params: &[UserParam],
        result: Type,
        result_precision: Precision,
    ) -> Func {
        let ir_params: Vec<IrParam> = params
            .iter()
            .zip(&self.ast[proto.params])
            .map(|(p, ast)| IrParam {
                name: IrName::temporary(ast.name.map_or("", |n| self.program.interner.resolve(n.symbol))),
                ty: self.ir_param_type(p),
                precision: p.precision,
                direction: p.direction,
                span: ast.span,
            })
            .collect();
        let results =
            if result == Type::VOID { vec![] } else { vec![ResultType { ty: result, precision: result_precision }] };
        let name = IrName::temporary(self.text(proto.name.symbol));
        self.b.module.add_func(name, ir_params, results, proto.span)
    }

    fn ir_param_type(&mut self, param: &UserParam) -> Type {
        let types = &mut self.b.module.types;
        match param.direction {
            _ if param.is_opaque => types.pointer(param.ty, AddressSpace::Handle),
            Direction::In => param.ty,
            _ => types.pointer(param.ty, AddressSpace::Function),
        }
    }

    // ------------------------------------------------------------------------------------------ names

    /// Makes a name an error, so that its uses are not reported.
    fn poison(&mut self, name: Name) {
        if self.scopes.lookup_global(name.symbol).is_none() {
            self.scopes.insert(name.symbol, Entity::Error, name.span, false);
        }
    }

    fn overload_set(&mut self, name: Name) -> Checked<u32> {
        match self.scopes.lookup_here(name.symbol).map(|b| (b.entity, b.span)) {
            Some((Entity::Functions(set), _)) => Ok(set),
            Some((Entity::Error, _)) => Err(Reported),
            Some((_, span)) => Err(self.defined_twice(name, span)),
            None => {
                let set = self.overloads.len() as u32;
                self.overloads.push(vec![]);
                self.declare_name(name, Entity::Functions(set), false);
                Ok(set)
            }
        }
    }

    /// ES 3.00 and later keep the names of built-in functions; ES 1.00 keeps their signatures.
    fn check_function_name(&mut self, name: Name, params: &[UserParam]) -> Checked<()> {
        if !self.is_es() {
            return Ok(());
        }
        let text = self.text(name.symbol);
        if !builtins::is_builtin_name(text) {
            return Ok(());
        }
        let operands = params.iter().map(|p| Operand::value(planish_ir::entity::Const::FALSE, p.ty)).collect();
        let same = self.has_builtin_signature(name.symbol, &operands);
        let taken = if self.version.is_es_100() { same == Some(true) } else { same.is_some() };
        if !taken {
            return Ok(());
        }
        let version = self.version;
        self.poison(name);
        Err(self.error(
            Diagnostic::error(Code::E0412, name.span, format!("`{text}` is a built-in function of {version}"))
                .label("it cannot be declared again")
                .help("give the function another name"),
        ))
    }

    fn check_redeclaration(&mut self, index: u32, params: &[UserParam], result: Type, span: Span) -> Checked<()> {
        let function = &self.functions[index as usize];
        let earlier = function.declared;
        let message = if function.result != result {
            "the function was declared with another result type"
        } else if function.params.iter().map(|p| p.direction).ne(params.iter().map(|p| p.direction)) {
            "the function was declared with other parameter qualifiers"
        } else {
            return Ok(());
        };
        Err(self.error(Diagnostic::error(Code::E0410, span, message).also(earlier, "declared first here")))
    }

    fn check_main(&mut self, params: &[UserParam], result: Type, span: Span) {
        if !params.is_empty() || result != Type::VOID {
            self.error(
                Diagnostic::error(Code::E0502, span, "`main` takes nothing and returns nothing")
                    .help("write `void main()`"),
            );
        }
    }

    // ------------------------------------------------------------------------------------------ definitions

    fn define_function(&mut self, index: u32, id: FunctionId, body: StmtId) {
        let proto = self.ast[id];
        let function = &mut self.functions[index as usize];
        if let Some(earlier) = function.defined.replace(proto.name.span) {
            let text = self.text(proto.name.symbol);
            self.error(
                Diagnostic::error(Code::E0304, proto.name.span, format!("the function `{text}` is defined twice"))
                    .also(earlier, "defined first here"),
            );
            return;
        }
        let func = function.func;
        for (ir, ast) in self.b.module.funcs[func].params.iter_mut().zip(&self.ast[proto.params]) {
            if let Some(name) = ast.name {
                ir.name = IrName::temporary(self.program.interner.resolve(name.symbol));
            }
        }
        self.note_definition(index, id, body);
        self.lower_function(index, func, id, body, &[]);
    }

    /// Lowers the body of a function into `func`; some parameters may be bound to parts of global variables.
    pub(super) fn lower_function(
        &mut self,
        index: u32,
        func: Func,
        id: FunctionId,
        body: StmtId,
        paths: &[Option<Path>],
    ) {
        let proto = self.ast[id];
        let function = &self.functions[index as usize];
        let (result, name, params) = (function.result, function.name, function.params.clone());
        self.frame = Frame { function: Some(index), result: Some(result), reachable: true, ..Frame::default() };
        self.b.begin(Some(func));
        self.push_scope();
        if name == sym::MAIN {
            self.initialize_globals();
        }
        self.parameters(&proto, &params, body, paths);
        self.body(body);
        self.end_function(body, result);
        self.pop_scope();
        self.b.begin(None);
        self.frame = Frame { reachable: true, ..Frame::default() };
    }

    /// The body shares the scope of the parameters from ES 3.00 and desktop 1.30 on.
    fn body(&mut self, body: StmtId) {
        if let StmtKind::Compound(list) = self.ast[body].kind
            && self.version.at_least(300, 420)
        {
            return self.statements(list);
        }
        self.statement(body);
    }

    /// Ends a body whose end may be reached.
    fn end_function(&mut self, body: StmtId, result: Type) {
        let end = self.ast[body].span;
        self.b.at(Span::new(end.end.saturating_sub(1), end.end));
        if result == Type::VOID {
            self.b.ret(&[]);
            return;
        }
        if !self.frame.returns {
            self.never_returns(result);
        }
        // GLSL leaves the value undefined where the end is reached; here it is zero.
        let module = &mut *self.b.module;
        match module.consts.zero(&mut module.types, result) {
            Some(zero) => self.b.ret(&[zero.into()]),
            None => self.b.ret(&[]),
        }
    }

    #[cold]
    fn never_returns(&mut self, result: Type) {
        let Some(index) = self.frame.function else { return };
        let function = &self.functions[index as usize];
        let (text, span) = (self.text(function.name), function.defined.unwrap_or(function.declared));
        let name = self.type_name(result);
        self.error(
            Diagnostic::error(Code::E0313, span, format!("`{text}` returns `{name}`, but has no `return`"))
                .help("return a value at its end, or make it `void`"),
        );
    }

    fn parameters(&mut self, proto: &FunctionProto, params: &[UserParam], body: StmtId, paths: &[Option<Path>]) {
        let written = if params.iter().any(|p| p.direction == Direction::In && !p.is_const) {
            self.written_names(body)
        } else {
            FxHashSet::default()
        };
        let mut passed = 0;
        let mut next_index = params.len() - paths.iter().flatten().count();
        for (i, (param, ast)) in params.iter().zip(&self.ast[proto.params]).enumerate() {
            let path = paths.get(i).and_then(Option::as_ref);
            let position = passed;
            passed += usize::from(path.is_none());
            if let Some(path) = path {
                self.b.at(ast.span);
                let address = self.address_of(path, &mut next_index);
                let entity = Entity::Variable { address, ty: path.ty, access: Access::Opaque };
                if let Some(name) = ast.name {
                    self.declare_name(name, entity, false);
                }
                continue;
            }
            let Some(name) = ast.name else { continue };
            let value = self.b.param(position);
            let entity = if param.is_opaque {
                Entity::Variable { address: value, ty: param.ty, access: Access::Opaque }
            } else if param.direction != Direction::In {
                Entity::Variable { address: value, ty: param.ty, access: Access::ReadWrite }
            } else if !param.is_const && (written.contains(&name.symbol) || self.contains_array(param.ty)) {
                self.parameter_variable(name, param, value)
            } else {
                Entity::Value { value, ty: param.ty }
            };
            self.declare_name(name, entity, false);
        }
    }

    /// A local variable that begins with a parameter's value.
    fn parameter_variable(&mut self, name: Name, param: &UserParam, value: Value) -> Entity {
        let ir_name = IrName::temporary(self.text(name.symbol));
        let var = self.b.module.add_var(ir_name, param.ty, AddressSpace::Function);
        let data = &mut self.b.module.vars[var];
        data.precision = param.precision;
        data.span = name.span;
        self.b.declare(var);
        self.b.at(name.span);
        self.b.store(var.into(), value);
        Entity::Variable { address: var.into(), ty: param.ty, access: Access::ReadWrite }
    }

    /// Names that a body may write to: targets of assignments and what is given to `out` parameters.
    pub(super) fn written_names(&self, body: StmtId) -> FxHashSet<Symbol> {
        let mut names = FxHashSet::default();
        self.for_each_expr_of(body, &mut |expr| match self.ast[expr].kind {
            ExprKind::Assign { target, .. } => names.extend(self.root(target)),
            ExprKind::Postfix { operand, .. }
            | ExprKind::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement, operand } => {
                names.extend(self.root(operand));
            }
            ExprKind::Call { callee, args } => {
                if let ExprKind::Name(symbol) = self.ast[callee].kind
                    && self.effects.callee_writes_arguments(symbol)
                {
                    names.extend(self.ast[args].iter().filter_map(|&a| self.root(a)));
                }
            }
            _ => {}
        });
        names
    }

    /// Calls `visit` with every expression of a statement, those of initializers included.
    fn for_each_expr_of(&self, statement: StmtId, visit: &mut dyn FnMut(ExprId)) {
        let ast = self.ast;
        let mut pending = vec![statement];
        while let Some(id) = pending.pop() {
            let mut expr = |e: ExprId| ast.for_each_expr_in(e, &mut *visit);
            match ast[id].kind {
                StmtKind::Compound(list) => pending.extend(&ast[list]),
                StmtKind::Decl(decl) => {
                    if let DeclKind::Variables { declarators, .. } = ast[decl].kind {
                        ast[declarators].iter().filter_map(|d| d.init).for_each(expr);
                    }
                }
                StmtKind::Expr(e) | StmtKind::Case(e) => expr(e),
                StmtKind::If { condition, accept, reject } => {
                    expr(condition);
                    pending.push(accept);
                    pending.extend(reject);
                }
                StmtKind::Switch { selector, body } => {
                    expr(selector);
                    pending.extend(&ast[body]);
                }
                StmtKind::While { condition, body } => pending.extend([condition, body]),
                StmtKind::DoWhile { body, condition } => {
                    expr(condition);
                    pending.push(body);
                }
                StmtKind::For { init, condition, step, body } => {
                    step.into_iter().for_each(expr);
                    pending.extend([init, body]);
                    pending.extend(condition);
                }
                StmtKind::Return(value) => value.into_iter().for_each(expr),
                _ => {}
            }
        }
    }

    // ------------------------------------------------------------------------------------------ recursion

    /// Reports a cycle of calls, by an iterative depth-first search.
    pub(super) fn check_recursion(&mut self) {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut state = vec![NEW; self.functions.len()];
        for start in 0..self.functions.len() {
            if state[start] != NEW {
                continue;
            }
            let mut path: Vec<(usize, usize)> = vec![(start, 0)];
            state[start] = OPEN;
            while let Some((at, next)) = path.last_mut() {
                let Some(&(callee, span)) = self.functions[*at].callees.get(*next) else {
                    state[*at] = DONE;
                    path.pop();
                    continue;
                };
                *next += 1;
                let callee = callee as usize;
                if state[callee] == OPEN {
                    let first = path.iter().position(|(f, _)| *f == callee).unwrap_or(0);
                    let cycle: Vec<usize> = path[first..].iter().map(|(f, _)| *f).collect();
                    self.recursion(&cycle, span);
                    return;
                }
                if state[callee] == NEW {
                    state[callee] = OPEN;
                    path.push((callee, 0));
                }
            }
        }
    }

    #[cold]
    fn recursion(&mut self, cycle: &[usize], span: Span) {
        let names: Vec<&str> = cycle.iter().chain(&cycle[..1]).map(|&f| self.text(self.functions[f].name)).collect();
        let (name, way) = (names[0], names.join(" → "));
        let message = format!("the function `{name}` calls itself");
        let mut d = Diagnostic::error(Code::E0501, span, message).note("GLSL has no recursion");
        if cycle.len() > 1 {
            d = d.note(format!("by way of {way}"));
        }
        self.error(d);
    }

    /// Reports calls of functions that are declared but not defined.
    pub(super) fn check_definitions(&mut self) {
        let mut undefined: Vec<(u32, Span)> = vec![];
        for function in &self.functions {
            for &(callee, span) in &function.callees {
                let target = &self.functions[callee as usize];
                if target.defined.is_none() && !undefined.iter().any(|(f, _)| *f == callee) {
                    undefined.push((callee, span));
                }
            }
        }
        for (index, span) in undefined {
            let function = &self.functions[index as usize];
            if self.settings.leaves.iter().any(|leaf| leaf == self.text(function.name)) {
                continue;
            }
            let (signature, declared) = (self.signature(function), function.declared);
            self.error(
                Diagnostic::error(Code::E0503, span, format!("`{signature}` is called, but not defined"))
                    .also(declared, "declared here"),
            );
        }
    }
}
