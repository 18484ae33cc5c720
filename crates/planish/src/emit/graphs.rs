//! Dataflow graphs of flat functions, in the operations that they may hold.

use std::borrow::Cow;

use planish_back_graph as graph_back;
use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::module::Module;
use planish_ir::source::Span;

use super::EmitOptions;
use super::reflection::numbering;
use crate::kind::Target;

/// The dataflow graph of the function that the options name, which must be flat.
///
/// # Errors
/// If there is no such function, or it is no pure dataflow; each with its place in the source.
pub fn graph(module: &Module, options: &EmitOptions) -> Result<graph_back::Graph, Vec<Diagnostic>> {
    graph_of(module, Target::Graph, options)
}

/// As [`graph`], in the operations of a target.
pub(super) fn graph_of(
    module: &Module,
    target: Target,
    options: &EmitOptions,
) -> Result<graph_back::Graph, Vec<Diagnostic>> {
    let names = || module.funcs.keys().map(|f| &**module.outside_name(f));
    let func = match &options.function {
        Some(name) => module.funcs_named(name).next(),
        None => module.entry_point(options.stage).map(|e| e.func).or_else(|| module.funcs.keys().last()),
    };
    let Some(func) = func else {
        let message = match &options.function {
            Some(name) => format!("there is no function `{name}` to make a graph of"),
            None => "there is no function to make a graph of".into(),
        };
        let error = Diagnostic::error(Code::E0502, Span::NONE, message);
        let near = options.function.as_deref().and_then(|name| did_you_mean(name, names()));
        return Err(vec![match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }]);
    };
    let flattening = planish_flatten::Options { ops: options.ops.clone(), ..planish_flatten::Options::default() };
    let mut own = Cow::Borrowed(module);
    let is_flat =
        |module: &Module| module.funcs[func].body.as_ref().is_some_and(|body| planish_flatten::is_flat(module, body));
    if is_flat(module) && options.ops.is_some() {
        planish_flatten::legalize(own.to_mut(), func, &flattening)?;
    }
    if is_flat(module) && target == Target::Mtlx {
        // Ops without an expansion are errors of the writer.
        let _ = planish_flatten::legalize_for(own.to_mut(), func, &flattening, &graph_back::mtlx::INFO);
    }
    let module = &*own;
    let barriers = flattening.barriers;
    let parts = module.funcs[func].body.as_ref().map(|body| planish_flatten::names::parts(module, body, barriers));
    let graph_options = graph_back::Options {
        cost: &|op| planish_opt::cost::GPU.of(op),
        barrier: &barriers,
        name: &|local| parts.as_ref()?[local].map(|part| part.to_string()),
        leaves: &options.leaves,
        map: options.debug_info.as_ref(),
        numbering: numbering(options),
    };
    let mut graph = graph_back::Graph::new(module, func, &graph_options)?;
    crate::hints::apply(&mut graph, options)?;
    Ok(graph)
}
