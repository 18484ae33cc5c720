//! Programs that run: pictures of fragment shaders, and calls of functions.

use planish_eval::Stop;
use planish_eval::shade::{self, DrawOptions, Image, ShadeError};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_vm::{Config, Engine, Func, FuncType, Linker, Store, Strategy, Val, ValType};

use super::{Error, Program, usage};
use crate::lanes::{DrawError, LaneOptions, draw_on};
use crate::load::load;

impl Program {
    /// Draws its fragment shader as `planish run` does: as machine code on several pixels at a time where the host has it, with elementary
    /// functions within a few units in the last place; else, and what of shaders cannot be widened, on the evaluator.
    ///
    /// # Errors
    /// If it has no fragment shader, an option has an unknown name or a wrong size, or the shader does not end (E1303).
    ///
    /// # Example
    /// ```
    /// use planish::eval::shade::DrawOptions;
    /// use planish::{Program, Settings};
    /// let source = "precision highp float;\nuniform float level;\nvoid main() { gl_FragColor = vec4(level, gl_FragCoord.x, 0.0, 1.0); }";
    /// let program = Program::new("a.frag", source, &Settings::default()).unwrap();
    /// let mut options = DrawOptions { size: [2, 1], uniforms: vec![("level".into(), vec![0.25])], ..DrawOptions::default() };
    /// assert_eq!(program.draw(&options).unwrap().float, [[0.25, 0.5, 0.0, 1.0], [0.25, 1.5, 0.0, 1.0]]);
    /// options.uniforms[0].0 = "levle".into();
    /// assert!(program.draw(&options).unwrap_err().to_string().contains("there is no `levle`; there are: level"));
    /// ```
    pub fn draw(&self, options: &DrawOptions<'_>) -> Result<Image, Error> {
        if Engine::supports_native().is_ok() {
            let engine = Engine::new(Config::default().strategy(Strategy::Native).consume_fuel(true));
            // Two vectors at a time: the processor works on one while the other one waits.
            let lanes = if engine.has_wide_vectors() { 16 } else { 8 };
            match draw_on(&engine, &self.module, options, &LaneOptions { lanes, exact: false }) {
                Err(DrawError::Unsupported(_)) => {}
                Ok(image) => return Ok(image),
                Err(DrawError::Shade(error)) => return Err(self.error(of_shader(&error))),
                Err(DrawError::Machine(error)) => return Err(self.error(self.of_machine(&error))),
            }
        }
        shade::draw(&self.module, options).map_err(|error| self.error(of_shader(&error)))
    }

    /// An instance of a program in VL or WebAssembly, whose functions can be called. It runs as machine code where the host has it.
    ///
    /// # Errors
    /// Constructs that the machine does not support, an import, a start function that traps.
    pub fn instance(&self) -> Result<Functions, Error> {
        let engine = Engine::new(Config::default().strategy(Strategy::Native));
        let module = load(&engine, self.module.clone(), None);
        let module = module.map_err(|diagnostics| Error { diagnostics, map: self.map.clone() })?;
        // A stage of a pipeline is no function of the host.
        let is_stage = |name: &str| {
            let mut entries = self.module.entry_points.iter();
            entries.any(|entry| entry.stage.is_some() && entry.names.iter().any(|known| **known == *name))
        };
        let exports = module.exported_funcs().filter(|(name, _)| !is_stage(name));
        let exports: Vec<_> = exports.map(|(name, ty)| (name.to_owned(), ty.clone())).collect();
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &module);
        let instance = instance.map_err(|error| self.error(self.of_machine(&error)))?;
        let func = |(name, _): &(String, FuncType)| instance.get_func(&store, name).expect("an export of the module");
        let funcs = exports.iter().map(func).collect();
        Ok(Functions { program: self.clone(), store, exports, funcs })
    }

    /// The types of the parameters and of the results of an export, which has the type `ty` on the machine; `None` if one is no number: a
    /// vector of 128 bits, or a reference.
    pub fn number_types(&self, name: &str, ty: &FuncType) -> Option<[Vec<NumberType>; 2]> {
        let entries = || self.module.entry_points.iter().filter(|entry| entry.stage.is_none());
        let entry = entries().find(|entry| entry.names.iter().any(|known| **known == *name));
        let function = entry.map(|entry| &self.module.funcs[entry.func]);
        let scalar = |ty| match self.module.types[ty] {
            TypeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        let params = function.iter().flat_map(|of| of.params.iter().map(|param| scalar(param.ty))).collect();
        let results = function.iter().flat_map(|of| of.results.iter().map(|result| scalar(result.ty))).collect();
        let types = |types: &[ValType], scalars: Vec<Option<Scalar>>| {
            // A composite is several values of the machine.
            let is_same = types.len() == scalars.len();
            let scalar = |at: usize| scalars.get(at).copied().flatten().filter(|_| is_same);
            types.iter().enumerate().map(|(at, &ty)| NumberType::of(ty, scalar(at))).collect::<Option<Vec<_>>>()
        };
        Some([types(ty.params(), params)?, types(ty.results(), results)?])
    }

    pub(super) fn error(&self, diagnostic: Diagnostic) -> Error {
        Error { diagnostics: vec![diagnostic], map: self.map.clone() }
    }

    /// The reason for a trap, as stated by a program in VL.
    #[cfg(feature = "vl")]
    fn said(&self, span: Span) -> Option<&str> {
        self.answer.as_ref()?.error_at(span)
    }

    #[cfg(not(feature = "vl"))]
    fn said(&self, _: Span) -> Option<&str> {
        None
    }

    fn of_machine(&self, error: &planish_vm::Error) -> Diagnostic {
        match error {
            planish_vm::Error::Trap(trap) => {
                let message = self.said(trap.span).map_or_else(|| error.to_string(), str::to_owned);
                Diagnostic::error(Code::E1301, trap.span, message)
            }
            planish_vm::Error::Compile(diagnostic) => (**diagnostic).clone(),
            planish_vm::Error::Link { .. } | planish_vm::Error::Type(_) => usage(error.to_string()),
            _ => Diagnostic::error(Code::E1303, Span::NONE, error.to_string()),
        }
    }
}

fn of_shader(error: &ShadeError) -> Diagnostic {
    match error {
        ShadeError::Stop(Stop::Trap { span, .. }) => Diagnostic::error(Code::E1301, *span, error.to_string()),
        ShadeError::Stop(_) => Diagnostic::error(Code::E1303, Span::NONE, error.to_string()),
        _ => usage(error.to_string()),
    }
}

/// The type of a number that a host passes to a function, or gets from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberType {
    /// A truth value; on the machine an integer of 32 bits, 0 or 1.
    Bool,
    /// An integer of 32 bits.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// A float of 32 bits.
    Float32,
    /// A float of 64 bits.
    Float64,
}

impl NumberType {
    /// Its name: `bool`, `int32`, `int64`, `float32`, `float64`.
    pub fn name(self) -> &'static str {
        match self {
            NumberType::Bool => "bool",
            NumberType::Int32 => "int32",
            NumberType::Int64 => "int64",
            NumberType::Float32 => "float32",
            NumberType::Float64 => "float64",
        }
    }

    /// That of a value of the machine, and of the scalar in the program, if that is known.
    fn of(ty: ValType, scalar: Option<Scalar>) -> Option<Self> {
        Some(match ty {
            ValType::I32 if scalar == Some(Scalar::Bool) => NumberType::Bool,
            ValType::I32 => NumberType::Int32,
            ValType::I64 => NumberType::Int64,
            ValType::F32 => NumberType::Float32,
            ValType::F64 => NumberType::Float64,
            _ => return None,
        })
    }
}

/// The functions of an instance.
///
/// # Example
/// ```
/// use planish::vm::Val;
/// use planish::{Program, Settings};
/// let text = r#"(module (func (export "div") (param i32 i32) (result i32) local.get 0 local.get 1 i32.div_s))"#;
/// let mut functions = Program::new("div.wat", text, &Settings::default()).unwrap().instance().unwrap();
/// assert!(matches!(functions.call("div", &[Val::I32(42), Val::I32(2)]).unwrap()[..], [Val::I32(21)]));
/// assert!(functions.call("div", &[Val::I32(1), Val::I32(0)]).unwrap_err().to_string().contains("E1301"));
/// ```
pub struct Functions {
    program: Program,
    store: Store<()>,
    exports: Vec<(String, FuncType)>,
    /// The function of each export.
    funcs: Vec<Func>,
}

impl Functions {
    /// Their names and types.
    pub fn exports(&self) -> &[(String, FuncType)] {
        &self.exports
    }

    /// Calls one.
    ///
    /// # Errors
    /// An unknown name, arguments of other types, a trap (E1301), a limit (E1303).
    pub fn call(&mut self, name: &str, arguments: &[Val]) -> Result<Vec<Val>, Error> {
        let Some(number) = self.exports.iter().position(|(known, _)| known == name) else {
            let names: Vec<&str> = self.exports.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!("there is no function `{name}`; there are: {}", names.join(", "));
            return Err(self.program.error(usage(message)));
        };
        let mut results: Vec<Val> = self.exports[number].1.results().iter().map(|&ty| Val::default_of(ty)).collect();
        self.call_number(number, arguments, &mut results)?;
        Ok(results)
    }

    /// Calls one by its number in [`Functions::exports`], and writes its results, as many as its type has.
    ///
    /// # Errors
    /// As [`Functions::call`].
    ///
    /// # Panics
    /// If there is no function of this number.
    pub fn call_number(&mut self, number: usize, arguments: &[Val], results: &mut [Val]) -> Result<(), Error> {
        let called = self.funcs[number].call(&mut self.store, arguments, results);
        called.map_err(|error| self.program.error(self.program.of_machine(&error)))
    }
}
