//! Programs whose types are known when they run.

use std::fmt;

use planish_front_stage::{Errors, HostFunction, Slice};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::function::Function as IrFunction;
use planish_ir::host::{HostNumber, SliceParam};
use planish_ir::module::{EntryPoint, Module};
use planish_ir::source::SourceMap;
use planish_ir::types::{Scalar, TypeKind};
use planish_vm::{Config, Engine, Error, Strategy};

use super::Stopped;
use super::instances::{Instances, Outline};

/// A program with one function, which the host calls with values of types that are known when it runs.
///
/// It is made of a staged function ([`Function::program`](super::Function::program)) or of an export of another language
/// ([`Program::of_export`]), and can be written as bytes ([`Program::to_bytes`]).
///
/// ```
/// use planish::stage::{Argument, In, Out, Program, Rep, function};
///
/// let scale = function("scale", |a: Rep<f64>, x: In<[f64]>, y: Out<[f64]>| x.iter().map(move |x| a * x).write_to(y))?;
/// let bytes = scale.program().to_bytes()?;
///
/// // In another process, with another version of Planish.
/// let program = Program::from_bytes(&bytes)?;
/// assert_eq!(program.signature().to_string(), "(f64, In<[f64]>, Out<[f64]>) -> (u32)");
/// let mut y = [0.0; 3];
/// let args = [2.0.into(), Argument::from(&[1.0, 2.0, 3.0][..]), Argument::from(&mut y[..])];
/// program.compile()?.call_columns(args)?;
/// assert_eq!(y, [2.0, 4.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Program {
    pub(super) module: Module,
    pub(super) map: SourceMap,
    pub(super) name: String,
    pub(super) hosts: Vec<HostFunction>,
    /// Slices among the parameters; their memories are the first of the module.
    pub(super) slices: Vec<SliceParam>,
}

/// The type of a parameter of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamType {
    /// One value.
    Scalar(Scalar),
    /// A slice of elements of `count` numbers each.
    Slice {
        /// The type of the numbers.
        number: HostNumber,
        /// The numbers of an element.
        count: u32,
        /// Whether the program may write it: `Out`.
        is_written: bool,
    },
}

impl fmt::Display for ParamType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ParamType::Scalar(scalar) => f.write_str(scalar.name()),
            ParamType::Slice { number, count, is_written } => {
                let name = if is_written { "Out" } else { "In" };
                match count {
                    1 => write!(f, "{name}<[{}]>", number.name()),
                    _ => write!(f, "{name}<[[{}; {count}]]>", number.name()),
                }
            }
        }
    }
}

/// The types of the parameters and results of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// Types of the parameters.
    pub params: Vec<ParamType>,
    /// Types of the results.
    pub results: Vec<Scalar>,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params: Vec<String> = self.params.iter().map(ParamType::to_string).collect();
        let results: Vec<&str> = self.results.iter().map(|scalar| scalar.name()).collect();
        write!(f, "({}) -> ({})", params.join(", "), results.join(", "))
    }
}

/// The errors of something that is in no file.
pub(super) fn errors(code: Code, message: impl Into<String>, help: &str) -> Errors {
    let error = Diagnostic::error(code, planish_ir::source::Span::NONE, message);
    let error = if help.is_empty() { error } else { error.help(help) };
    Errors { diagnostics: vec![error], map: SourceMap::new() }
}

impl Program {
    /// An export of a module that was compiled from another language, such as VL: a function of scalars, without imports.
    ///
    /// # Errors
    /// If there is no such export, or its parameters and results are not all scalars, or the module needs something of its host
    /// ([`Code::E1421`]).
    #[cfg_attr(
        feature = "vl",
        doc = r#"
```
use planish::Compiler;
use planish::stage::Program;

let mut compiler = Compiler::default();
let compiled = compiler.compile("area.vl", "(define (area r) (* 3.14159 (* r r))) (export area (real)) area");
let module = compiled.module.expect("it is valid");
let area = Program::of_export(&module, &compiler.map, "area")?;
assert_eq!(area.signature().to_string(), "(f64) -> (f64)");
let results = area.compile()?.call_columns([2.0.into()])?;
assert_eq!(results[0].get::<f64>(), Some(3.14159 * 4.0));
# Ok::<(), Box<dyn std::error::Error>>(())
```
"#
    )]
    pub fn of_export(module: &Module, map: &SourceMap, name: &str) -> Result<Program, Errors> {
        let is_it = |entry: &&EntryPoint| entry.names.iter().any(|known| **known == *name);
        let Some(entry) = module.entry_points.iter().find(is_it) else {
            let known: Vec<&str> =
                module.entry_points.iter().flat_map(|entry| &entry.names).map(|name| &**name).collect();
            let help = format!("its exports are: {}", known.join(", "));
            return Err(errors(Code::E1421, format!("the module has no export `{name}`"), &help));
        };
        let mut program = Program {
            module: Module { entry_points: vec![entry.clone()], ..module.clone() },
            map: map.clone(),
            name: name.to_owned(),
            hosts: Vec::new(),
            slices: Vec::new(),
        };
        crate::floating::place_all(&mut program.module);
        program.check().map_err(|why| errors(Code::E1421, format!("`{name}` is no program of its own: {why}"), ""))?;
        Ok(program)
    }

    /// The name of its function.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Places in what it was made of.
    pub fn map(&self) -> &SourceMap {
        &self.map
    }

    /// The types of its parameters and results.
    pub fn signature(&self) -> Signature {
        let scalar = |ty| match self.module.types[ty] {
            TypeKind::Scalar(scalar) => scalar,
            _ => unreachable!("`check` has seen it"),
        };
        let function = self.function();
        let param = |(index, param): (usize, &planish_ir::function::Param)| match self
            .slices
            .iter()
            .find(|slice| slice.param == index)
        {
            Some(&SliceParam { number, count, is_written, .. }) => ParamType::Slice { number, count, is_written },
            None => ParamType::Scalar(scalar(param.ty)),
        };
        Signature {
            params: function.params.iter().enumerate().map(param).collect(),
            results: function.results.iter().map(|result| scalar(result.ty)).collect(),
        }
    }

    /// The function that the host calls.
    pub(super) fn function(&self) -> &IrFunction {
        &self.module.funcs[self.module.entry_points[0].func]
    }

    /// Whether the module is one that programs have. All else here relies on it.
    ///
    /// # Errors
    /// Why it is not.
    pub(super) fn check(&self) -> Result<(), String> {
        let module = &self.module;
        let [entry] = &module.entry_points[..] else { return Err("it has not one function for the host".into()) };
        let names_it = entry.names.iter().any(|name| **name == *self.name);
        if entry.stage.is_some() || !names_it || module.funcs.get(entry.func).is_none_or(|f| f.body.is_none()) {
            return Err("its function is not one that a host calls".into());
        }
        if let Some((_, import)) = module.func_imports.first() {
            return Err(format!("it calls `{}` of its host", import.name));
        }
        let is_outside = module.vars.values().any(|var| var.linkage.as_ref().is_some_and(|l| l.import.is_some()));
        if is_outside || module.start.is_some() || !module.tables.is_empty() || !module.data.is_empty() {
            return Err("it has memory, tables or variables that come from outside".into());
        }
        let function = self.function();
        let is_scalar = |&ty: &planish_ir::entity::Type| matches!(module.types[ty], TypeKind::Scalar(_));
        let types = function.params.iter().map(|param| param.ty).chain(function.results.iter().map(|result| result.ty));
        if !types.collect::<Vec<_>>().iter().all(is_scalar) {
            return Err("its parameters and results are not all scalars".into());
        }
        self.check_slices()
    }

    fn check_slices(&self) -> Result<(), String> {
        let (module, function) = (&self.module, self.function());
        if module.memories.len() != self.slices.len() {
            return Err("it has a memory that is no slice".into());
        }
        for ((memory, data), (index, slice)) in module.memories.iter().zip(self.slices.iter().enumerate()) {
            let is_first = self.slices[..index].iter().all(|other| other.param < slice.param);
            let is_len =
                function.params.get(slice.param).is_some_and(|param| param.ty == planish_ir::entity::Type::U32);
            let limits = (data.min_pages, data.max_pages) == (0, Some(0));
            if slice.memory != memory
                || !is_first
                || !is_len
                || !limits
                || *data.exports != [format!("slice{index}").into()]
                || *data.exports[0] == *self.name
                || data.import.is_some()
            {
                return Err(format!("slice {index} is not as slices are"));
            }
        }
        Ok(())
    }

    /// Whether each call ends without a trap, seen at once: there is no loop, no call, and no operation that may trap.
    pub fn is_total(&self) -> bool {
        let body = self.function().body.as_ref().expect("`check` has seen it");
        planish_ir::walk::blocks(body).all(|block| {
            use planish_ir::function::Exit;
            let data = &body.blocks[block];
            let ends = !matches!(data.exit, Exit::Loop { .. } | Exit::DoLoop { .. } | Exit::Trap(_));
            ends && data.nodes.iter().all(|&node| !body.node(node).op.may_trap())
        })
    }

    /// Compiles the program for this host, as [`Function::compile`](super::Function::compile).
    ///
    /// # Errors
    /// A function too large for the engine, and operations that it does not have.
    pub fn compile(&self) -> Result<CompiledProgram, Errors> {
        self.compile_on(&Engine::new(Config::default().strategy(Strategy::Native)))
    }

    /// Compiles the program on an engine of the caller's.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn compile_on(&self, engine: &Engine) -> Result<CompiledProgram, Errors> {
        let signature = self.signature();
        let params = signature.params.iter().map(|param| match param {
            ParamType::Scalar(scalar) => *scalar,
            ParamType::Slice { .. } => Scalar::U32,
        });
        let outline = Outline {
            name: &self.name,
            map: &self.map,
            hosts: &self.hosts,
            slices: &self.slices,
            params: params.collect(),
            results: signature.results.clone(),
        };
        let instances = Instances::compile(engine, self.module.clone(), outline)?;
        Ok(CompiledProgram { instances, signature })
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program {}{}", self.name, self.signature())
    }
}

/// A scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// Its type.
    pub scalar: Scalar,
    /// Its bits; those above its width are 0.
    pub bits: u64,
}

impl Value {
    /// The number in Rust, if it is of that type.
    pub fn get<T: TryFrom<Value>>(self) -> Option<T> {
        T::try_from(self).ok()
    }
}

/// An argument of a program.
#[derive(Debug)]
pub enum Argument<'a> {
    /// One value.
    Value(Value),
    /// Numbers that the program reads.
    In(HostNumber, &'a [u8]),
    /// Numbers that the program reads and writes.
    Out(HostNumber, &'a mut [u8]),
}

macro_rules! scalars {
    ($($ty:ident $scalar:ident ($bits:expr) ($back:expr);)*) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Value {
                Value { scalar: Scalar::$scalar, bits: ($bits)(value) }
            }
        }

        impl TryFrom<Value> for $ty {
            type Error = Value;

            fn try_from(value: Value) -> Result<$ty, Value> {
                if value.scalar == Scalar::$scalar { Ok(($back)(value.bits)) } else { Err(value) }
            }
        }

        impl From<$ty> for Argument<'_> {
            fn from(value: $ty) -> Self {
                Argument::Value(value.into())
            }
        }
    )*};
}

scalars! {
    bool Bool (u64::from) (|bits| bits != 0);
    i32 I32 (|x: i32| u64::from(x as u32)) (|bits| bits as i32);
    u32 U32 (u64::from) (|bits| bits as u32);
    i64 I64 (|x| x as u64) (|bits| bits as i64);
    u64 U64 (|x| x) (|bits| bits);
    f32 F32 (|x: f32| u64::from(x.to_bits())) (|bits| f32::from_bits(bits as u32));
    f64 F64 (f64::to_bits) (f64::from_bits);
}

macro_rules! slices {
    ($($ty:ident $number:ident;)*) => {$(
        impl<'a> From<&'a [$ty]> for Argument<'a> {
            fn from(slice: &'a [$ty]) -> Self {
                Argument::In(HostNumber::$number, bytemuck::cast_slice(slice))
            }
        }

        impl<'a> From<&'a mut [$ty]> for Argument<'a> {
            fn from(slice: &'a mut [$ty]) -> Self {
                Argument::Out(HostNumber::$number, bytemuck::cast_slice_mut(slice))
            }
        }
    )*};
}

slices! {
    i8 I8;
    u8 U8;
    i16 I16;
    u16 U16;
    i32 I32;
    u32 U32;
    i64 I64;
    u64 U64;
    f32 F32;
    f64 F64;
}

/// A program on an engine. It may be called from several threads at once.
pub struct CompiledProgram {
    instances: Instances,
    signature: Signature,
}

impl CompiledProgram {
    /// The types of its parameters and results.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Calls the function with columns and values, which fit its parameters, and gives its results. Nothing is copied.
    ///
    /// # Errors
    /// Arguments that do not fit, and a trap.
    pub fn call_columns<'a>(&self, args: impl IntoIterator<Item = Argument<'a>>) -> Result<Vec<Value>, Stopped> {
        let args: Vec<Argument<'a>> = args.into_iter().collect();
        self.fit(&args).map_err(|why| Stopped { error: Error::Type(why), place: None })?;
        let pass = |bits: &mut Vec<u64>, slices: &mut dyn FnMut(Slice<'a>)| {
            for (param, arg) in self.signature.params.iter().zip(args) {
                let stride = param.stride().max(1);
                match arg {
                    Argument::Value(value) => bits.push(value.bits),
                    Argument::In(_, bytes) => {
                        bits.push((bytes.len() / stride) as u64);
                        slices(Slice::In(bytes));
                    }
                    Argument::Out(_, bytes) => {
                        bits.push((bytes.len() / stride) as u64);
                        slices(Slice::Out(bytes));
                    }
                }
            }
        };
        self.instances.call(pass, |bits| {
            self.signature.results.iter().zip(bits).map(|(&scalar, bits)| Value { scalar, bits }).collect()
        })
    }

    /// Whether the arguments are of the types of the parameters.
    fn fit(&self, args: &[Argument<'_>]) -> Result<(), String> {
        let params = &self.signature.params;
        if args.len() != params.len() {
            return Err(format!("`{}` takes {} arguments, not {}", self.instances.name, params.len(), args.len()));
        }
        for (index, (param, arg)) in params.iter().zip(args).enumerate() {
            let (fits, found, bytes) = match (param, arg) {
                (ParamType::Scalar(scalar), Argument::Value(value)) => {
                    (*scalar == value.scalar, value.scalar.name(), 0)
                }
                (_, Argument::Value(value)) => (false, value.scalar.name(), 0),
                (ParamType::Slice { number, is_written, .. }, Argument::In(found, bytes)) => {
                    (number == found && !is_written, found.name(), bytes.len())
                }
                (ParamType::Slice { number, is_written, .. }, Argument::Out(found, bytes)) => {
                    (number == found && *is_written, found.name(), bytes.len())
                }
                (_, Argument::In(found, _) | Argument::Out(found, _)) => (false, found.name(), 0),
            };
            let form = match arg {
                Argument::Value(_) => found.to_owned(),
                Argument::In(..) => format!("In<[{found}]>"),
                Argument::Out(..) => format!("Out<[{found}]>"),
            };
            if !fits || bytes % param.stride().max(1) != 0 {
                let name = &self.instances.name;
                return Err(format!("argument {index} of `{name}` is {form}, and its parameter {param}"));
            }
        }
        Ok(())
    }
}

impl ParamType {
    /// Bytes of an element; 0 of a scalar.
    fn stride(self) -> usize {
        match self {
            ParamType::Scalar(_) => 0,
            ParamType::Slice { number, count, .. } => number.width().bytes() as usize * count as usize,
        }
    }
}

impl fmt::Debug for CompiledProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CompiledProgram {}{}", self.instances.name, self.signature)
    }
}
