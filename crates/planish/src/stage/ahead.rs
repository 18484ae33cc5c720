//! Staged functions compiled ahead of time: a static library, and the Rust that calls it.

use std::fmt::Write;
use std::io::Cursor;

use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use planish_front_stage::{Errors, Params, Staged};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::host::{HostNumber, SliceParam};
use planish_ir::module::Module;
use planish_ir::types::{Scalar, TypeKind};

use super::Function;
use crate::emit::{EmitOptions, emit_slices};
use crate::kind::Target;

/// Functions compiled ahead of time, in a build script: a static library, and Rust with a safe function for each.
///
/// A parameter is a number, an array for a vector or matrix, and a slice for an [`In`](super::In) or [`Out`](super::Out) with its elements as
/// arrays of numbers; a tuple is a parameter for each of its values, and several results are a tuple. A trap ends the process with a message, since
/// code of an object does not unwind.
///
/// ```
/// use planish::stage::{In, Library, function};
///
/// let dot = function("dot", |a: In<[f64]>, b: In<[f64]>| a.iter().zip(b.iter()).map(|(x, y)| x * y).sum())?;
/// let mut library = Library::new("kernels", None);
/// library.add(&dot)?;
/// assert!(library.rust().contains("pub fn dot(x0: &[f64], x1: &[f64]) -> f64 {"));
/// assert!(library.archive().starts_with(b"!<arch>\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Library {
    name: String,
    triple: Option<String>,
    /// Names of functions, and their objects.
    objects: Vec<(String, Vec<u8>)>,
    rust: String,
}

/// The begin of the Rust.
const BEGIN: &str = "// Written by Planish: functions compiled ahead of time.

// Symbols that their code needs.
use planish_runtime as _;

fn length(count: usize) -> u32 {
    u32::try_from(count).expect(\"a slice has fewer than 2^32 elements\")
}
";

impl Library {
    /// A library without functions, of a name that begins its symbols, for a processor and system as in `x86_64-unknown-linux-gnu` (`TARGET` of a
    /// build script); `None`: those that this program runs on.
    pub fn new(name: &str, triple: Option<&str>) -> Self {
        Library { name: name.into(), triple: triple.map(str::to_owned), objects: Vec::new(), rust: BEGIN.into() }
    }

    /// Compiles a function.
    ///
    /// # Errors
    /// As of [`Function::emit`]; E1406 for a function that needs more than its arguments, as one that calls the host, and for one whose name is
    /// taken or is no name of Rust.
    pub fn add<A: Params, R: Staged>(&mut self, function: &Function<A, R>) -> Result<(), Errors> {
        let name = &function.built.name;
        let refuse = |reason: &str| {
            let module = &function.built.module;
            let span = module.entry_points.first().map(|entry| module.funcs[entry.func].span).unwrap_or_default();
            let message = format!("`{name}` is no function of a library: {reason}");
            function.errors(vec![Diagnostic::error(Code::E1406, span, message)])
        };
        if !is_identifier(name) || !is_identifier(&self.name) {
            return Err(refuse(
                "its name, or that of the library, is none of Rust: letters, digits and `_`, and no word of the language",
            ));
        }
        if self.objects.iter().any(|(known, _)| known == name) || name == "length" {
            return Err(refuse("the name is taken"));
        }
        let options = EmitOptions {
            prefix: self.name.clone(),
            triple: self.triple.clone(),
            debug_info: Some(function.built.map.clone()),
            ..EmitOptions::default()
        };
        let (module, func, slices) = function.with_slices(&function.optimizer_for_objects(&options));
        if let Some((_, import)) = module.func_imports.first() {
            return Err(refuse(&format!("it calls `{}`, a function of the host", import.name)));
        }
        let object =
            emit_slices(&module, &slices, Target::Object, &options).map_err(|errors| function.errors(errors))?;
        let data = &module.funcs[func];
        let params: Vec<Passed> =
            (0..data.params.len()).map(|at| passed(&module, data.params[at].ty, at, &slices)).collect();
        let results: Vec<Passed> =
            data.results.iter().map(|result| passed(&module, result.ty, usize::MAX, &slices)).collect();
        let names: Vec<&str> = data.params.iter().map(|param| &*param.name.text).collect();
        // Code is called as it was declared, or not at all.
        let declared = c_declaration(&format!("{}_{name}", self.name), &names, &params, &results);
        if !object.header.as_deref().is_some_and(|header| header.contains(&declared)) {
            return Err(refuse("it needs more than its arguments, such as a state, which lists have"));
        }
        self.rust += &wrapper(&self.name, name, &names, &params, &results);
        self.objects.push((name.clone(), object.bytes));
        Ok(())
    }

    /// The static library.
    pub fn archive(&self) -> Vec<u8> {
        let member = |(name, object): &(String, Vec<u8>)| {
            NewArchiveMember::new(object.clone(), &DEFAULT_OBJECT_READER, format!("{}_{name}.o", self.name))
        };
        let members: Vec<NewArchiveMember<'_>> = self.objects.iter().map(member).collect();
        let triple = self.triple();
        let kind = match () {
            () if triple.contains("windows") => ArchiveKind::Coff,
            () if triple.contains("apple") => ArchiveKind::Darwin,
            () => ArchiveKind::Gnu,
        };
        let mut bytes = Cursor::new(Vec::new());
        let written = write_archive_to_stream(&mut bytes, &members, kind, false, Some(false));
        written.expect("memory takes all, and the objects are ours");
        bytes.into_inner()
    }

    /// The name of the static library's file, as linkers of the system look for it.
    pub fn file_name(&self) -> String {
        if self.triple().contains("msvc") { format!("{}.lib", self.name) } else { format!("lib{}.a", self.name) }
    }

    /// Rust with a safe function for each, to be included in a module of a crate that depends on `planish-runtime`.
    pub fn rust(&self) -> &str {
        &self.rust
    }

    fn triple(&self) -> String {
        self.triple.clone().unwrap_or_else(planish_back_native::native_triple)
    }
}

/// Words of Rust that are no names.
const WORDS: &str = "Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in \
    let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized use virtual \
    where while yield _";

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let has_letters = letters.next().is_some_and(is_first) && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    has_letters && WORDS.split_whitespace().all(|word| word != name)
}

/// The form of a parameter or result.
enum Passed {
    Scalar(Scalar),
    /// Lengths of an array of arrays, the outer one last, and its type in C.
    Array(Scalar, Vec<u32>, String),
    Slice(SliceParam),
}

fn passed(module: &Module, ty: planish_ir::entity::Type, at: usize, slices: &[SliceParam]) -> Passed {
    if let Some(slice) = slices.iter().find(|slice| slice.param == at) {
        return Passed::Slice(*slice);
    }
    match module.types[ty] {
        TypeKind::Vector(scalar, n) => Passed::Array(scalar, vec![n.into()], format!("planish_{}x{n}", scalar.name())),
        TypeKind::Matrix { scalar, columns, rows } => {
            let lengths = vec![rows.into(), columns.into()];
            Passed::Array(scalar, lengths, format!("planish_{}m{columns}x{rows}", scalar.name()))
        }
        _ => Passed::Scalar(module.types.scalar_of(ty).expect("values are scalars, vectors and matrices")),
    }
}

impl Passed {
    /// The type of a parameter in C, to which its name is added; of a slice, without the length.
    fn c_param(&self, name: &str) -> String {
        match self {
            Passed::Scalar(scalar) => format!("{} {name}", c_scalar(*scalar)),
            Passed::Array(.., c_type) => format!("const {c_type} *{name}"),
            Passed::Slice(SliceParam { number, is_written, .. }) => {
                let constant = if *is_written { "" } else { "const " };
                format!("{constant}{} *{name}, uint32_t {name}_len", c_number(*number))
            }
        }
    }

    /// The type in Rust: of a parameter, which is borrowed, or of a value.
    fn rust(&self) -> String {
        match self {
            Passed::Scalar(scalar) => scalar.name().into(),
            Passed::Array(scalar, lengths, _) => {
                lengths.iter().fold(scalar.name().into(), |of: String, length| format!("[{of}; {length}]"))
            }
            Passed::Slice(slice) => match slice.count {
                1 => slice.number.name().into(),
                count => format!("[{}; {count}]", slice.number.name()),
            },
        }
    }
}

fn c_scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 | Scalar::I16 | Scalar::I32 => "int32_t",
        Scalar::U8 | Scalar::U16 | Scalar::U32 => "uint32_t",
        Scalar::I64 => "int64_t",
        Scalar::U64 => "uint64_t",
        Scalar::F16 | Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

fn c_number(number: HostNumber) -> &'static str {
    match number {
        HostNumber::I8 => "int8_t",
        HostNumber::U8 => "uint8_t",
        HostNumber::I16 => "int16_t",
        HostNumber::U16 => "uint16_t",
        _ => c_scalar(number.scalar()),
    }
}

/// The begin of the declaration in C: all but a parameter for the result.
fn c_declaration(symbol: &str, names: &[&str], params: &[Passed], results: &[Passed]) -> String {
    let result = match results {
        [Passed::Scalar(scalar)] => c_scalar(*scalar),
        _ => "void",
    };
    let list: Vec<String> = params.iter().zip(names).map(|(param, name)| param.c_param(name)).collect();
    let end = match results {
        [] | [Passed::Scalar(_)] if list.is_empty() => "void);",
        [] | [Passed::Scalar(_)] => ");",
        [_] | [_, ..] if list.is_empty() => "",
        _ => ", ",
    };
    format!("{result} {symbol}({}{end}", list.join(", "))
}

/// The function of Rust.
fn wrapper(library: &str, function: &str, names: &[&str], params: &[Passed], results: &[Passed]) -> String {
    let (mut outer, mut inner, mut args) = (Vec::new(), Vec::new(), Vec::new());
    for (param, name) in params.iter().zip(names) {
        let ty = param.rust();
        match param {
            Passed::Scalar(_) => {
                outer.push(format!("{name}: {ty}"));
                inner.push(format!("{name}: {ty}"));
                args.push((*name).to_owned());
            }
            Passed::Array(..) => {
                outer.push(format!("{name}: {ty}"));
                inner.push(format!("{name}: *const {ty}"));
                args.push(format!("&raw const {name}"));
            }
            Passed::Slice(slice) => {
                let (reference, pointer, of) = match slice.is_written {
                    true => ("&mut ", "*mut ", "as_mut_ptr"),
                    false => ("&", "*const ", "as_ptr"),
                };
                outer.push(format!("{name}: {reference}[{ty}]"));
                inner.push(format!("{name}: {pointer}{ty}, {name}_len: u32"));
                args.push(format!("{name}.{of}(), {name}_len"));
            }
        }
    }
    let types: Vec<String> = results.iter().map(Passed::rust).collect();
    let result = match &types[..] {
        [] => String::new(),
        [one] => format!(" -> {one}"),
        several => format!(" -> ({})", several.join(", ")),
    };
    let by_value = matches!(results, [Passed::Scalar(_)]);
    let mut text =
        format!("\n/// The staged function `{function}`, compiled ahead of time. A trap ends the process.\n");
    let mut line = |depth: usize, line: &str| writeln!(text, "{:1$}{line}", "", depth * 4).expect("strings take all");
    line(0, "#[allow(clippy::too_many_arguments, reason = \"as many as the function has\")]");
    line(0, &format!("pub fn {function}({}){result} {{", outer.join(", ")));
    if types.len() > 1 {
        line(1, "#[derive(Default)]");
        line(1, "#[repr(C)]");
        line(1, "struct Results {");
        types.iter().enumerate().for_each(|(at, ty)| line(2, &format!("r{at}: {ty},")));
        line(1, "}");
    }
    let back = if types.len() > 1 { "Results" } else { types.first().map_or("", |ty| ty) };
    if !results.is_empty() && !by_value {
        inner.push(format!("result: *mut {back}"));
        args.push("&raw mut result".into());
    }
    line(1, "unsafe extern \"C\" {");
    line(2, &format!("#[link_name = \"{library}_{function}\"]"));
    line(2, &format!("fn call({}){};", inner.join(", "), if by_value { &result } else { "" }));
    line(1, "}");
    for (_, name) in params.iter().zip(names).filter(|(param, _)| matches!(param, Passed::Slice(_))) {
        line(1, &format!("let {name}_len = length({name}.len());"));
    }
    if !results.is_empty() && !by_value {
        line(1, &format!("let mut result = <{back}>::default();"));
    }
    line(
        1,
        "// SAFETY: The object declares this function in C with these types. It reads and writes the elements of the slices",
    );
    line(
        1,
        "// and nothing else, within their lengths; the borrows prove that no other slice overlaps one that it writes.",
    );
    line(1, &format!("unsafe {{ call({}) }}{}", args.join(", "), if by_value { "" } else { ";" }));
    match types.len() {
        0 => {}
        1 if by_value => {}
        1 => line(1, "result"),
        n => line(1, &format!("({})", (0..n).map(|at| format!("result.r{at}")).collect::<Vec<_>>().join(", "))),
    }
    line(0, "}");
    text
}
