//! State of one output beside what all languages have.

use std::rc::Rc;

use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, List, Stmt, Symbol};
use planish_back_text::{Dialect, Text, Written};
use planish_interface::{Implicit, describe};
use planish_ir::arena::Id;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Type, Var};
use planish_ir::module::{Module, Stage};
use planish_ir::ops::Lanes;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use rustc_hash::FxHashMap;

use crate::Options;
use crate::entry::{Attribute, Entry, Input, Output, Source};
use crate::globals::{DeclaredType, GlobalRef, Kind, Prepared, Tree};
use crate::language::Language;
use crate::memory::{MemId, atomic_of};
use crate::places::{Index, Place};

/// The state of one output.
pub struct Writer<'m, L> {
    /// State of the language's own.
    pub language: L,
    /// State that all text back ends have.
    pub text: Text<'m>,
    /// Declarations.
    pub prepared: Prepared,
    /// Options.
    pub options: &'m Options,
    /// Entry points.
    pub entries: Vec<Entry>,
    /// Expressions for memory that differs from its value.
    pub places: FxHashMap<Expr, Place>,
    /// Textures and samplers of parameters.
    pub param_trees: FxHashMap<Symbol, Rc<Tree>>,
    /// Parameters of the current function that the program does not have.
    pub own_params: Vec<Symbol>,
    /// Variables with values that must not be known when the module is created.
    pub opaque_values: Vec<Symbol>,
    /// Inputs and outputs within the current entry point.
    io: FxHashMap<Var, Expr>,
    /// The variable `out` of the current entry point.
    out: Option<Symbol>,
    /// Structs of several results.
    pub results: Vec<(Func, Symbol)>,
    /// The function that is being written.
    pub current: Option<Func>,
    /// By function number: a vertex or fragment stage that calls it.
    stages: Vec<Option<Stage>>,
    /// Attributes of parameters of entry points, and their types.
    pub attributes: FxHashMap<Symbol, (Attribute, Type)>,
    /// The parameter of the current entry point that holds its inputs, and the number of the next.
    inputs: Option<(Symbol, Type, u32)>,
    /// By function number: declarations that it takes as parameters, for languages without variables of module scope
    /// ([`Language::passes_globals`]).
    pub passed: Vec<Vec<Symbol>>,
}

impl<'m, L: Language> Writer<'m, L> {
    /// An empty output.
    pub fn new(
        language: L,
        module: &'m Module,
        prepared: Prepared,
        entries: Vec<Entry>,
        stages: Vec<Option<Stage>>,
        options: &'m Options,
    ) -> Self {
        let mut text = Text::new(module, L::NAME, language.target_name(), language.abilities());
        text.minify = options.minify;
        for declared in &prepared.declared {
            let hint = if declared.name.is_empty() { "block" } else { &declared.name };
            text.tree.add_symbol(crate::entry::plain_name(hint));
        }
        Writer {
            language,
            text,
            prepared,
            options,
            entries,
            places: FxHashMap::default(),
            param_trees: FxHashMap::default(),
            own_params: vec![],
            opaque_values: vec![],
            io: FxHashMap::default(),
            out: None,
            results: vec![],
            current: None,
            stages,
            attributes: FxHashMap::default(),
            inputs: None,
            passed: vec![],
        }
    }

    /// The type of a vector; of one component, the scalar.
    pub fn vector_type(&self, scalar: Scalar, n: u8) -> Type {
        self.prepared.vectors[scalar as usize][usize::from(n.clamp(1, 4)) - 1]
    }

    /// The type of a matrix of floats.
    pub fn matrix_type(&self, scalar: Scalar, columns: u8, rows: u8) -> Type {
        self.prepared.matrices[usize::from(scalar == Scalar::F16)][usize::from(columns.clamp(2, 4)) - 2]
            [usize::from(rows.clamp(2, 4)) - 2]
    }

    /// Whether `select` gives values of a type.
    pub fn may_select(&self, ty: Type) -> bool {
        matches!(self.module.types[ty], TypeKind::Scalar(_) | TypeKind::Vector(..))
    }

    /// Whether values are stored in a variable as they are.
    pub fn is_simple(&self, var: Var) -> bool {
        let is = |mem: MemId| self.prepared.memory.is_simple(mem);
        match &self.prepared.refs[var.index()] {
            Some(GlobalRef::Memory { mem, .. } | GlobalRef::Member { mem, .. }) => is(*mem),
            None => true,
            _ => false,
        }
    }

    /// A vertex or fragment stage that calls a function: it has no barriers.
    pub fn drawing_stage(&self, func: Func) -> Option<Stage> {
        self.stages[func.index()]
    }

    /// Refuses what only fragment shaders have, in a function that others call.
    pub fn needs_fragment(&mut self, span: Span) {
        let implicit = self.current.map(|f| self.prepared.derivatives.of(f));
        if matches!(implicit, Some(Implicit::Missing | Implicit::Mixed)) {
            let name = &self.target_name;
            let message = format!("{name} cannot express the program: only the fragment stage has derivatives");
            self.error(Code::E0604, span, message);
        }
    }

    /// Reports 64-bit numbers.
    pub fn check_scalar(&mut self, ty: Type, span: Span) {
        if self.module.types.scalar_of(ty).is_some_and(|s| s.bits() == 64) {
            self.check_kind_of(ty, span);
        }
    }

    /// [`Dialect::check_type`].
    pub fn check_type_of(&mut self, ty: Type, span: Span) {
        Dialect::check_type(self, ty, span);
    }

    /// Reports a type that no shading language here has.
    pub fn check_kind_of(&mut self, ty: Type, span: Span) {
        let module = self.module;
        match &module.types[ty] {
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } => match s {
                Scalar::F64 => self.lacks_type("double-precision numbers (`double`)", span),
                Scalar::I64 | Scalar::U64 => self.lacks_type("64-bit integers", span),
                _ => {}
            },
            TypeKind::Struct(s) if s.members.is_empty() => {
                self.error(Code::E0602, span, format!("the struct `{}` has no members", s.name));
            }
            TypeKind::Array { element, len } => {
                let (size, _) = self.prepared.memory.size_align(&module.types, *element);
                if let Err(error) = crate::memory::check_length(size, *len, span) {
                    self.errors.push(*error);
                }
            }
            TypeKind::Struct(_) | TypeKind::RuntimeArray { .. } | TypeKind::Pointer { .. } => {}
            TypeKind::Image(_) | TypeKind::Sampler { .. } | TypeKind::Void => {}
            kind => {
                let what = describe(kind);
                self.lacks_type(&what, span);
            }
        }
    }

    /// The constant that holds an array: that of the source, if it has one.
    pub fn const_table(&mut self, c: Const) -> Symbol {
        if let Some(var) = self.const_global(c) {
            if let Some(GlobalRef::Memory { symbol, .. }) = &self.prepared.refs[var.index()]
                && self.prepared.declared[symbol.0 as usize].kind == Kind::Const
            {
                return *symbol;
            }
            let hint = self.module.vars[var].name.text.clone();
            let symbol = self.table_symbol(c);
            if !hint.is_empty() {
                self.tree.symbol_mut(symbol).hint = hint;
            }
            return symbol;
        }
        self.table_symbol(c)
    }

    /// A global variable as an expression.
    pub fn global_expr(&mut self, var: Var) -> Expr {
        if let Some(&known) = self.io.get(&var) {
            return known;
        }
        match self.prepared.refs[var.index()].clone() {
            Some(global) => self.global_place(&global),
            None => {
                let data = &self.module.vars[var];
                let span = data.span;
                match data.space {
                    AddressSpace::Input | AddressSpace::Output => {
                        // Only entry points without a stage have such.
                        let name = data.name.text.to_string();
                        let message = format!("{} has no `{name}` outside of entry points", self.target_name);
                        self.error(Code::E0603, span, message);
                    }
                    _ => self.internal("a variable is not declared", span),
                }
                self.tree.add(ExprKind::Int(0))
            }
        }
    }

    // Entry points.

    /// Begins a function: inputs and outputs of an entry point become parameters and local variables. Returns the
    /// statements before its first.
    pub fn begin_function(&mut self, func: Func) -> Vec<Stmt> {
        self.current = Some(func);
        self.io.clear();
        self.own_params.clear();
        self.out = None;
        self.inputs = None;
        let Some(entry) = self.entries.iter().find(|e| e.func == func).cloned() else { return vec![] };
        let mut stmts = vec![];
        if self.language.passes_globals() {
            self.declare_passed(func, &mut stmts);
        }
        for (var, init) in self.prepared.late.clone() {
            if self.is_absent(func, var) {
                continue;
            }
            let span = self.module.vars[var].span;
            let target = self.global_expr(var);
            let value = Dialect::literal(self, init, span);
            stmts.push(Stmt::Assign { target, op: None, value });
        }
        if let Some(ty) = entry.input {
            self.check_type_of(ty, Span::NONE);
            let symbol = self.tree.add_symbol("in");
            self.own_params.push(symbol);
            self.attributes.insert(symbol, (Attribute::Inputs, ty));
            self.inputs = Some((symbol, ty, 0));
        }
        let mut blocks = vec![];
        for input in &entry.inputs {
            self.begin_input(input, &mut blocks, &mut stmts);
        }
        self.begin_outputs(&entry, &mut stmts);
        stmts
    }

    /// Whether an entry point lacks a variable that others pass on.
    fn is_absent(&self, func: Func, var: Var) -> bool {
        match &self.prepared.refs[var.index()] {
            Some(GlobalRef::Memory { symbol, .. }) if self.language.passes_globals() => {
                !self.passed[func.index()].contains(symbol)
            }
            _ => false,
        }
    }

    /// Declares what the entry point passes to others and has no value from outside.
    fn declare_passed(&mut self, func: Func, stmts: &mut Vec<Stmt>) {
        for symbol in self.passed[func.index()].clone() {
            let declared = self.prepared.declared[symbol.0 as usize].clone();
            if let Some(value) = L::unpacked(self, func, symbol) {
                let ty = if let DeclaredType::Type(ty) = declared.ty { ty } else { Type::U32 };
                stmts.push(Stmt::Decl(Decl::plain(symbol, ty, Some(value))));
                continue;
            }
            let (Kind::Private | Kind::Workgroup, DeclaredType::Type(ty)) = (declared.kind, declared.ty) else {
                continue;
            };
            self.check_type_of(ty, Span::NONE);
            let init = declared.init.map(|c| Dialect::literal(self, c, Span::NONE));
            stmts.push(Stmt::Decl(Decl::plain(symbol, ty, init)));
        }
    }

    fn param(&mut self, part: &crate::entry::Part) -> Expr {
        if let (Some((symbol, ty, number)), Attribute::Location(_)) = (self.inputs, part.attribute) {
            self.inputs = Some((symbol, ty, number + 1));
            let base = self.tree.name(symbol);
            return self.tree.add(ExprKind::Member(base, ty, number));
        }
        let symbol = self.tree.add_symbol(part.name.clone());
        self.own_params.push(symbol);
        self.attributes.insert(symbol, (part.attribute, part.ty));
        self.tree.name(symbol)
    }

    fn begin_input(&mut self, input: &Input, blocks: &mut Vec<Var>, stmts: &mut Vec<Stmt>) {
        let span = self.module.vars[input.var].span;
        self.check_type_of(input.ty, span);
        let shared = self.prepared.shared[input.var.index()];
        let (value, is_stable) = self.source(input);
        if let Some(member) = input.member {
            // A member of a block: the block is a variable.
            let block = self.module.vars[input.var].ty;
            if !shared && !blocks.contains(&input.var) {
                blocks.push(input.var);
                self.check_type_of(block, span);
                let local = self.local_of(input.var, block, None, stmts);
                self.io.insert(input.var, local);
            }
            let base = self.global_expr(input.var);
            let target = self.tree.add(ExprKind::Member(base, block, member));
            stmts.push(Stmt::Assign { target, op: None, value });
            return;
        }
        if shared {
            let target = self.global_expr(input.var);
            stmts.push(Stmt::Assign { target, op: None, value });
            return;
        }
        let e = if is_stable { value } else { self.local_of(input.var, input.ty, Some(value), stmts) };
        self.io.insert(input.var, e);
    }

    /// A local variable for an input or output.
    fn local_of(&mut self, var: Var, ty: Type, init: Option<Expr>, stmts: &mut Vec<Stmt>) -> Expr {
        let name = crate::entry::plain_name(&self.module.vars[var].name.text);
        let symbol = self.tree.add_symbol(if name.is_empty() { "block".into() } else { name });
        // A computed index needs a variable.
        stmts.push(Stmt::Decl(Decl::plain(symbol, ty, init)));
        self.opaque_values.push(symbol);
        self.tree.name(symbol)
    }

    /// The value of an input, and whether it may be mentioned anywhere.
    fn source(&mut self, input: &Input) -> (Expr, bool) {
        match &input.source {
            Source::Parts(parts) => {
                let mut names = parts.iter().map(|p| self.param(p)).collect::<Vec<_>>().into_iter();
                let is_one = parts.len() == 1 && parts[0].path.is_empty();
                (self.compose(input.ty, &mut names), is_one)
            }
            Source::BuiltIn(part) => {
                let mut name = self.param(part);
                let mut is_stable = true;
                if let Attribute::BuiltIn { builtin, .. } = part.attribute {
                    let value = L::builtin_value(self, builtin, name);
                    is_stable = value == name;
                    name = value;
                }
                let (element, is_array) = match self.module.types[input.ty] {
                    TypeKind::Array { element, .. } => (element, true),
                    _ => (input.ty, false),
                };
                let value = if element == part.ty { name } else { self.cast(element, name) };
                match is_array {
                    true => (self.tree.call(Callee::Type(input.ty), &[value]), false),
                    false => (value, is_stable),
                }
            }
            Source::WorkGroupSize(sizes) => {
                let parts: Vec<Expr> = sizes
                    .iter()
                    .map(|(n, by)| match by {
                        Some(by) => {
                            let name = self.tree.name(by.symbol);
                            if by.scalar == Scalar::U32 { name } else { self.cast(Type::U32, name) }
                        }
                        None => self.uint(*n),
                    })
                    .collect();
                (self.tree.call(Callee::Type(input.ty), &parts), true)
            }
            Source::Function(function) => {
                let value = self.tree.builtin(function, &[]);
                let value = if input.ty == Type::U32 { value } else { self.cast(input.ty, value) };
                (value, false)
            }
            Source::Half => {
                let half = self.tree.add(ExprKind::Float(0.5));
                (self.tree.add(ExprKind::Splat(input.ty, half)), true)
            }
        }
    }

    /// A value of its scalars and vectors. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn compose(&mut self, ty: Type, parts: &mut dyn Iterator<Item = Expr>) -> Expr {
        let module = self.module;
        let inner: Vec<Type> = match &module.types[ty] {
            TypeKind::Matrix { scalar, columns, rows } => vec![self.vector_type(*scalar, *rows); *columns as usize],
            TypeKind::Array { element, len } => vec![*element; *len as usize],
            TypeKind::Struct(s) => s.members.iter().map(|m| m.ty).collect(),
            _ => return parts.next().unwrap_or_else(|| self.tree.add(ExprKind::Int(0))),
        };
        let args: Vec<Expr> = inner.into_iter().map(|ty| self.compose(ty, parts)).collect();
        self.tree.call(Callee::Type(ty), &args)
    }

    fn begin_outputs(&mut self, entry: &Entry, stmts: &mut Vec<Stmt>) {
        if let (Some(result), true) = (entry.result, entry.is_direct) {
            self.check_type_of(result, Span::NONE);
            let symbol = self.tree.add_symbol("out");
            self.out = Some(symbol);
            stmts.push(Stmt::Decl(Decl::plain(symbol, result, None)));
            for (i, output) in entry.outputs.iter().enumerate() {
                let Some(var) = output.var else { continue };
                let base = self.tree.name(symbol);
                let member = self.tree.add(ExprKind::Member(base, result, i as u32));
                self.io.insert(var, member);
                self.initialize(var, member, stmts);
            }
        }
        entry.result.into_iter().for_each(|ty| self.check_type_of(ty, Span::NONE));
        let reached: Vec<Var> = self.module.globals.clone();
        for var in reached {
            let data = &self.module.vars[var];
            let is_own = data.space == AddressSpace::Output
                && self.prepared.reach.vars[var.index()]
                && !self.prepared.shared[var.index()];
            if !is_own || self.io.contains_key(&var) {
                continue;
            }
            let ty = data.ty;
            let span = data.span;
            self.check_type_of(ty, span);
            let init = data.initializer.map(|c| Dialect::literal(self, c, span));
            let local = self.local_of(var, ty, init, stmts);
            self.io.insert(var, local);
        }
    }

    fn initialize(&mut self, var: Var, target: Expr, stmts: &mut Vec<Stmt>) {
        if let Some(init) = self.module.vars[var].initializer {
            let value = Dialect::literal(self, init, Span::NONE);
            stmts.push(Stmt::Assign { target, op: None, value });
        }
    }

    /// Ends a function: an entry point returns its outputs, and every function with a result returns one.
    pub fn end_function(&mut self, written: &mut Written, first: Vec<Stmt>) {
        let module = self.module;
        for (param, &symbol) in module.funcs[written.func].params.iter().zip(&written.params) {
            let ty = module.types.pointee(param.ty).map_or(param.ty, |(ty, _)| ty);
            if module.types.is_opaque(ty) {
                self.tree_of_param(symbol, ty);
            }
        }
        written.own_params = std::mem::take(&mut self.own_params);
        let body = written.body;
        let mut stmts = first;
        stmts.extend(self.tree.list(body).iter().cloned());
        self.tree.set_list(body, stmts);
        let entry = self.entries.iter().find(|e| e.func == written.func).cloned();
        let results = &self.module.funcs[written.func].results;
        let has_result = match &entry {
            Some(entry) => !entry.outputs.is_empty(),
            None => !results.is_empty(),
        };
        self.complete_returns(body, entry.as_ref(), written.func);
        if has_result && (entry.is_some() || L::RETURNS_AT_END) && self.may_end(body) {
            let value = self.returned(entry.as_ref(), written.func);
            let mut stmts = self.tree.list(body).to_vec();
            stmts.push(Stmt::Return(value));
            self.tree.set_list(body, stmts);
        }
        if let Some(entry) = entry.filter(|e| e.outputs.len() == 1 && e.result.is_none()) {
            self.return_directly(body, &entry);
        }
    }

    /// The value of a `return` that has none.
    fn returned(&mut self, entry: Option<&Entry>, func: Func) -> Option<Expr> {
        let Some(entry) = entry else {
            let results = &self.module.funcs[func].results;
            return match results.len() {
                0 => None,
                1 => Some(self.tree.call(Callee::Type(results[0].ty), &[])),
                _ => {
                    let args = self.tree.add_args(&[]);
                    Some(self.tree.add(ExprKind::Results(func, args)))
                }
            };
        };
        if let Some(out) = self.out {
            return Some(self.tree.name(out));
        }
        let values: Vec<Expr> = entry.outputs.iter().flat_map(|o| self.output_values(o)).collect();
        match entry.result {
            Some(ty) => Some(self.tree.call(Callee::Type(ty), &values)),
            None => values.first().copied(),
        }
    }

    /// The value of an output, or those of its elements.
    fn output_values(&mut self, output: &Output) -> Vec<Expr> {
        let value = self.output_value(output);
        match self.module.types[output.part.ty] {
            TypeKind::Array { len, .. } if self.language.lists_elements(&output.part.attribute) => {
                (0..len).map(|i| crate::places::element(self, value, Index::Const(i))).collect()
            }
            _ => vec![value],
        }
    }

    fn output_value(&mut self, output: &Output) -> Expr {
        let Some(var) = output.var else { return self.tree.call(Callee::Type(output.part.ty), &[]) };
        let mut e = self.global_expr(var);
        for &(ty, number) in &output.part.path {
            let kind = match self.module.types[ty] {
                TypeKind::Struct(_) => ExprKind::Member(e, ty, number),
                _ => {
                    let index = self.tree.add(ExprKind::Int(number as i32));
                    ExprKind::Index(e, index)
                }
            };
            e = self.tree.add(kind);
        }
        if output.converts {
            e = self.cast(Type::U32, e);
        }
        if output.adjusts { self.adjusted(e) } else { e }
    }

    /// The options' changes of the position.
    fn adjusted(&mut self, position: Expr) -> Expr {
        let mut c = [0u8, 1, 2, 3].map(|i| self.tree.add(ExprKind::Swizzle(position, Lanes::new(&[i]))));
        if self.options.flip_y {
            c[1] = self.tree.add(ExprKind::Prefix("-", c[1]));
        }
        if self.options.adjust_depth {
            let sum = self.tree.infix(Infix::Add, c[2], c[3]);
            let half = self.tree.add(ExprKind::Float(0.5));
            c[2] = self.tree.infix(Infix::Mul, sum, half);
        }
        self.tree.call(Callee::Type(Type::VEC4), &c)
    }

    /// Gives every `return` of an entry point its value, and lets a function end after `discard`, which does not end it.
    fn complete_returns(&mut self, body: List, entry: Option<&Entry>, func: Func) {
        let mut lists = vec![body];
        while let Some(list) = lists.pop() {
            let stmts = self.tree.list(list).to_vec();
            let mut out = Vec::with_capacity(stmts.len());
            for stmt in stmts {
                // Nothing runs after a jump, and names in it need not be declared.
                if matches!(out.last(), Some(Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_))) {
                    break;
                }
                lists.extend(stmt.lists());
                match stmt {
                    Stmt::Return(None) => out.push(Stmt::Return(self.returned(entry, func))),
                    Stmt::Discard => {
                        out.push(Stmt::Discard);
                        let value = match entry {
                            // Its value has no effect.
                            Some(Entry { result: None, outputs, .. }) if !outputs.is_empty() => {
                                Some(self.tree.call(Callee::Type(outputs[0].part.ty), &[]))
                            }
                            _ => self.returned(entry, func),
                        };
                        out.push(Stmt::Return(value));
                    }
                    Stmt::Expr(e) if !L::is_statement(self, e) => {
                        let symbol = self.tree.add_named("_");
                        let target = self.tree.name(symbol);
                        out.push(Stmt::Assign { target, op: None, value: e });
                    }
                    other => out.push(other),
                }
            }
            self.tree.set_list(list, out);
        }
    }

    /// Whether control may get to the end of a list, as far as readers of the language look.
    /// Recursion: over the last statements of nested lists, whose depth lowering bounds.
    fn may_end(&self, list: List) -> bool {
        match self.tree.list(list).last() {
            Some(Stmt::Return(_)) => false,
            Some(Stmt::If { then, otherwise, .. }) => self.may_end(*then) || self.may_end(*otherwise),
            Some(Stmt::Switch { cases, .. }) => {
                !cases.iter().any(|c| c.is_default) || cases.iter().any(|c| self.may_end(c.body))
            }
            _ => true,
        }
    }

    /// `color = x; return color;` → `return x;`, if nothing else mentions the variable.
    fn return_directly(&mut self, body: List, entry: &Entry) {
        let Some(var) = entry.outputs[0].var else { return };
        let Some(ExprKind::Name(symbol)) = self.io.get(&var).map(|&e| self.tree.kind(e)) else { return };
        let mut all = vec![body];
        let mut at = 0;
        while let Some(&list) = all.get(at) {
            self.tree.list(list).iter().for_each(|s| all.extend(s.lists()));
            at += 1;
        }
        let is_it = |w: &Self, e: Expr| w.tree.kind(e) == ExprKind::Name(symbol);
        let mut others = 0;
        for &list in &all {
            let stmts = self.tree.list(list);
            for (i, stmt) in stmts.iter().enumerate() {
                match stmt {
                    Stmt::Return(Some(e)) if is_it(self, *e) => {
                        let before = i.checked_sub(1).map(|i| &stmts[i]);
                        let value = match before {
                            Some(Stmt::Assign { target, op: None, value }) if is_it(self, *target) => Some(*value),
                            _ => None,
                        };
                        others += usize::from(value.is_none_or(|v| self.tree.mentioned(v).contains(&symbol)));
                    }
                    Stmt::Assign { target, op: None, .. }
                        if is_it(self, *target)
                            && matches!(stmts.get(i + 1), Some(Stmt::Return(Some(e))) if is_it(self, *e)) => {}
                    stmt => stmt.for_each_expr(|e| others += usize::from(self.tree.mentioned(e).contains(&symbol))),
                }
            }
        }
        if others > 0 {
            return;
        }
        for list in all {
            let stmts = self.tree.list(list).to_vec();
            let mut out: Vec<Stmt> = Vec::with_capacity(stmts.len());
            for stmt in stmts {
                match stmt {
                    Stmt::Decl(decl) if decl.symbol == symbol => {}
                    Stmt::Return(Some(e)) if is_it(self, e) => {
                        let value = match out.pop() {
                            Some(Stmt::Assign { value, .. }) => value,
                            _ => e,
                        };
                        out.push(Stmt::Return(Some(value)));
                    }
                    other => out.push(other),
                }
            }
            self.tree.set_list(list, out);
        }
    }

    /// Notes that a variable's value is a variable, not a constant, wherever it is declared.
    pub fn keep_variables(&mut self, written: &Written) {
        let mut all = vec![written.body];
        let mut at = 0;
        while let Some(&list) = all.get(at) {
            self.tree.list(list).iter().for_each(|s| all.extend(s.lists()));
            at += 1;
        }
        let kept = std::mem::take(&mut self.opaque_values);
        for list in all {
            let text = &mut self.text;
            for stmt in text.tree.list_mut(list) {
                if let Stmt::Decl(decl) = stmt
                    && kept.contains(&decl.symbol)
                {
                    decl.is_assigned = true;
                }
            }
        }
    }

    /// The struct of a function's results.
    pub fn results_symbol(&mut self, func: Func) -> Symbol {
        if let Some(known) = self.results.iter().find(|r| r.0 == func) {
            return known.1;
        }
        let name = format!("{}_results", self.module.funcs[func].name.text);
        let symbol = self.tree.add_symbol(planish_back_text::dialect::sanitize(&name, &["_"]));
        self.results.push((func, symbol));
        symbol
    }

    /// The integer of an atomic type.
    pub fn atomic_of(&self, ty: Type) -> Option<Type> {
        atomic_of(&self.module.types, ty)
    }
}
