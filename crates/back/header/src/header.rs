//! The header of an object for C and C++.

use std::fmt::Write as _;

use planish_ir::entity::Type;
use planish_ir::function::TrapKind;
use planish_ir::host::HostNumber;
use planish_ir::module::Module;
use planish_ir::types::TypeKind;
use planish_machine::isa::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ctype::CLayout;
use crate::interface::{CFunction, CResults, Fields, Interface, Passing, StageFunction, State, identifier, join};
use crate::layout::{FIRST, Layout};
use crate::shader_header;
use crate::shaders::Shaders;
use crate::traps::{IMPORT_MISMATCH, code_of};

/// The functions' definitions that a header belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definitions<'a> {
    /// An object file, whose code knows an instance as words.
    Object,
    /// A source in C, with the members of an instance after `user` and `stack_limit`, as lines, and the text before its type.
    Source(&'a [String], &'a str),
}

/// A header.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Its text.
    pub text: String,
    /// The names of the structures that it declares.
    pub types: FxHashMap<Type, String>,
}

/// The text of the header.
pub fn write(
    module: &Module,
    interface: &Interface,
    layout: &Layout,
    shaders: &Shaders,
    definitions: Definitions<'_>,
) -> Written {
    let (types, known, taken) = (String::new(), FxHashMap::default(), names(interface));
    let mut header = Header { module, interface, types, known, taken };
    let mut declarations = String::new();
    if interface.state == State::Instance {
        header.instance(layout, definitions, &mut declarations);
    }
    for function in &interface.functions {
        let comment = format!("`{}`", function.name);
        header.function(function, &comment, &mut declarations);
    }
    for stage in &interface.stages {
        header.stage(stage, &mut declarations);
    }
    for (entry, c_name) in shaders.entries.iter().zip(&interface.shaders) {
        header.shader(entry, c_name, &mut declarations);
    }
    let resources = if shaders.is_empty() { "" } else { shader_header::COMMON };
    if !interface.imports.is_empty() {
        declarations.push_str("/* Imports: functions that the program using this object defines. */\n\n");
    }
    for function in &interface.imports {
        let import = module.func_imports.iter().find(|(func, _)| *func == function.func);
        let from = import.map_or(String::new(), |(_, import)| format!(" of `{}`", import.module));
        let comment = format!("`{}`{from}", function.name);
        header.function(function, &comment, &mut declarations);
    }
    let guard = format!("{}_H", if interface.prefix.is_empty() { "PLANISH_PROGRAM" } else { &*interface.prefix });
    let guard = guard.to_ascii_uppercase();
    let begin = match definitions {
        Definitions::Object => "/* Written by Planish: the interface of an object file. */\n",
        Definitions::Source(..) => "/* Written by Planish: the interface of a program in C. */\n",
    };
    let before = match definitions {
        Definitions::Source(_, before) => before,
        Definitions::Object => "",
    };
    let text = format!(
        "{begin}#ifndef {guard}\n#define {guard}\n\n{INCLUDES}\n{}\n{resources}{before}{}{declarations}{END}",
        common(),
        header.types
    );
    Written { text, types: header.known }
}

/// Names that no type may have.
fn names(interface: &Interface) -> FxHashSet<String> {
    let functions = interface.functions.iter().chain(&interface.imports);
    let of_functions = functions.flat_map(|function| {
        let results = matches!(function.results, CResults::Struct(_)).then(|| format!("{}_result", function.c_name));
        results.into_iter().chain([function.c_name.clone()])
    });
    let groups = ["uniforms", "inputs", "outputs"];
    let of_stages = interface
        .stages
        .iter()
        .flat_map(|stage| groups.iter().map(|group| format!("{}_{group}", stage.c_name)).chain([stage.c_name.clone()]));
    let of_shaders =
        interface.shaders.iter().flat_map(|name| groups.iter().map(move |group| format!("{name}_{group}")));
    let others = interface.memories.iter().map(|memory| &memory.0).chain(interface.vars.iter().map(|var| &var.0));
    let own = ["init", "free"].map(|name| join(&interface.prefix, name));
    of_functions
        .chain(of_stages)
        .chain(of_shaders)
        .chain(interface.shaders.iter().cloned())
        .chain(others.cloned())
        .chain(own)
        .collect()
}

const INCLUDES: &str = "#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif
";

const END: &str = "#ifdef __cplusplus
}
#endif

#endif
";

/// Declarations that all headers share.
fn common() -> String {
    let mut text =
        String::from("#ifndef PLANISH_OBJECT_H\n#define PLANISH_OBJECT_H\n\n/* Codes of traps. */\nenum {\n");
    for kind in TrapKind::ALL {
        let _ = writeln!(text, "    PLANISH_TRAP_{} = {},", kind.name().to_ascii_uppercase(), code_of(kind));
    }
    let _ = writeln!(text, "    PLANISH_TRAP_IMPORT_MISMATCH = {IMPORT_MISMATCH}\n}};\n");
    text.push_str(
        "/* Called by code that traps; it must not return (it may call longjmp). The program that uses the object defines
   it; else the runtime library's prints a message and aborts. `function` is the function's name, or NULL; line 0
   means that `column` is an offset in a binary file. */
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void planish_trap(int code, const char *function, uint32_t line, uint32_t column);

/* A byte memory. `data` may change whenever code runs. */
typedef struct planish_memory {
    uint8_t *data;
    size_t size;
    size_t capacity;
    uint64_t max_pages;
} planish_memory;

#endif
",
    );
    text
}

/// The name of a scalar kind in C.
fn scalar_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "bool",
        Kind::I32 => "int32_t",
        Kind::U32 => "uint32_t",
        Kind::I64 => "int64_t",
        Kind::U64 => "uint64_t",
        Kind::F32 => "float",
        Kind::F64 => "double",
        _ => "void *",
    }
}

/// The name of a number in memory in C.
pub fn number_name(number: HostNumber) -> &'static str {
    match number {
        HostNumber::I8 => "int8_t",
        HostNumber::U8 => "uint8_t",
        HostNumber::I16 => "int16_t",
        HostNumber::U16 => "uint16_t",
        _ => scalar_name(Kind::of(number.scalar())),
    }
}

pub(crate) struct Header<'a> {
    pub(crate) module: &'a Module,
    interface: &'a Interface,
    /// Definitions of types, each before its uses.
    pub(crate) types: String,
    known: FxHashMap<Type, String>,
    taken: FxHashSet<String>,
}

impl Header<'_> {
    /// The declaration of `name` with a type, as in `float name[3]`; types are defined at their first use.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn declare(&mut self, ty: Type, name: &str) -> String {
        if let TypeKind::Array { element, len } = self.module.types[ty] {
            return self.declare(element, &format!("{name}[{len}]"));
        }
        let of = self.type_name(ty);
        let space = if of.ends_with('*') { "" } else { " " };
        format!("{of}{space}{name}")
    }

    /// The name of a type that is no array.
    fn type_name(&mut self, ty: Type) -> String {
        if let Some(name) = self.known.get(&ty) {
            return name.clone();
        }
        let name = match &self.module.types[ty] {
            &TypeKind::Vector(scalar, n) => {
                let members = if n <= 4 { ["x", "y", "z", "w"][..n.into()].join(", ") } else { format!("c[{n}]") };
                let member = format!("{} {members};", scalar_name(Kind::of(scalar)));
                self.shared(&format!("planish_{}x{n}", scalar.name()), &member)
            }
            &TypeKind::Matrix { scalar, columns, rows } => {
                let member = format!("{} columns[{columns}][{rows}];", scalar_name(Kind::of(scalar)));
                self.shared(&format!("planish_{}m{columns}x{rows}", scalar.name()), &member)
            }
            TypeKind::V128 => self.shared("planish_v128", "uint8_t bytes[16];"),
            TypeKind::Struct(s) => {
                let s = std::sync::Arc::clone(s);
                let members: Vec<(String, Type)> = unique_members(s.members.iter().map(|m| (&*m.name, m.ty)));
                let text = if s.name.is_empty() { format!("struct_{}", ty.as_u32()) } else { s.name.to_string() };
                let mut name = join(&self.interface.prefix, &identifier(&text));
                while !self.taken.insert(name.clone()) {
                    name.push('_');
                }
                self.structure(&name, &members);
                name
            }
            other => scalar_name(Kind::of_type(other).unwrap_or(Kind::Extern)).to_owned(),
        };
        self.known.insert(ty, name.clone());
        name
    }

    /// A type that is the same in all headers.
    fn shared(&mut self, name: &str, members: &str) -> String {
        let guard = format!("{}_DEFINED", name.to_ascii_uppercase());
        let _ = write!(
            self.types,
            "#ifndef {guard}\n#define {guard}\ntypedef struct {name} {{\n    {members}\n}} {name};\n#endif\n\n"
        );
        name.to_owned()
    }

    /// Defines a structure, with its size as the code has it.
    fn structure(&mut self, name: &str, members: &[(String, Type)]) {
        let mut text = format!("typedef struct {name} {{\n");
        for (member, ty) in members {
            let _ = writeln!(text, "    {};", self.declare(*ty, member));
        }
        let types: Vec<Type> = members.iter().map(|member| member.1).collect();
        let layout = CLayout::of_members(self.module, &types).unwrap_or_default();
        let _ = write!(text, "}} {name}; /* {} bytes, aligned to {} */\n\n", layout.size, layout.align);
        self.types.push_str(&text);
    }

    /// The instance and the functions that every module with state has.
    fn instance(&mut self, layout: &Layout, definitions: Definitions<'_>, out: &mut String) {
        let name = if self.interface.prefix.is_empty() { "planish_instance" } else { &*self.interface.prefix };
        self.taken.insert(name.to_owned());
        let members = match definitions {
            Definitions::Object => format!("    uint64_t state[{}];\n", ((layout.size - FIRST) / 8).max(1)),
            Definitions::Source(lines, _) => lines.iter().map(|line| format!("    {line}\n")).collect(),
        };
        let _ = write!(
            self.types,
            "/* An instance: memories, tables and variables. It stays at its address from its initialization on. */
typedef struct {name} {{
    void *user;            /* the embedder's own */
    uintptr_t stack_limit; /* functions below this address of the stack trap; 0: none does */
{members}}} {name};

"
        );
        let _ = write!(
            out,
            "/* Makes an instance; `user` is for the embedder. */\nvoid {}({name} *self, void *user",
            join(&self.interface.prefix, "init")
        );
        for (param, import, _) in &self.interface.imported_memories {
            let _ = write!(out, ", planish_memory *{param} /* `{}` of `{}` */", import.name, import.module);
        }
        for (param, import, var) in &self.interface.imported_vars {
            let ty = self.module.vars[*var].ty;
            let is_scalar = crate::ctype::scalar_of(self.module, ty).is_some();
            let text = if is_scalar { self.declare(ty, param) } else { self.pointer(ty, param, true) };
            let _ = write!(out, ", {text} /* `{}` of `{}` */", import.name, import.module);
        }
        let _ = write!(
            out,
            ");\n\n/* Frees what an instance owns. */\nvoid {}({name} *self);\n\n",
            join(&self.interface.prefix, "free")
        );
        for (c_name, original, _) in &self.interface.memories {
            let _ = write!(out, "/* The memory `{original}` */\nplanish_memory *{c_name}({name} *self);\n\n");
        }
        for (c_name, original, var) in &self.interface.vars {
            let data = &self.module.vars[*var];
            let constant = if data.is_const { "const " } else { "" };
            let ty = self.type_name(data.ty);
            let _ = write!(out, "/* The variable `{original}` */\n{constant}{ty} *{c_name}({name} *self);\n\n");
        }
    }

    /// A pointer parameter: arrays are their first elements.
    fn pointer(&mut self, ty: Type, name: &str, is_const: bool) -> String {
        let constant = if is_const { "const " } else { "" };
        let is_array = matches!(self.module.types[ty], TypeKind::Array { .. });
        let text = if is_array { self.declare(ty, name) } else { self.declare(ty, &format!("*{name}")) };
        format!("{constant}{text}")
    }

    fn function(&mut self, function: &CFunction, comment: &str, out: &mut String) {
        let mut params = Vec::new();
        if self.interface.takes_instance() {
            let name = if self.interface.prefix.is_empty() { "planish_instance" } else { &*self.interface.prefix };
            params.push(format!("{name} *self"));
        }
        for param in &function.params {
            params.push(match param.passing {
                Passing::Value(_) => self.declare(param.ty, &param.name),
                Passing::In => self.pointer(param.ty, &param.name, true),
                Passing::InOut => self.pointer(param.ty, &param.name, false),
                Passing::Slice(slice) => {
                    let constant = if slice.is_written { "" } else { "const " };
                    let name = &param.name;
                    format!("{constant}{} *{name}, uint32_t {name}_len", number_name(slice.number))
                }
            });
        }
        let result = match &function.results {
            CResults::None => "void ".to_owned(),
            CResults::Value(ty, _) => {
                let ty = self.type_name(*ty);
                if ty.ends_with('*') { ty } else { format!("{ty} ") }
            }
            CResults::Pointer(ty) => {
                params.push(self.pointer(*ty, "result", false));
                "void ".to_owned()
            }
            CResults::Struct(types) => {
                let members: Vec<(String, Type)> =
                    types.iter().enumerate().map(|(i, &ty)| (format!("r{i}"), ty)).collect();
                let name = format!("{}_result", function.c_name);
                self.structure(&name, &members);
                params.push(format!("{name} *result"));
                "void ".to_owned()
            }
        };
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let comment = comment.replace("*/", "* /");
        let _ = write!(out, "/* {comment} */\n{result}{}({params});\n\n", function.c_name);
    }

    fn stage(&mut self, stage: &StageFunction, out: &mut String) {
        let mut params = Vec::new();
        let groups =
            [("uniforms", &stage.uniforms, true), ("inputs", &stage.inputs, true), ("outputs", &stage.outputs, false)];
        for (group, Fields(fields), is_const) in groups {
            if fields.is_empty() {
                continue;
            }
            let members: Vec<(String, Type)> =
                fields.iter().map(|(name, var)| (name.clone(), self.module.vars[*var].ty)).collect();
            let name = format!("{}_{group}", stage.c_name);
            self.structure(&name, &members);
            params.push(format!("{}{name} *{group}", if is_const { "const " } else { "" }));
        }
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let kind = stage.stage.name();
        let name = stage.name.replace("*/", "* /");
        let _ =
            write!(out, "/* The {kind} shader `{name}`, for one invocation. */\nvoid {}({params});\n\n", stage.c_name);
    }
}

/// Members with names of C.
pub fn unique_members<'a, T>(members: impl Iterator<Item = (&'a str, T)>) -> Vec<(String, T)> {
    let mut taken = FxHashSet::default();
    let unique = |(i, (name, of)): (usize, (&str, T))| {
        let mut text = if name.is_empty() { format!("m{i}") } else { identifier(name) };
        while !taken.insert(text.clone()) {
            text.push('_');
        }
        (text, of)
    };
    members.enumerate().map(unique).collect()
}
