//! Object files for linkers, with a header for C: `docs/objects.md` describes both.
//!
//! ```text
//!  module ─► Interface ─► header
//!    │           └──────► code between C and the program ─┐
//!    └─► machine::Lowering ─► code of its functions ──────┴─► object file
//! ```
//!
//! Functions of the program have the calling convention `tail`, with the address of the instance first, and are local
//! symbols. The functions of the [`interface`] have the platform's convention of C.

pub(crate) mod code;
mod ctype;
mod file;
mod init;
pub(crate) mod shaders;
pub(crate) mod symbols;
mod wrappers;

use std::cell::RefCell;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_frontend::FunctionBuilderContext;
use planish_back_header::interface::identifier;
use planish_back_header::{Interface, Layout, Shaders, State, header, layout};
use planish_ir::arena::SideTable;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Func;
use planish_ir::host::SliceParam;
use planish_ir::module::{ElemItem, Module};
use planish_ir::source::Span;
use planish_machine::isa::Kind;
use planish_machine::{Lowering, Signatures};

use self::code::ObjectEnvironment;
use self::symbols::{Scope, Symbol, Symbols};
use self::wrappers::Glue;
use crate::body::{self, Environment, signature_of};
use crate::compile::{Options, Processor, all_threads, in_parallel, size_of};
use crate::host::Host;

/// Options of an object file.
pub struct ObjectOptions<'a> {
    /// The first part of all names that the object defines, followed by `_`; may be empty.
    pub prefix: &'a str,
    /// Line and column of a place in the source, for traps; in a binary file 0 and the offset.
    pub place: &'a dyn Fn(Span) -> (u32, u32),
    /// The shaders over batches of invocations; if there are any, they are the interface of the object.
    pub shaders: &'a Shaders,
    /// Slices that C passes to functions; if there are any, they are all the memories.
    pub slices: &'a [SliceParam],
}

/// An object file.
#[derive(Clone, Debug)]
pub struct Object {
    /// The file: ELF, Mach-O or COFF.
    pub bytes: Vec<u8>,
    /// Its header for C.
    pub header: String,
    /// Warnings: exports that C cannot call.
    pub warnings: Vec<Diagnostic>,
}

/// Writes the object file of a module whose functions are placed.
///
/// # Errors
/// E0604 for constructs that an object or its processor lacks, each with its place.
pub fn write_object(host: &Host, module: &Module, options: &ObjectOptions<'_>) -> Result<Object, Vec<Diagnostic>> {
    let prefix = if options.prefix.is_empty() { String::new() } else { identifier(options.prefix) };
    if prefix == "planish" {
        let text = "the prefix `planish` is that of the runtime";
        return Err(vec![Diagnostic::error(Code::E0604, Span::NONE, text).help("choose another one with `--prefix`")]);
    }
    let layout = Layout::new(module).map_err(|error| vec![*error])?;
    let interface = Interface::new(module, &layout, &prefix, options.shaders, options.slices)?;
    let of_types = Signatures::new(module);
    let mut signatures = SideTable::new();
    for (ty, _) in module.types.iter() {
        signatures[ty] = of_types.of(ty);
    }
    let symbol = |(func, function): (Func, &planish_ir::function::Function)| {
        let name = format!("f{}.{}", symbols::number_of(func), function.name.text.replace('\0', ""));
        let signature = signatures[function.ty].as_ref().map_or_else(planish_machine::Signature::default, Clone::clone);
        Symbol { name, scope: Scope::Local, signature: signature_of(&*host.0, &signature) }
    };
    let symbols = RefCell::new(Symbols::new(module.funcs.iter().map(symbol).collect()));
    let object =
        ObjectEnvironment { layout: &layout, symbols, place: options.place, has_near_data: host.has_near_data() };
    let mut scratch = FunctionBuilderContext::new();
    let mut functions = translate(host, module, &object, &signatures, &mut scratch)?;
    let glue = Glue {
        module,
        isa: &*host.0,
        object: &object,
        interface: &interface,
        signatures: &signatures,
        shaders: options.shaders,
    };
    functions.extend(glue_functions(&glue, &mut scratch));
    let mut codes = compile(host, module, functions)?;
    codes.sort_unstable_by_key(|code| code.number);
    let symbols = object.symbols.into_inner();
    let bytes = file::write(host, module, (&layout, options.shaders), symbols, &codes)?;
    let header = header::write(module, &interface, &layout, options.shaders, header::Definitions::Object).text;
    Ok(Object { bytes, header, warnings: interface.warnings })
}

/// A function with its number among the symbols.
type Numbered = (u32, Function);

/// The functions of the program.
fn translate(
    host: &Host,
    module: &Module,
    object: &ObjectEnvironment<'_>,
    signatures: &SideTable<planish_ir::entity::Type, Option<planish_machine::Signature>>,
    scratch: &mut FunctionBuilderContext,
) -> Result<Vec<Numbered>, Vec<Diagnostic>> {
    let mut lowering = Lowering::new(&Processor, module);
    let is_imported: SideTable<Func, bool> = {
        let mut table = SideTable::new();
        module.func_imports.iter().for_each(|&(func, _)| table[func] = true);
        table
    };
    let has_vectors = host.has_vectors();
    let globals = SideTable::new();
    let (mut functions, mut errors) = (Vec::new(), Vec::new());
    for func in module.funcs.keys().filter(|&func| !is_imported[func]) {
        let nodes = match lowering.nodes(func) {
            Ok(nodes) => nodes,
            Err(error) => {
                errors.push(*error);
                continue;
            }
        };
        let code = nodes.code;
        let mut kinds = code.values.iter().map(|value| value.kind).chain(code.results.iter().copied());
        if !has_vectors && kinds.any(|kind| kind == Kind::V128) {
            let function = &module.funcs[func];
            let text = format!("`{}` has vectors of 128 bits, which {} lacks", function.name.text, host.triple());
            errors.push(Diagnostic::error(Code::E0604, function.span, text));
            continue;
        }
        let options = Options::default();
        let (isa, rounds, blends) = (&*host.0, host.rounds(), host.blends());
        let environment = Environment {
            module,
            globals: &globals,
            signatures,
            options,
            isa,
            rounds,
            blends,
            object: Some(object),
            rest: None,
        };
        let mut number = |_| unreachable!("operations of an object are symbols");
        let (function, _) = body::build(environment, nodes, func, scratch, &mut number);
        functions.push((symbols::number_of(func), function));
    }
    for (_, elem) in module.elems.iter() {
        if elem.active.is_none() && elem.items.iter().any(|item| matches!(item, ElemItem::Var(_))) {
            let text = "an object has no passive element segment with values of variables";
            errors.push(Diagnostic::error(Code::E0604, Span::NONE, text));
        }
    }
    if errors.is_empty() { Ok(functions) } else { Err(errors) }
}

/// The functions of the interface, and those that adapt imports.
fn glue_functions(glue: &Glue<'_>, scratch: &mut FunctionBuilderContext) -> Vec<Numbered> {
    let interface = glue.interface;
    let mut functions = Vec::new();
    functions.extend(interface.imports.iter().map(|import| glue.import(import, scratch)));
    functions.extend(interface.functions.iter().map(|export| glue.export(export, scratch)));
    functions.extend((0..glue.shaders.textures.len()).map(|index| glue.texture(index, scratch)));
    let entries = glue.shaders.entries.iter().zip(&interface.shaders);
    functions.extend(entries.map(|(entry, name)| glue.shader(entry, name, glue.shaders.memory, scratch)));
    functions.extend(interface.stages.iter().map(|stage| glue.stage(stage, scratch)));
    match interface.state {
        State::None | State::Shader | State::Slices => {}
        State::Call => functions.push(glue.local_init(scratch)),
        State::Instance => {
            functions.push(glue.init(scratch));
            functions.push(glue.free(scratch));
            for (name, _, memory) in &interface.memories {
                let place = layout::at(&glue.object.layout.memories, *memory);
                functions.push(glue.accessor(name, place.offset, place.is_imported, scratch));
            }
            for (name, _, var) in &interface.vars {
                functions.push(glue.accessor(name, glue.object.layout.offsets[*var], false, scratch));
            }
        }
    }
    functions
}

/// Generates the code of all functions.
fn compile(host: &Host, module: &Module, functions: Vec<Numbered>) -> Result<Vec<file::Code>, Vec<Diagnostic>> {
    let size = |(_, function): &Numbered| size_of(function);
    in_parallel(functions, all_threads(), size, |(number, function), context: &mut Context| {
        context.clear();
        context.func = function;
        context.compile(&*host.0, &mut ControlPlane::default()).map_err(|error| {
            let of_module = module.funcs.keys().find(|&func| symbols::number_of(func) == number);
            let (name, span) = of_module.map_or(("the interface", Span::NONE), |func| {
                (&*module.funcs[func].name.text, module.funcs[func].span)
            });
            let message = format!("`{name}` cannot be compiled: {:?}", error.inner);
            Box::new(Diagnostic::error(Code::E0604, span, message))
        })?;
        let compiled = context.compiled_code().expect("it was compiled just now");
        Ok(file::Code::new(number, compiled, &context.func))
    })
    .map_err(|error| vec![*error])
}
