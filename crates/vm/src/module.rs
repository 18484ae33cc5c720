//! Modules: programs, compiled function by function at their first call.

#[cfg(planish_native)]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(planish_native)]
use planish_back_native::Vectors;
use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Func, Type, Var};
use planish_ir::function::{Body, Form};
use planish_ir::host::{FuncType, ValType};
use planish_ir::module::{self as ir, Import};
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use planish_machine::isa::Kind;
use planish_machine::{Compiler, Scratch, Signatures};

use crate::code::{Compiled, FuncCode};
use crate::dispatch::lend;
use crate::dispatch::storage::Uses;
use crate::encode::{self, Encoder, Names};
use crate::engine::{Engine, OwnTypes, Strategy};
use crate::error::Error;
#[cfg(planish_native)]
use crate::native::NativeCode;
use crate::types::type_of_kind;

/// Provider of a module and of the bodies of its functions.
pub trait Source: Send {
    /// The module, with all its declarations.
    fn module(&mut self) -> &mut ir::Module;

    /// Provides the body of a function, unless it has one. Called at the first call of the function.
    ///
    /// # Errors
    /// If the body cannot be built.
    fn provide(&mut self, func: Func) -> Result<(), Error>;

    /// Takes back the body of a function after its compilation, so that its memory can be reused.
    fn reuse(&mut self, body: Body) {
        drop(body);
    }
}

/// A module whose functions all have their bodies.
impl Source for ir::Module {
    fn module(&mut self) -> &mut ir::Module {
        self
    }

    fn provide(&mut self, _: Func) -> Result<(), Error> {
        Ok(())
    }
}

/// A program, ready to be instantiated. Cloning is cheap and returns the same module.
#[derive(Clone)]
pub struct Module(pub(crate) Arc<ModuleInner>);

/// Maximum number of words of all variables of a module: code has an address for each.
const MAX_VARIABLE_WORDS: u32 = 1 << 24;

/// Function types in the host's view.
type HostTypes = SideTable<Type, Option<Arc<FuncType>>>;

pub(crate) struct ModuleInner {
    pub(crate) engine: Engine,
    /// The module without the bodies of its functions.
    pub(crate) shell: ir::Module,
    pub(crate) types: planish_ir::types::Types,
    pub(crate) kinds: [Type; 13],
    /// By function.
    pub(crate) codes: Box<[FuncCode]>,
    /// The variables of the module's scope that code can reach.
    pub(crate) vars: Vec<Var>,
    /// By variable: its first word among those of all.
    pub(crate) globals: SideTable<Var, u32>,
    /// Numbers of the function types in the engine.
    pub(crate) type_ids: SideTable<Type, u32>,
    _own_types: OwnTypes,
    /// Function types in the host's view; `None` for those with types local to the module.
    signatures: HostTypes,
    pub(crate) data: Vec<Arc<[u8]>>,
    pub(crate) elem_count: usize,
    /// By memory: the uses that code makes of it.
    pub(crate) memory_uses: Vec<Uses>,
    pub(crate) workshop: Mutex<Workshop>,
    /// Number of threads that wait for the workshop to run a function.
    waiting: AtomicUsize,
    /// Machine code of its functions, if its engine makes any.
    #[cfg(planish_native)]
    pub(crate) native: OnceLock<NativeCode>,
    /// Its way to machine code while it runs.
    #[cfg(planish_native)]
    pub(crate) tier: crate::tier::Tier,
}

/// The compiler: one function at a time.
pub(crate) struct Workshop {
    pub(crate) source: Box<dyn Source>,
    scratch: Scratch<u64>,
    encoding: encode::State,
    /// Whether functions keep their bodies when they have code, as machine code is made of them, too.
    keeps_bodies: bool,
}

impl Module {
    /// Creates a module from a source: an IR module, or a provider of function bodies at their first call. It must be
    /// valid: see [`planish_ir::verify::verify`].
    ///
    /// # Errors
    /// If it uses a construct that this machine does not support.
    pub fn new(engine: &Engine, mut source: impl Source + 'static) -> Result<Self, Error> {
        let module = source.module();
        // A function works on a copy of a pointer's target, which is written back when it returns.
        if let Some(conflict) = planish_ir::aliasing::conflicts(module).first() {
            let body = module.funcs[conflict.func].body.as_ref().expect("it has the call");
            return Err(Error::unsupported(body.node(conflict.node).span, conflict.text(module)));
        }
        let kinds = kinds(module);
        let memory_uses = lend::uses(module);
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
        let mut words = 0u32;
        for &var in &vars {
            globals[var] = words;
            let ir::VarData { name, span, .. } = &shell.vars[var];
            let more = var_words(&shell, var).ok_or_else(|| {
                Error::unsupported(*span, format!("the variable `{}` has no fixed size in registers", name.text))
            })?;
            words = words.checked_add(more).filter(|&words| words <= MAX_VARIABLE_WORDS).ok_or_else(|| {
                let what = format!(
                    "the variable `{}` is one too many: all take {MAX_VARIABLE_WORDS} words at most",
                    name.text
                );
                Error::unsupported(*span, what)
            })?;
        }
        let mut own_types = OwnTypes::new(engine);
        let (type_ids, signatures) = function_types(engine, &mut own_types, &shell);
        let words = |ty: Type| signatures[ty].as_ref().map_or((0, 0), |ty| ty.words());
        let codes: Box<[FuncCode]> = shell.funcs.iter().map(|(func, f)| FuncCode::new(func, words(f.ty))).collect();
        let inner = ModuleInner {
            engine: engine.clone(),
            types: shell.types.clone(),
            kinds,
            codes,
            vars,
            globals,
            type_ids,
            _own_types: own_types,
            signatures,
            data: shell.data.values().map(|d| Arc::clone(&d.bytes)).collect(),
            elem_count: shell.elems.len(),
            memory_uses,
            shell,
            waiting: AtomicUsize::new(0),
            workshop: Mutex::new(Workshop {
                source: Box::new(source),
                scratch: Scratch::default(),
                encoding: encode::State::default(),
                keeps_bodies: engine.strategy() == Strategy::Tiered,
            }),
            #[cfg(planish_native)]
            native: OnceLock::new(),
            #[cfg(planish_native)]
            tier: crate::tier::Tier::default(),
        };
        #[cfg(planish_native)]
        if let (Strategy::Native, Some(native)) = (engine.strategy(), engine.native()) {
            let code = NativeCode::compile(&inner, &mut *inner.workshop().source, native)?;
            let _ = inner.native.set(code);
        }
        let inner = Arc::new(inner);
        for code in &inner.codes {
            code.set_stub(crate::dispatch::calls::stub(code));
            code.count_from(engine.config().tier_threshold);
        }
        Ok(Module(inner))
    }

    /// Compiles all functions now; with tiers, waits for their machine code.
    ///
    /// # Errors
    /// If one cannot be compiled.
    pub fn compile_all(&self) -> Result<(), Error> {
        #[cfg(planish_native)]
        match self.0.engine.strategy() {
            Strategy::Native => return Ok(()),
            Strategy::Tiered => return crate::tier::wait(&self.0).map_or(Ok(()), Err),
            Strategy::Vm => {}
        }
        self.0.defined().try_for_each(|func| self.0.compile(func))
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Bytes of its machine code; 0 as long as it runs on the virtual machine.
    pub fn code_size(&self) -> usize {
        #[cfg(planish_native)]
        if let Some(native) = self.0.native.get() {
            return native.size() + self.0.tier.size_of_loops();
        }
        0
    }

    /// The number of pairs of operations on 128 bits that its machine code does as one on 256; 0 where it has none, or was found in a
    /// cache.
    ///
    /// # Errors
    /// The operation that vectors of 256 bits are missing, for which the whole module does without them.
    pub fn wide_pairs(&self) -> Result<usize, &str> {
        #[cfg(planish_native)]
        if let Some(native) = self.0.native.get() {
            return match native.vectors() {
                Vectors::Narrow => Ok(0),
                Vectors::Wide(pairs) => Ok(*pairs),
                Vectors::Missing(operation) => Err(operation),
            };
        }
        Ok(0)
    }

    /// The module's types, declarations and names, without the bodies of its functions.
    pub fn shell(&self) -> &ir::Module {
        &self.0.shell
    }

    /// Modules, names and types of the functions to be supplied to an instance, possibly with repetitions.
    pub fn imported_funcs(&self) -> impl Iterator<Item = (&str, &str, &FuncType)> {
        let imports = self.0.imports();
        imports.filter_map(|(func, i)| Some((&*i.module, &*i.name, &**self.0.signature(func)?)))
    }

    /// Names and types of exported functions, except those that the host cannot call: with references to functions of
    /// one type, images, or types that registers cannot hold.
    pub fn exported_funcs(&self) -> impl Iterator<Item = (&str, &FuncType)> {
        let named = self.0.shell.entry_points.iter().filter_map(|e| Some((e, self.0.signature(e.func)?)));
        named.flat_map(|(entry, ty)| entry.names.iter().map(move |name| (&**name, &**ty)))
    }
}

impl ModuleInner {
    /// The functions that do not come from outside.
    pub(crate) fn defined(&self) -> impl Iterator<Item = Func> {
        let mut imported = vec![false; self.codes.len()];
        self.imports().for_each(|(func, _)| imported[func.index()] = true);
        self.shell.funcs.keys().filter(move |func| !imported[func.index()])
    }

    /// The imported functions, with module and name.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (Func, &Import)> {
        self.shell.func_imports.iter().map(|(func, import)| (*func, import))
    }

    /// The number of a function's type in the engine.
    pub(crate) fn type_id(&self, func: Func) -> u32 {
        self.type_ids[self.shell.funcs[func].ty]
    }

    /// A function's type in the host's view; `None` if the host cannot call it.
    pub(crate) fn signature(&self, func: Func) -> Option<&Arc<FuncType>> {
        self.signatures[self.shell.funcs[func].ty].as_ref()
    }

    /// Type of a variable's value in the host's view; `None` if it has none.
    pub(crate) fn var_type(&self, var: Var) -> Option<ValType> {
        let ty = self.shell.vars[var].ty;
        if holds_typed_functions(&self.shell, ty) {
            return None;
        }
        type_of_kind(Kind::of_type(&self.shell.types[ty])?)
    }

    pub(crate) fn var_words(&self, var: Var) -> u32 {
        var_words(&self.shell, var).unwrap_or(0)
    }

    /// The instruction set, for the code of one function.
    pub(crate) fn encoder(&self, state: encode::State) -> Encoder<'_> {
        let names = Names {
            codes: &self.codes,
            globals: &self.globals,
            types: &self.type_ids,
            ir_types: &self.types,
            kinds: &self.kinds,
            fuel: self.engine.config().fuel,
            interruptible: self.engine.config().interruptible,
            tiers: self.engine.strategy() == Strategy::Tiered,
        };
        Encoder::new(names, state)
    }

    pub(crate) fn workshop(&self) -> MutexGuard<'_, Workshop> {
        self.workshop.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The workshop, for a thread that can wait: those that run programs come first.
    #[cfg(planish_native)]
    pub(crate) fn workshop_in_background(&self) -> MutexGuard<'_, Workshop> {
        // (A mutex alone would go to the thread that has just released it.)
        while self.waiting.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(std::time::Duration::from_micros(20));
        }
        self.workshop()
    }

    /// Has calls enter machine code from now on, but for functions that the host cannot call: those have no adapters, and
    /// stay on the virtual machine there.
    #[cfg(planish_native)]
    pub(crate) fn go_on_as(&self, code: NativeCode) {
        let mut workshop = self.workshop();
        if self.native.set(code).is_err() {
            return;
        }
        for func in self.defined() {
            let code = &self.codes[func.index()];
            if self.signature(func).is_some() {
                code.set_entrance(crate::dispatch::calls::entrance(code));
                // Those of loops may still run on the virtual machine.
                if code.compiled().is_none_or(|compiled| compiled.heads.is_empty())
                    && let Some(body) = workshop.source.module().funcs[func].body.take()
                {
                    workshop.source.reuse(body);
                }
            }
        }
    }

    /// Compiles a function, unless it is compiled.
    pub(crate) fn compile(&self, func: Func) -> Result<(), Error> {
        let code = &self.codes[func.index()];
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let mut workshop = self.workshop();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        let Workshop { source, scratch, encoding, keeps_bodies } = &mut *workshop;
        if code.compiled().is_some() || code.has_entrance() {
            return Ok(());
        }
        source.provide(func)?;
        let module = source.module();
        let encoder = self.encoder(std::mem::take(encoding));
        let (name, span) = (&module.funcs[func].name.text, module.funcs[func].span);
        if module.funcs[func].body.as_ref().is_some_and(|body| body.form == Form::Floating) {
            return Err(Error::unsupported(span, format!("`{name}` floats: it must be placed before it can run")));
        }
        let mut compiler = Compiler::with_scratch(&encoder, module, std::mem::take(scratch));
        let asm = compiler.compile(func);
        *scratch = compiler.into_scratch();
        let asm = asm?;
        // Callers pass arguments and results as declared by its type.
        if self.signature(func).is_some_and(|ty| ty.words() != (asm.args, asm.results)) {
            return Err(Error::unsupported(span, format!("`{name}` has another type than it was declared with")));
        }
        let mut asm = asm;
        let encoded = encoder.finish(&mut asm.directives);
        *encoding = encoded.state;
        if encoded.too_large {
            return Err(Error::too_large(span, name));
        }
        let frame = asm.frame.max(asm.args.max(asm.results) + 2);
        code.set(Compiled {
            code: asm.directives.as_slice().into(),
            spans: asm.spans.pieces().into(),
            frame,
            rares: encoded.rares,
            heads: encoded.heads,
        });
        scratch.reuse(asm);
        if !*keeps_bodies && let Some(body) = module.funcs[func].body.take() {
            source.reuse(body);
        }
        Ok(())
    }
}

/// Number of words of a variable, one for each component; `None` if registers cannot hold it.
fn var_words(module: &ir::Module, var: Var) -> Option<u32> {
    use planish_ir::meaning::Shape;
    module.types.components(module.vars[var].ty)?.try_into().ok()
}

/// The function types of a module: their numbers in the engine, and their types in the host's view.
fn function_types(engine: &Engine, own: &mut OwnTypes, module: &ir::Module) -> (SideTable<Type, u32>, HostTypes) {
    let (mut numbers, mut types) = (SideTable::new(), SideTable::new());
    let in_registers = Signatures::new(module);
    for (ty, kind) in module.types.iter() {
        let TypeKind::Function { params, results } = kind else { continue };
        let seen = in_registers.of(ty).and_then(|signature| {
            let list = |kinds: &[Kind]| kinds.iter().map(|&kind| type_of_kind(kind)).collect::<Option<Vec<_>>>();
            let mut all = params.iter().chain(results.iter());
            let typed = all.any(|&ty| holds_typed_functions(module, ty));
            if typed { None } else { Some(FuncType::new(list(&signature.params)?, list(&signature.results)?)) }
        });
        // `i32` in the host's view may be `u32`, `bool` or a component in code: a call through a table must not confuse
        // them.
        let mut all = params.iter().chain(results.iter());
        numbers[ty] = match &seen {
            Some(seen) if all.all(|&ty| is_of_all_modules(&module.types[ty])) => engine.type_id(seen),
            _ => own.add(seen.clone()),
        };
        types[ty] = engine.func_type(numbers[ty]);
    }
    (numbers, types)
}

/// Whether a type is the same in all modules: the types of WebAssembly.
fn is_of_all_modules(ty: &TypeKind) -> bool {
    let scalar = matches!(ty, TypeKind::Scalar(Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64));
    scalar || matches!(ty, TypeKind::V128 | TypeKind::FuncRef | TypeKind::ExternRef)
}

/// Whether a value of a type contains a function reference that is called without a check of its type.
fn holds_typed_functions(module: &ir::Module, ty: Type) -> bool {
    let ty = module.types.pointee(ty).map_or(ty, |(pointee, _)| pointee);
    module.types.contains(ty, &mut |kind| matches!(kind, TypeKind::Function { .. }))
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
