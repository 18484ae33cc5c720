//! Modules: programs, compiled function by function when they are first called.

use std::sync::{Arc, Mutex, PoisonError};

use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Func, Type, Var};
use planish_ir::function::Form;
use planish_ir::module::{self as ir, Import};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use planish_machine::isa::Kind;

use crate::code::{Compiled, FuncCode};
use crate::encode::{Encoder, Names, pieces};
use crate::engine::Engine;
use crate::error::Error;
use crate::types::{FuncType, ValType};

/// Where a module and the insides of its functions come from.
pub trait Source: Send {
    /// The module, with all its declarations.
    fn module(&mut self) -> &mut ir::Module;

    /// Gives a function of the module its inside, unless it has one. Called when the function is first called.
    ///
    /// # Errors
    /// If it cannot be made.
    fn provide(&mut self, func: Func) -> Result<(), Error>;
}

/// A module whose functions all have their insides.
impl Source for ir::Module {
    fn module(&mut self) -> &mut ir::Module {
        self
    }

    fn provide(&mut self, _: Func) -> Result<(), Error> {
        Ok(())
    }
}

/// A program, ready to be instantiated. Cloning is cheap and gives the same module.
#[derive(Clone)]
pub struct Module(pub(crate) Arc<ModuleInner>);

pub(crate) struct ModuleInner {
    pub(crate) engine: Engine,
    /// The module without the insides of its functions.
    pub(crate) shell: ir::Module,
    pub(crate) types: planish_ir::types::Types,
    kinds: [Type; 13],
    /// By function.
    pub(crate) codes: Box<[FuncCode]>,
    /// By function: the number of its type.
    pub(crate) func_types: Vec<u32>,
    /// By function.
    pub(crate) signatures: Vec<FuncType>,
    /// The variables of the module's scope that code can reach.
    pub(crate) vars: Vec<Var>,
    /// By variable: its first word among those of all.
    pub(crate) globals: SideTable<Var, u32>,
    type_ids: SideTable<Type, u32>,
    pub(crate) data: Vec<Arc<[u8]>>,
    pub(crate) elem_count: usize,
    pub(crate) source: Mutex<Box<dyn Source>>,
}

impl Module {
    /// A module out of a source: an IR module, or something that makes the insides of functions when they are first
    /// called. It must be valid: see [`planish_ir::verify::verify`].
    ///
    /// # Errors
    /// If it has what this machine cannot hold.
    pub fn new(engine: &Engine, mut source: impl Source + 'static) -> Result<Self, Error> {
        let module = source.module();
        let kinds = kinds(module);
        let bodies: Vec<_> = module.funcs.values_mut().map(|f| f.body.take()).collect();
        let shell = module.clone();
        module.funcs.values_mut().zip(bodies).for_each(|(f, body)| f.body = body);
        let vars: Vec<Var> = shell
            .globals
            .iter()
            .copied()
            .filter(|&v| !matches!(shell.vars[v].space, AddressSpace::Handle | AddressSpace::Function))
            .collect();
        let mut globals = SideTable::new();
        let mut words = 0;
        for &var in &vars {
            globals[var] = words;
            words += var_words(&shell, var).ok_or_else(|| {
                Error::Compile(format!("the variable `{}` has no fixed size in registers", shell.vars[var].name.text))
            })?;
        }
        let mut signatures = Vec::new();
        for function in shell.funcs.values() {
            signatures.push(signature(&shell, function.ty).unwrap_or_default());
        }
        let mut type_ids = SideTable::new();
        let function_types: Vec<Type> = shell.types.iter().map(|(ty, _)| ty).collect();
        for ty in function_types {
            if let Some(signature) = signature(&shell, ty) {
                type_ids[ty] = engine.type_id(&signature);
            }
        }
        let codes: Box<[FuncCode]> =
            shell.funcs.keys().zip(&signatures).map(|(func, ty)| FuncCode::new(func, ty.words())).collect();
        let inner = Arc::new(ModuleInner {
            engine: engine.clone(),
            types: shell.types.clone(),
            kinds,
            func_types: signatures.iter().map(|ty| engine.type_id(ty)).collect(),
            signatures,
            codes,
            vars,
            globals,
            type_ids,
            data: shell.data.values().map(|d| Arc::clone(&d.bytes)).collect(),
            elem_count: shell.elems.len(),
            shell,
            source: Mutex::new(Box::new(source)),
        });
        for code in &inner.codes {
            code.set_stub(crate::dispatch::calls::stub(code));
        }
        Ok(Module(inner))
    }

    /// Compiles all functions now.
    ///
    /// # Errors
    /// If one cannot become code.
    pub fn compile_all(&self) -> Result<(), Error> {
        for func in self.0.shell.funcs.keys() {
            if !self.0.is_import(func) {
                self.0.compile(func)?;
            }
        }
        Ok(())
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The module's types, declarations and names, without the insides of its functions.
    pub fn shell(&self) -> &ir::Module {
        &self.0.shell
    }

    /// Modules, names and types of the functions that must be given to an instance; a function may stand there several times.
    pub fn imported_funcs(&self) -> impl Iterator<Item = (&str, &str, &FuncType)> {
        self.0.imports().map(|(func, import)| (&*import.module, &*import.name, &self.0.signatures[func.index()]))
    }

    /// Names and types of exported functions.
    pub fn exported_funcs(&self) -> impl Iterator<Item = (&str, &FuncType)> {
        self.0.shell.entry_points.iter().flat_map(|entry| {
            let ty = &self.0.signatures[entry.func.index()];
            entry.names.iter().map(move |name| (&**name, ty))
        })
    }
}

impl ModuleInner {
    pub(crate) fn is_import(&self, func: Func) -> bool {
        self.shell.func_imports.iter().any(|(f, _)| *f == func)
    }

    /// The import that a function is, if it is one.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (Func, &Import)> {
        self.shell.func_imports.iter().map(|(func, import)| (*func, import))
    }

    /// The type of what a variable holds, if it is one value.
    pub(crate) fn var_type(&self, var: Var) -> Option<ValType> {
        ValType::of(&self.shell.types, self.shell.vars[var].ty)
    }

    pub(crate) fn var_words(&self, var: Var) -> u32 {
        var_words(&self.shell, var).unwrap_or(0)
    }

    /// The instruction set, for the code of one function.
    pub(crate) fn encoder(&self) -> Encoder<'_> {
        Encoder::new(Names {
            codes: &self.codes,
            globals: &self.globals,
            types: &self.type_ids,
            kinds: &self.kinds,
            fuel: self.engine.config().fuel,
        })
    }

    /// Makes the code of a function, unless it is made.
    pub(crate) fn compile(&self, func: Func) -> Result<(), Error> {
        let code = &self.codes[func.index()];
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if code.compiled().is_some() {
            return Ok(());
        }
        source.provide(func)?;
        let module = source.module();
        let encoder = self.encoder();
        let name = &module.funcs[func].name.text;
        if module.funcs[func].body.as_ref().is_some_and(|body| body.form == Form::Floating) {
            return Err(Error::Compile(format!("`{name}` floats: it must be placed before it can run")));
        }
        let asm = planish_machine::compile(&encoder, module, func).map_err(|error| Error::Compile(error.message))?;
        let mut words = asm.directives;
        let encoded = encoder.finish(&mut words);
        if encoded.too_large {
            return Err(Error::Compile(format!("`{name}` needs more than 65,536 registers")));
        }
        let spans: Vec<(u32, Span)> = pieces(&asm.spans);
        let frame = asm.frame.max(asm.args.max(asm.results) + 2);
        code.set(Compiled { code: words.into(), spans, frame, rares: encoded.rares });
        module.funcs[func].body = None;
        Ok(())
    }
}

/// Words of what a variable holds, one a component.
fn var_words(module: &ir::Module, var: Var) -> Option<u32> {
    use planish_ir::meaning::Shape;
    module.types.components(module.vars[var].ty)?.try_into().ok()
}

fn signature(module: &ir::Module, ty: Type) -> Option<FuncType> {
    let TypeKind::Function { params, results } = &module.types[ty] else { return None };
    let list = |types: &[Type]| types.iter().map(|&t| ValType::of(&module.types, t)).collect::<Option<Vec<_>>>();
    Some(FuncType::new(list(params)?, list(results)?))
}

/// The IR's types for the kinds of registers, by number.
fn kinds(module: &mut ir::Module) -> [Type; 13] {
    let mut kinds = [Type::VOID; 13];
    for kind in Kind::ALL {
        let types = &mut module.types;
        kinds[kind as usize] = match kind.scalar() {
            Some(scalar) => types.scalar(scalar),
            None if kind == Kind::V128 => types.intern(TypeKind::V128),
            None => types.scalar(Scalar::U64),
        };
    }
    kinds
}
