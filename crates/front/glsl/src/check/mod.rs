//! The checker: from the syntax tree to the IR, in one pass that types every expression and builds its nodes at once.
//!
//! Modules: [`names`] scopes and entities; [`types`] types and their GLSL names; [`operand`] values, places, loads and
//! conversions; [`expressions`], [`operators`], [`members`], [`constructors`], [`calls`], [`overloads`], [`lvalues`]
//! the expressions; [`statements`], [`loops`], [`switches`] the statements; [`declarations`], [`qualifiers`],
//! [`layouts`], [`blocks`], [`functions`], [`instances`] the declarations; [`references`], [`addresses`] references to buffers; [`vertices`] geometry and tessellation; [`rays`], [`meshes`] ray tracing and
//! meshes; [`scopes`] scopes of memory; [`builtin_variables`], [`device_variables`], [`builtin_constants`] tables of the language.
//!
//! # Errors
//! A function that meets an error reports it and returns [`Reported`], which suppresses consequential errors. So there
//! are several errors a run, each reported once.

mod addresses;
mod arrays;
mod blocks;
mod builtin_constants;
mod builtin_variables;
mod calls;
mod capture;
mod constructors;
mod declarations;
mod derivatives;
mod device_variables;
mod effects;
mod expressions;
mod functions;
mod instances;
mod interface_types;
mod layouts;
mod locations;
mod loops;
mod lvalues;
mod members;
mod meshes;
mod names;
mod operand;
mod operators;
mod overloads;
mod packing;
mod precision;
mod program;
mod qualifiers;
mod rays;
mod redeclarations;
mod references;
mod scopes;
pub(crate) mod shadertoy;
mod statements;
mod suggestions;
mod switches;
mod types;
mod vertices;
mod warnings;
mod webgl;

use std::sync::Arc;

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::BuiltIn;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Const, Func, Type, Var};
use planish_ir::module::{Language, Module, Stage, StageProperties};
use planish_ir::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::*;
use crate::preprocess::{Behavior, PragmaKind, Preprocessed};
use crate::symbol::Symbol;
use crate::version::Version;
use crate::webgl::WebGl;

use functions::UserFunction;
use names::Scopes;
use precision::DefaultPrecisions;

/// There was an error, and it has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// The result of checking a construct.
pub(crate) type Checked<T> = Result<T, Reported>;

/// Maximum number of errors reported.
const MAX_ERRORS: usize = 100;

/// More warnings than this are not reported.
const MAX_WARNINGS: usize = 1_000;

/// Options of the checker.
#[derive(Clone, Copy)]
pub(crate) struct Settings<'s> {
    /// The stage.
    pub(crate) stage: Stage,
    /// The additional rules of WebGL to check.
    pub(crate) webgl: WebGl,
    /// Whether the source is a Shadertoy shader.
    pub(crate) shadertoy: bool,
    /// Shadertoy's channels that are cubes, as a bit set.
    pub(crate) cube_channels: u8,
    /// Functions that need no body.
    pub(crate) leaves: &'s [String],
}

/// Checks a tree and lowers it. Returns a module in any case, which must not be used if there are errors.
pub(crate) fn check(program: &Preprocessed, ast: &Ast, settings: Settings<'_>) -> CheckOutput {
    let language = Language::Glsl { version: program.version.number, es: program.version.is_es() };
    let mut module = Module::new(language);
    for directive in program.extensions.iter().filter(|e| e.behavior != Behavior::Disable) {
        module.extensions.push(program.interner.resolve(directive.name).into());
    }
    let mut checker = Checker::new(program, ast, settings, Builder::outside(&mut module, Policy::PLAIN));
    checker.program();
    let Checker { b, mut diagnostics, wanted_cubes, .. } = checker;
    b.finish();
    for diagnostic in &mut diagnostics {
        let plain = std::mem::replace(diagnostic, Diagnostic::error(Code::E0301, Span::NONE, ""));
        *diagnostic = program.expansions.explain(plain, &program.interner);
    }
    CheckOutput { module, diagnostics, wanted_cubes }
}

/// The result of checking a tree.
pub(crate) struct CheckOutput {
    pub(crate) module: Module,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Channels of Shadertoy that are used as cubes but were not declared so: check again with these.
    pub(crate) wanted_cubes: u8,
}

/// The state of the pass.
pub(crate) struct Checker<'a, 'm> {
    ast: &'a Ast,
    program: &'a Preprocessed,
    version: Version,
    settings: Settings<'a>,
    b: Builder<'m, 'static>,
    diagnostics: Vec<Diagnostic>,
    error_count: usize,
    warning_count: usize,
    /// The extensions that are enabled for the declaration that we are in.
    extensions: Vec<&'a str>,
    /// Number of `#extension` directives processed.
    directives: usize,
    scopes: Scopes,
    /// Effects of each expression.
    effects: effects::Effects,
    functions: Vec<UserFunction>,
    /// Number of functions in scope: those declared before the current position.
    functions_in_sight: usize,
    /// Functions with opaque parameters and the environments of their definitions, by index.
    definitions: FxHashMap<u32, instances::Definition<'a>>,
    /// Copies of such functions.
    instances: instances::Instances,
    /// Overload sets: indices of functions that share a name.
    overloads: Vec<Vec<u32>>,
    precisions: DefaultPrecisions,
    /// Names of structs that the IR has.
    struct_names: FxHashSet<Arc<str>>,
    /// Variables with the values of constant arrays that are indexed dynamically.
    constant_arrays: FxHashMap<Const, Var>,
    /// Built-in variables in use: by name, the variable.
    builtins: FxHashMap<Symbol, names::Entity>,
    /// Overloads of built-in functions, by call.
    builtin_calls: calls::BuiltinCache,
    properties: StageProperties,
    /// Layouts of a mesh shader.
    mesh: meshes::MeshLayout,
    /// The stream of vertices that outputs of a geometry shader belong to, if they do not say.
    stream: u32,
    /// Defaults set by `layout(…) uniform;` and the like.
    block_defaults: layouts::BlockDefaults,
    /// Global variables with a non-constant initializer, which `main` computes first.
    late_initializers: Vec<(Var, ExprId)>,
    /// The function, called by `main`, that initializes global variables declared after `main`.
    initializer_of_rest: Option<Func>,
    /// The declarations after the current one.
    items_after: &'a [DeclId],
    invariant_all: bool,
    wanted_cubes: u8,
    /// Number of `nonuniformEXT(…)` around the expression being lowered.
    non_uniform: u32,
    /// The function being lowered.
    frame: Frame,
    captures: capture::Captures,
    references: references::References,
    /// Places that references lead to.
    spots: Vec<addresses::Spot>,
    program_facts: program::Facts,
    /// A pending `#pragma planish flatten`, which applies to the next function.
    flatten_next: Option<Span>,
}

/// State of the function that is being lowered.
#[derive(Default)]
struct Frame {
    function: Option<u32>,
    result: Option<Type>,
    /// Innermost last.
    constructs: Vec<Construct>,
    /// Whether there is a `return` with a value, even an invalid one.
    returns: bool,
    /// Whether the current position is reachable.
    reachable: bool,
    /// Whether unreachable code at the current position has been reported.
    warned_unreachable: bool,
    /// Block for variables declared in a `switch` body itself, which other cases can use too.
    declare_in: Option<Block>,
    /// Indices of the enclosing loops whose form WebGL allows.
    loop_indices: Vec<Symbol>,
    /// Flow facts for uninitialized reads.
    flow: warnings::Flow,
}

/// A loop or switch around the statement.
struct Construct {
    is_loop: bool,
    owner: Block,
    /// Whether there is a `break` out of it, so that the code after it is reachable.
    broken: bool,
}

impl<'a, 'm> Checker<'a, 'm> {
    fn new(program: &'a Preprocessed, ast: &'a Ast, settings: Settings<'a>, b: Builder<'m, 'static>) -> Self {
        let invariant_all = program.pragmas.iter().any(|p| p.kind == PragmaKind::InvariantAll);
        Checker {
            ast,
            program,
            version: program.version,
            settings,
            b,
            diagnostics: vec![],
            error_count: 0,
            warning_count: 0,
            extensions: vec![],
            directives: 0,
            scopes: Scopes::new(program.interner.len()),
            effects: effects::Effects::of(ast, &program.interner),
            functions: vec![],
            functions_in_sight: usize::MAX,
            definitions: FxHashMap::default(),
            instances: instances::Instances::default(),
            overloads: vec![],
            precisions: DefaultPrecisions::new(program.version, settings.stage),
            struct_names: FxHashSet::default(),
            constant_arrays: FxHashMap::default(),
            flatten_next: None,
            builtins: FxHashMap::default(),
            builtin_calls: calls::BuiltinCache::default(),
            properties: StageProperties::default(),
            mesh: meshes::MeshLayout::default(),
            stream: 0,
            block_defaults: layouts::BlockDefaults::new(settings.webgl),
            late_initializers: vec![],
            initializer_of_rest: None,
            items_after: &[],
            invariant_all,
            wanted_cubes: 0,
            non_uniform: 0,
            frame: Frame { reachable: true, ..Frame::default() },
            captures: capture::Captures::default(),
            references: references::References::default(),
            spots: vec![],
            program_facts: program::Facts::default(),
        }
    }

    // ------------------------------------------------------------------------------------------ facts

    /// The spelling of a name.
    fn text(&self, symbol: Symbol) -> &'a str {
        self.program.interner.resolve(symbol)
    }

    fn is_es(&self) -> bool {
        self.version.is_es()
    }

    fn stage(&self) -> Stage {
        self.settings.stage
    }

    /// Whether an extension is enabled.
    fn has_extension(&self, name: &str) -> bool {
        self.extensions.contains(&name)
    }

    fn span_of(&self, expr: ExprId) -> Span {
        self.ast[expr].span
    }

    /// Whether the current scope is the global one.
    fn is_global(&self) -> bool {
        self.frame.function.is_none()
    }

    // ------------------------------------------------------------------------------------------ diagnostics

    /// Reports an error.
    #[cold]
    #[inline(never)]
    fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        self.error_count += 1;
        if self.error_count <= MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    /// Reports an error without labels.
    #[cold]
    #[inline(never)]
    fn fail(&mut self, code: Code, span: Span, message: impl Into<String>) -> Reported {
        self.error(Diagnostic::error(code, span, message))
    }

    #[cold]
    #[inline(never)]
    fn warn(&mut self, diagnostic: Diagnostic) {
        self.warning_count += 1;
        if self.warning_count <= MAX_WARNINGS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Notes that a built-in is in use, for rules about the whole program.
    fn note_builtin_use(&mut self, builtin: BuiltIn, span: Span) {
        self.program_facts.note(builtin, span);
    }
}
