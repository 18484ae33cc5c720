//! The interface of an object in C: names, parameters, results. The code of the interface and the header both follow it.

use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Memory, Type, Var};
use planish_ir::host::SliceParam;
use planish_ir::module::{Import, Module, Stage};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use planish_machine::isa::Kind;
use rustc_hash::FxHashSet;

use crate::ctype::{CLayout, scalar_of};
use crate::layout::Layout;
use crate::shaders::Shaders;

/// Place of the module's variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// There are none.
    None,
    /// In an instance of the caller's.
    Instance,
    /// In the frame of the interface's function: each call of a shader has its own.
    Call,
    /// The same, with memories of the caller's: shaders over batches of invocations.
    Shader,
    /// The same for functions that take slices, which are all the memories.
    Slices,
}

/// Passing mode of a parameter in C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// By value.
    Value(Kind),
    /// By a pointer to what the function reads.
    In,
    /// By a pointer to what the function reads and replaces.
    InOut,
    /// The number of elements of a slice: a pointer to the first of its numbers, and the number, by value.
    Slice(SliceParam),
}

/// A parameter of a function that C calls or defines.
#[derive(Clone, Debug)]
pub struct CParam {
    /// Its name.
    pub name: String,
    /// The type of the value, or of that behind the pointer.
    pub ty: Type,
    /// Passing mode.
    pub passing: Passing,
}

/// Passing mode of results in C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CResults {
    /// No result.
    None,
    /// One scalar.
    Value(Type, Kind),
    /// Behind a pointer, the last parameter.
    Pointer(Type),
    /// As members of a structure, behind a pointer, the last parameter.
    Struct(Vec<Type>),
}

/// A function that C calls or defines.
#[derive(Clone, Debug)]
pub struct CFunction {
    /// Its symbol.
    pub c_name: String,
    /// Its name in the program.
    pub name: String,
    /// The function of the module.
    pub func: Func,
    /// Parameters.
    pub params: Vec<CParam>,
    /// Results.
    pub results: CResults,
}

/// Variables that an entry point of a shader takes and gives, with their names in C.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub Vec<(String, Var)>);

/// An entry point of a shader.
#[derive(Clone, Debug)]
pub struct StageFunction {
    /// Its symbol.
    pub c_name: String,
    /// Its name in the program.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
    /// The function of the module.
    pub func: Func,
    /// Uniforms and push constants.
    pub uniforms: Fields,
    /// Inputs.
    pub inputs: Fields,
    /// Outputs.
    pub outputs: Fields,
}

/// Everything that C sees of an object.
#[derive(Debug)]
pub struct Interface {
    /// The first part of all names; may be empty.
    pub prefix: String,
    /// Place of the variables of the module.
    pub state: State,
    /// Functions that C calls.
    pub functions: Vec<CFunction>,
    /// Shaders of one invocation.
    pub stages: Vec<StageFunction>,
    /// Names of the shaders over batches.
    pub shaders: Vec<String>,
    /// Functions that C defines.
    pub imports: Vec<CFunction>,
    /// Exported memories: name in C, name in the program.
    pub memories: Vec<(String, String, Memory)>,
    /// Exported variables: name in C, name in the program.
    pub vars: Vec<(String, String, Var)>,
    /// Imported memories: parameters of the initialization of an instance.
    pub imported_memories: Vec<(String, Import, Memory)>,
    /// Imported variables, likewise.
    pub imported_vars: Vec<(String, Import, Var)>,
    /// Exports that C cannot call.
    pub warnings: Vec<Diagnostic>,
}

impl Interface {
    /// The interface of a module.
    ///
    /// # Errors
    /// E0604 for what C cannot supply: imported tables, imported variables that may be set, types that it lacks.
    pub fn new(
        module: &Module,
        layout: &Layout,
        prefix: &str,
        shaders: &Shaders,
        slices: &[SliceParam],
    ) -> Result<Interface, Vec<Diagnostic>> {
        let has_stages = module.entry_points.iter().any(|entry| entry.stage.is_some());
        let state = match layout.has_state() || module.start.is_some() {
            _ if !shaders.is_empty() => State::Shader,
            _ if !slices.is_empty() => State::Slices,
            false => State::None,
            true if has_stages => State::Call,
            true => State::Instance,
        };
        let mut interface = Interface {
            prefix: prefix.to_owned(),
            state,
            functions: vec![],
            stages: vec![],
            shaders: vec![],
            imports: vec![],
            memories: vec![],
            vars: vec![],
            imported_memories: vec![],
            imported_vars: vec![],
            warnings: vec![],
        };
        let mut names = Names::new(prefix);
        let mut errors = Vec::new();
        if !shaders.is_empty() {
            interface.shaders = shaders.entries.iter().map(|entry| names.of(&[&entry.name])).collect();
            let others = module.func_imports.iter().filter(|(func, _)| !shaders.is_texture(*func));
            errors.extend(others.map(|(func, import)| {
                let text = format!("an object has no shaders that import functions (`{}`)", import.name);
                Diagnostic::error(Code::E0604, module.place_of(*func), text)
            }));
            return if errors.is_empty() { Ok(interface) } else { Err(errors) };
        }
        if state == State::Slices && (has_stages || !layout.has_only_memories(slices.len())) {
            let text = "an object has no functions of slices in a module with memories, tables or variables";
            errors.push(Diagnostic::error(Code::E0604, Span::NONE, text));
        }
        interface.imports(module, layout, &mut names, &mut errors);
        interface.exports(module, layout, slices, &mut names, &mut errors);
        if has_stages && !(module.memories.is_empty() && module.tables.is_empty()) {
            let text = "an object has no shaders with byte memories or tables";
            errors.push(Diagnostic::error(Code::E0604, Span::NONE, text));
        }
        if errors.is_empty() { Ok(interface) } else { Err(errors) }
    }

    fn imports(&mut self, module: &Module, layout: &Layout, names: &mut Names, errors: &mut Vec<Diagnostic>) {
        for (func, import) in &module.func_imports {
            let c_name = names.of(&[&import.module, &import.name]);
            match function(module, *func, &[], c_name, import.name.to_string()) {
                Ok(function) => self.imports.push(function),
                Err(error) => errors.push(*error),
            }
        }
        for (memory, data) in module.memories.iter() {
            if let Some(import) = &data.import {
                self.imported_memories.push((names.param(import), import.clone(), memory));
            }
        }
        for table in module.tables.values() {
            if let Some(import) = &table.import {
                let text = format!("an object cannot import a table (`{}` of `{}`)", import.name, import.module);
                let error = Diagnostic::error(Code::E0604, Span::NONE, text);
                errors.push(error.help("references to functions do not leave their instance: link the modules before"));
            }
        }
        for &var in &layout.vars {
            let data = &module.vars[var];
            let Some(import) = data.linkage.as_ref().and_then(|linkage| linkage.import.as_ref()) else { continue };
            if !data.is_const || CLayout::of(module, data.ty).is_none() {
                let text = format!("an object cannot import the variable `{}` of `{}`", import.name, import.module);
                let error = Diagnostic::error(Code::E0604, data.span, text);
                errors.push(error.help("only constant numbers are imported, as parameters of the initialization"));
                continue;
            }
            self.imported_vars.push((names.param(import), import.clone(), var));
        }
    }

    fn exports(
        &mut self,
        module: &Module,
        layout: &Layout,
        slices: &[SliceParam],
        names: &mut Names,
        errors: &mut Vec<Diagnostic>,
    ) {
        for entry in &module.entry_points {
            for name in &entry.names {
                let c_name = names.of(&[name]);
                if let Some(stage) = entry.stage {
                    match stage_function(module, layout, (entry.func, stage), c_name, name) {
                        Ok(function) => self.stages.push(function),
                        Err(error) => errors.push(*error),
                    }
                    continue;
                }
                match function(module, entry.func, slices, c_name, name.to_string()) {
                    Ok(function) => self.functions.push(function),
                    Err(error) if module.entry_points.len() == 1 => errors.push(*error),
                    Err(mut error) => {
                        error.severity = planish_ir::diagnostic::Severity::Warning;
                        self.warnings.push(*error);
                    }
                }
            }
        }
        let own = |memory: Memory| !slices.iter().any(|slice| slice.memory == memory);
        for (memory, data) in module.memories.iter().filter(|(memory, _)| own(*memory)) {
            self.memories.extend(data.exports.iter().map(|name| (names.of(&[name]), name.to_string(), memory)));
        }
        for &var in &layout.vars {
            let data = &module.vars[var];
            if scalar_of(module, data.ty).is_none() {
                continue;
            }
            let exports = data.linkage.iter().flat_map(|linkage| &linkage.exports);
            self.vars.extend(exports.map(|name| (names.of(&[name]), name.to_string(), var)));
        }
    }

    /// Whether functions of the interface take an instance.
    pub fn takes_instance(&self) -> bool {
        self.state == State::Instance
    }
}

/// The interface of a function.
fn function(
    module: &Module,
    func: Func,
    slices: &[SliceParam],
    c_name: String,
    name: String,
) -> Result<CFunction, Box<Diagnostic>> {
    let function = &module.funcs[func];
    let refuse = |what: &str| {
        let text = format!("`{name}` cannot be called from C: {what}");
        Box::new(Diagnostic::error(Code::E0604, module.place_of(func), text))
    };
    let mut taken = FxHashSet::default();
    taken.extend(["self".to_owned(), "result".to_owned()]);
    let mut params = Vec::with_capacity(function.params.len());
    for (i, param) in function.params.iter().enumerate() {
        let behind = module.types.pointee(param.ty);
        let ty = behind.map_or(param.ty, |(ty, _)| ty);
        if CLayout::of(module, ty).is_none() {
            return Err(refuse(&format!("parameter {} has a type that C lacks", i + 1)));
        }
        let slice = slices.iter().find(|slice| slice.func == func && slice.param == i);
        let passing = match (behind, scalar_of(module, ty)) {
            _ if let Some(&slice) = slice => Passing::Slice(slice),
            (Some(_), _) => Passing::InOut,
            (None, Some(kind)) => Passing::Value(kind),
            (None, None) => Passing::In,
        };
        let text = &param.name.text;
        let name = if text.is_empty() { format!("p{i}") } else { identifier(text) };
        params.push(CParam { name: unique(name, &mut taken), ty, passing });
    }
    let types: Vec<Type> = function.results.iter().map(|result| result.ty).collect();
    if types.iter().any(|&ty| CLayout::of(module, ty).is_none()) {
        return Err(refuse("a result has a type that C lacks"));
    }
    let results = match types[..] {
        [] => CResults::None,
        [ty] => scalar_of(module, ty).map_or(CResults::Pointer(ty), |kind| CResults::Value(ty, kind)),
        _ => CResults::Struct(types),
    };
    Ok(CFunction { c_name, name, func, params, results })
}

/// The interface of an entry point of a shader.
fn stage_function(
    module: &Module,
    layout: &Layout,
    (func, stage): (Func, Stage),
    c_name: String,
    name: &Arc<str>,
) -> Result<StageFunction, Box<Diagnostic>> {
    let own = &module.funcs[func];
    if !(own.params.is_empty() && own.results.is_empty()) {
        let text = format!("the entry point `{name}` has parameters or results");
        return Err(Box::new(Diagnostic::error(Code::E0604, own.span, text)));
    }
    let mut function = StageFunction {
        c_name,
        name: name.to_string(),
        stage,
        func,
        uniforms: Fields::default(),
        inputs: Fields::default(),
        outputs: Fields::default(),
    };
    let mut taken = FxHashSet::default();
    for &var in &layout.vars {
        let data = &module.vars[var];
        let fields = match data.space {
            AddressSpace::Uniform | AddressSpace::PushConstant => &mut function.uniforms,
            AddressSpace::Input => &mut function.inputs,
            AddressSpace::Output => &mut function.outputs,
            AddressSpace::Storage => {
                let text = format!("an object's shader cannot use the buffer `{}`", data.name.text);
                return Err(Box::new(Diagnostic::error(Code::E0604, data.span, text)));
            }
            _ => continue,
        };
        if CLayout::of(module, data.ty).is_none() {
            let text = format!("the variable `{}` has a type that C lacks", data.name.text);
            return Err(Box::new(Diagnostic::error(Code::E0604, data.span, text)));
        }
        let text = &data.name.text;
        let field = if text.is_empty() { format!("v{}", var.index()) } else { identifier(text) };
        fields.0.push((unique(field, &mut taken), var));
    }
    Ok(function)
}

/// Names of C that are taken.
struct Names {
    prefix: String,
    taken: FxHashSet<String>,
    params: FxHashSet<String>,
}

impl Names {
    fn new(prefix: &str) -> Names {
        let own = ["init", "free", "H"].map(|name| join(prefix, name));
        let taken = own.into_iter().chain([prefix.to_owned()]).collect();
        let params = ["self".to_owned(), "user".to_owned()].into_iter().collect();
        Names { prefix: prefix.to_owned(), taken, params }
    }

    /// A new name: the prefix and the parts.
    fn of(&mut self, parts: &[&str]) -> String {
        let parts: Vec<String> = parts.iter().map(|part| escaped(part)).collect();
        let name = join(&self.prefix, &parts.join("_"));
        unique(name, &mut self.taken)
    }

    /// The name of a parameter for an import.
    fn param(&mut self, import: &Import) -> String {
        let name = identifier(&format!("{}_{}", import.module, import.name));
        unique(name, &mut self.params)
    }
}

/// The name with the prefix of its object.
pub fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { identifier(name) } else { format!("{prefix}_{name}") }
}

/// A name, followed by a number if it is taken.
fn unique(name: String, taken: &mut FxHashSet<String>) -> String {
    let mut found = name.clone();
    let mut n = 2;
    while !taken.insert(found.clone()) {
        found = format!("{name}_{n}");
        n += 1;
    }
    found
}

/// A name as part of an identifier of C: `-`, `.` and `/` become `_`, any other character `uXX` with its number.
pub fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => text.push(c),
            '-' | '.' | '/' | ':' | ' ' => text.push('_'),
            other => text.push_str(&format!("u{:X}", u32::from(other))),
        }
    }
    text
}

/// A name as an identifier of C: not a word of C or C++, and without a digit in front.
pub fn identifier(name: &str) -> String {
    let text = escaped(name);
    match text.chars().next() {
        Some('0'..='9') => format!("_{text}"),
        None => "_".to_owned(),
        Some(_) if is_keyword(&text) => format!("{text}_"),
        Some(_) => text,
    }
}

/// Whether a word is one of C or C++, or a name that the headers of the interface define.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "atomic_cancel",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
    "unix",
    "linux",
    "NULL",
];
