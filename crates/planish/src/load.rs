//! Programs on the virtual machine.
//!
//! ```
//! use planish::vm::{Engine, Linker, Store};
//!
//! let text = r#"(module (func (export "double") (param i32) (result i32) local.get 0 local.get 0 i32.add))"#;
//! let engine = Engine::default();
//! let (module, _) = planish::Compiler::default().load(&engine, "double.wat", text, None).expect("valid");
//! let mut store = Store::new(&engine, ());
//! let instance = Linker::new().instantiate(&mut store, &module).expect("imports nothing");
//! let double = instance.get_typed_func::<i32, i32>(&store, "double").expect("is exported");
//! assert_eq!(double.call(&mut store, 21).expect("does not trap"), 42);
//! ```
//!
//! The same as machine code, where the host has it:
//!
//! ```
//! use planish::vm::{Config, Engine, Strategy};
//!
//! let engine = Engine::new(Config::default().strategy(Strategy::Native));
//! let expected = if Engine::supports_native().is_ok() { Strategy::Native } else { Strategy::Vm };
//! assert_eq!(engine.strategy(), expected);
//! ```

#[cfg(feature = "wasm")]
use planish_front_wasm::Parsed;
use planish_ir::diagnostic::{Code, Diagnostic};
#[cfg(feature = "wasm")]
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::source::Span;

use crate::compiler::Compiler;
#[cfg(feature = "wasm")]
use crate::kind::InputKind;
use crate::optimizer::Optimizer;
use planish_opt::{Context, lower_growable_arrays, lower_small};
use planish_vm as vm;

/// A loaded program with its warnings, or the errors.
pub type Loaded = Result<(vm::Module, Vec<Diagnostic>), Vec<Diagnostic>>;

impl Compiler<'_> {
    /// Reads a program and loads it onto the virtual machine. Without an optimizer, functions of WebAssembly are
    /// translated at their first call; the whole module is validated before.
    ///
    /// # Errors
    /// Errors of the program, and constructs that the machine does not support.
    pub fn load(
        &mut self,
        engine: &vm::Engine,
        name: &str,
        source: impl AsRef<[u8]>,
        optimizer: Option<&Optimizer>,
    ) -> Loaded {
        let bytes = source.as_ref();
        #[cfg(feature = "wasm")]
        let kind = self.options.from.unwrap_or_else(|| InputKind::detect(name, bytes));
        #[cfg(feature = "wasm")]
        if kind == InputKind::Wasm && optimizer.is_none() {
            let Ok(file) = self.add_file(name, bytes) else {
                return Err(vec![Diagnostic::error(
                    Code::E0101,
                    Span::NONE,
                    "the program is no text, or larger than 4 GiB",
                )]);
            };
            let parsed = Parsed::new(&file, bytes, &planish_front_wasm::Options::default())?;
            return finish(engine, Lazy(parsed), vec![]);
        }
        let compilation = self.compile(name, bytes);
        match compilation.module {
            Some(module) => load(engine, module, optimizer).map(|m| (m, compilation.diagnostics)),
            None => Err(compilation.diagnostics),
        }
    }
}

/// Loads a module onto the virtual machine.
///
/// # Errors
/// Constructs that the machine does not support.
pub fn load(
    engine: &vm::Engine,
    mut module: Module,
    optimizer: Option<&Optimizer>,
) -> Result<vm::Module, Vec<Diagnostic>> {
    if let Some(optimizer) = optimizer {
        let mut optimizer = optimizer.clone();
        optimizer.options.arrays_in_memory = true;
        optimizer.run(&mut module, &mut |_, _| {});
    }
    crate::floating::place_all(&mut module);
    if lower_small::is_needed(&module, lower_small::NONE) {
        lower_small::run(&mut module, "the virtual machine", lower_small::NONE, &mut Context::default())?;
    }
    lower_growable_arrays::run(&mut module, &mut Context::default())?;
    finish(engine, module, vec![]).map(|(module, _)| module)
}

fn finish(engine: &vm::Engine, source: impl vm::Source + 'static, diagnostics: Vec<Diagnostic>) -> Loaded {
    match vm::Module::new(engine, source) {
        Ok(module) => Ok((module, diagnostics)),
        Err(vm::Error::Compile(diagnostic)) => Err(vec![*diagnostic]),
        Err(error) => Err(vec![Diagnostic::error(Code::E0604, Span::NONE, error.to_string())]),
    }
}

/// Functions of WebAssembly, translated at their first call.
#[cfg(feature = "wasm")]
struct Lazy(Parsed);

#[cfg(feature = "wasm")]
impl vm::Source for Lazy {
    fn module(&mut self) -> &mut Module {
        self.0.module_mut()
    }

    fn provide(&mut self, func: Func) -> Result<(), vm::Error> {
        self.0.translate_function(func).map_err(vm::Error::from)
    }
}
