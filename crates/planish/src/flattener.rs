//! Flattening as configured by users of the library: which functions, with which options.

use planish_flatten::{OpSet, Options, UnknownOp, flatten, mark_leaves, names};
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_opt::call_graph::CallGraph;
use planish_opt::{Context, remove_unreachable_functions};

use crate::{floating, place};

/// The ops that a text lists, or `materialx`: those of MaterialX's standard library. See [`OpSet::parse`].
///
/// # Errors
/// The first word that is no name.
pub fn parse_ops(text: &str) -> Result<OpSet, UnknownOp> {
    #[cfg(feature = "graphs")]
    let named = [("materialx", planish_back_graph::mtlx::OPS)];
    #[cfg(not(feature = "graphs"))]
    let named = [];
    OpSet::parse(text, &named)
}

/// Functions to flatten, and options.
///
/// # Example
/// ```
/// use planish::{Compiler, EmitOptions, Flattener, Target, emit};
/// let source = "precision highp float; void main() { gl_FragColor = vec4(1.0); if (gl_FragCoord.x > 9.0) return; \
///               gl_FragColor = vec4(0.0); }";
/// let mut module = Compiler::default().compile("a.frag", source).module.expect("is valid");
/// Flattener { entry_points: true, ..Flattener::default() }.run(&mut module, &mut |_, _| {}).expect("can be flat");
/// let glsl = emit(&module, Target::Glsl, &EmitOptions::default()).expect("can be written");
/// assert!(!String::from_utf8_lossy(&glsl.bytes).contains("if"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Flattener {
    /// All entry points.
    pub entry_points: bool,
    /// Functions, by name.
    pub functions: Vec<String>,
    /// Options of flattening.
    pub options: Options,
    /// The stage after which it ends; `None`: the last.
    pub until: Option<&'static str>,
}

impl Flattener {
    /// Flattens the requested functions, and those marked in the source (`#pragma planish flatten`), in place. `after`
    /// is called after each stage of each function. Returns the number of nodes after each stage.
    ///
    /// # Errors
    /// Constructs that cannot be flattened, each with its place in the source.
    pub fn run(
        &self,
        module: &mut Module,
        after: &mut dyn FnMut(&str, &Module),
    ) -> Result<Vec<(&'static str, u64)>, Vec<Diagnostic>> {
        self.run_and_log(module, None, after)
    }

    /// As [`Flattener::run`]; `log` gets the table of value numbers of each function at the end.
    ///
    /// # Errors
    /// As [`Flattener::run`].
    pub fn run_and_log(
        &self,
        module: &mut Module,
        log: Option<&mut String>,
        after: &mut dyn FnMut(&str, &Module),
    ) -> Result<Vec<(&'static str, u64)>, Vec<Diagnostic>> {
        self.mark(module)?;
        floating::place_all(module);
        let marked = |f: &planish_ir::function::Function| f.decorations.has(Decoration::Flatten);
        let funcs: Vec<Func> = module.funcs.iter().filter(|(_, f)| marked(f)).map(|(func, _)| func).collect();
        let mut counts: Vec<(&'static str, u64)> = Vec::new();
        let mut errors = Vec::new();
        for &func in &funcs {
            let result = flatten(module, func, &self.options, self.until, &mut |stage, module| {
                let body = module.funcs[func].body.as_ref();
                let nodes = body.map_or(0, |body| planish_ir::walk::node_count(body) as u64);
                match counts.iter_mut().find(|c| c.0 == stage) {
                    Some((_, count)) => *count += nodes,
                    None => counts.push((stage, nodes)),
                }
                after(stage, module);
            });
            errors.extend(result.err().into_iter().flatten());
        }
        if !errors.is_empty() {
            return Err(place::at_entry_point(module, errors));
        }
        if let Some(log) = log {
            funcs.iter().for_each(|&func| log.push_str(&names::value_numbers(module, func, &self.options)));
        }
        funcs.iter().for_each(|&func| module.funcs[func].decorations.remove(Decoration::Flatten));
        release_leaves(module);
        if self.functions.is_empty() && !funcs.is_empty() {
            remove_unreachable_functions::run(module, &mut Context::default());
        }
        Ok(counts)
    }

    /// Marks the requested functions and the leaves, so that earlier passes keep them. In a module without entry points
    /// all functions but the leaves are requested.
    ///
    /// # Errors
    /// If a named function does not exist.
    pub fn mark(&self, module: &mut Module) -> Result<(), Vec<Diagnostic>> {
        let unknown = mark_leaves(module, &self.options.leaves);
        let mut errors: Vec<Diagnostic> = unknown.into_iter().map(|name| no_function(module, name)).collect();
        let mut wanted: Vec<Func> = Vec::new();
        if self.entry_points {
            wanted.extend(module.entry_points.iter().map(|e| e.func));
            if wanted.is_empty() {
                wanted.extend(
                    module.funcs.iter().filter(|(_, f)| f.body.is_some() && !f.is_leaf()).map(|(func, _)| func),
                );
            }
        }
        for name in &self.functions {
            // A function without a body is refused later, at its place in the source.
            match module.funcs_named(name).min_by_key(|&func| module.funcs[func].body.is_none()) {
                Some(func) => wanted.push(func),
                None => errors.push(no_function(module, name)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        wanted.into_iter().for_each(|func| module.funcs[func].decorations.add(Decoration::Flatten));
        Ok(())
    }
}

fn no_function(module: &Module, name: &str) -> Diagnostic {
    let error = Diagnostic::error(Code::E0503, Span::NONE, format!("there is no function `{name}`"));
    let names = module.funcs.keys().map(|func| module.outside_name(func).as_ref());
    match did_you_mean(name, names) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// Leaves that are never called become ordinary functions again, which may be removed.
fn release_leaves(module: &mut Module) {
    let graph = CallGraph::new(module);
    let uncalled: Vec<Func> = module.funcs.keys().filter(|&func| graph.calls_of(func) == 0).collect();
    for func in uncalled {
        let decorations = &mut module.funcs[func].decorations;
        decorations.remove(Decoration::Leaf);
        decorations.remove(Decoration::LeafBarrier);
    }
}
