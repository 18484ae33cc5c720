//! Calls that pass pointers to memory that the callee also accesses through another pointer, with a write: WGSL forbids
//! them, by root identifiers (section "Alias Analysis" of its specification), which naga's validator does not check.
//!
//! The root identifier of a pointer is the variable or the parameter that it is derived from. Parts of one variable
//! have the same one, so `f(&v[0], &v[1])` is refused as `f(&v, &v)` is.

use naga::{Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Span, Statement};
use planish_ir::diagnostic::{Code, Diagnostic};
use rustc_hash::FxHashMap;

use crate::report::Source;

/// The origin of a pointer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Global(Handle<GlobalVariable>),
    Local(Handle<LocalVariable>),
    Parameter(u32),
}

/// The accesses through a pointer.
#[derive(Clone, Copy, Default)]
struct Access {
    reads: bool,
    writes: bool,
}

impl Access {
    fn add(&mut self, other: Access) {
        self.reads |= other.reads;
        self.writes |= other.writes;
    }

    fn conflicts(self, other: Access) -> bool {
        self.writes && (other.reads || other.writes) || self.reads && other.writes
    }

    const fn verb(self) -> &'static str {
        if self.writes { "written" } else { "read" }
    }
}

/// The accesses of a function and of its callees.
#[derive(Clone, Default)]
struct Accesses {
    parameters: Vec<Access>,
    globals: FxHashMap<Handle<GlobalVariable>, Access>,
}

impl Accesses {
    fn add(&mut self, root: Option<Root>, access: Access) {
        match root {
            Some(Root::Global(global)) => self.globals.entry(global).or_default().add(access),
            Some(Root::Parameter(parameter)) => self.parameters[parameter as usize].add(access),
            Some(Root::Local(_)) | None => {}
        }
    }
}

/// All violations. Time is linear in the size of the module, and in the number of calls times the variables in use.
pub(crate) fn check(module: &naga::Module, source: Source<'_>) -> Vec<Diagnostic> {
    let takes_pointers = |function: &Function| {
        let is_pointer = |ty: Handle<naga::Type>| module.types[ty].inner.pointer_space().is_some();
        function.arguments.iter().any(|argument| is_pointer(argument.ty))
    };
    if !module.functions.iter().any(|(_, function)| takes_pointers(function)) {
        return vec![];
    }
    let mut checker = Checker { module, source, functions: vec![], errors: vec![] };
    // naga has callees before callers.
    for (_, function) in module.functions.iter() {
        let accesses = checker.function(function);
        checker.functions.push(accesses);
    }
    for entry in &module.entry_points {
        checker.function(&entry.function);
    }
    checker.errors
}

struct Checker<'a> {
    module: &'a naga::Module,
    source: Source<'a>,
    functions: Vec<Accesses>,
    errors: Vec<Diagnostic>,
}

fn root(function: &Function, mut pointer: Handle<Expression>) -> Option<Root> {
    loop {
        pointer = match function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => base,
            Expression::GlobalVariable(global) => return Some(Root::Global(global)),
            Expression::LocalVariable(local) => return Some(Root::Local(local)),
            Expression::FunctionArgument(argument) => return Some(Root::Parameter(argument)),
            _ => return None,
        }
    }
}

impl Checker<'_> {
    fn function(&mut self, function: &Function) -> Accesses {
        let mut accesses =
            Accesses { parameters: vec![Access::default(); function.arguments.len()], ..Accesses::default() };
        let read = Access { reads: true, writes: false };
        for (_, expression) in function.expressions.iter() {
            if let Expression::Load { pointer } = *expression {
                accesses.add(root(function, pointer), read);
            }
        }
        let mut blocks: Vec<&Block> = vec![&function.body];
        while let Some(block) = blocks.pop() {
            for (statement, &span) in block.span_iter() {
                match statement {
                    Statement::Block(inner) => blocks.push(inner),
                    Statement::If { accept, reject, .. } => blocks.extend([accept, reject]),
                    Statement::Switch { cases, .. } => blocks.extend(cases.iter().map(|case| &case.body)),
                    Statement::Loop { body, continuing, .. } => blocks.extend([body, continuing]),
                    Statement::Store { pointer, .. } => {
                        accesses.add(root(function, *pointer), Access { reads: false, writes: true });
                    }
                    Statement::Atomic { pointer, .. } => {
                        accesses.add(root(function, *pointer), Access { reads: true, writes: true });
                    }
                    Statement::WorkGroupUniformLoad { pointer, .. } => accesses.add(root(function, *pointer), read),
                    Statement::Call { function: callee, arguments, .. } => {
                        self.call(function, (*callee, span), arguments, &mut accesses);
                    }
                    _ => {}
                }
            }
        }
        accesses
    }

    fn call(
        &mut self,
        function: &Function,
        (callee, span): (Handle<Function>, Span),
        arguments: &[Handle<Expression>],
        accesses: &mut Accesses,
    ) {
        let does = self.functions[callee.index()].clone();
        let roots: Vec<Option<Root>> = arguments.iter().map(|&argument| root(function, argument)).collect();
        for (i, first) in roots.iter().enumerate().filter_map(|(i, root)| Some((i, (*root)?))) {
            let mine = does.parameters[i];
            let same = |&j: &usize| roots[j] == Some(first) && mine.conflicts(does.parameters[j]);
            if let Some(other) = (i + 1..roots.len()).find(same) {
                let parameter = self.module.functions[callee].arguments[other].name.as_deref().unwrap_or("");
                let text = format!("and {} through `{parameter}`", does.parameters[other].verb());
                self.errors.push(self.error(callee, span, i, mine).note(text));
            }
            if let Root::Global(global) = first
                && let Some(access) = does.globals.get(&global).filter(|access| mine.conflicts(**access))
            {
                let error = self.error(callee, span, i, mine);
                let name = self.module.global_variables[global].name.as_deref().unwrap_or("");
                let place = self.source.span(self.module.global_variables.get_span(global));
                let text = format!("`{name}`, which it or one of its callees has {} as well", access.verb());
                self.errors.push(error.also(place, text));
            }
        }
        for (&root, &access) in roots.iter().zip(&does.parameters) {
            accesses.add(root, access);
        }
        for (&global, &access) in &does.globals {
            accesses.add(Some(Root::Global(global)), access);
        }
    }

    fn error(&self, callee: Handle<Function>, call: Span, number: usize, access: Access) -> Diagnostic {
        let callee = &self.module.functions[callee];
        let name = callee.name.as_deref().unwrap_or("");
        let parameter = callee.arguments[number].name.as_deref().unwrap_or("");
        Diagnostic::error(Code::E0708, self.source.span(call), format!("invalid aliased pointer argument of `{name}`"))
            .label(format!("the memory is {} through `{parameter}`", access.verb()))
            .help("copy it into a variable of its own first, and pass a pointer to that")
    }
}
