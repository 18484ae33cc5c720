//! Default values and hints of uniforms, for editors of graphs.

#[cfg(feature = "graphs")]
use planish_back_graph::{Graph, HintError};
#[cfg(feature = "graphs")]
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Var;
use planish_ir::module::Module;
use planish_ir::source::{SourceMap, Span};
use planish_ir::types::AddressSpace;

#[cfg(feature = "graphs")]
use crate::emit::EmitOptions;

/// Names of the uniforms that are colours by a comment: `uniform vec3 tint; // @color`, on the line of the declaration.
///
/// # Example
/// ```
/// use planish::{Compiler, colors};
/// let source = "precision highp float;\nuniform vec3 tint; // @color\nuniform vec3 at;\nvoid main() { gl_FragColor = vec4(tint + at, 1.0); }";
/// let mut compiler = Compiler::default();
/// let module = compiler.compile("a.frag", source).module.unwrap();
/// assert_eq!(colors(&module, &compiler.map), ["tint"]);
/// ```
pub fn colors(module: &Module, map: &SourceMap) -> Vec<String> {
    let is_uniform = |var: Var| matches!(module.vars[var].space, AddressSpace::Uniform | AddressSpace::PushConstant);
    let marked = module.globals.iter().filter(|&&var| is_uniform(var)).filter(|&&var| {
        let span = module.vars[var].span;
        let Some(file) = map.file_at(span.start).filter(|file| file.has_text() && span != Span::NONE) else {
            return false;
        };
        let line = map.text(Span::new(span.start, file.end())).lines().next().unwrap_or_default();
        let comment = line.find("//").into_iter().chain(line.find("/*")).min();
        comment.is_some_and(|at| line[at..].contains("@color"))
    });
    marked.map(|&var| module.vars[var].name.text.to_string()).collect()
}

/// Sets the default values and hints of the options. Names that the graph has no uniform of have no effect.
#[cfg(feature = "graphs")]
pub(crate) fn apply(graph: &mut Graph, options: &EmitOptions) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for (name, value) in &options.defaults {
        let numbers: Vec<&str> = value.split(',').collect();
        errors.extend(graph.set_default(name, &numbers).err().and_then(|why| refused(name, &why)));
    }
    for name in &options.colors {
        errors.extend(graph.set_color(name).err().and_then(|why| refused(name, &why)));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

#[cfg(feature = "graphs")]
fn refused(name: &str, why: &HintError) -> Option<Diagnostic> {
    let message = match why {
        HintError::NoUniform => return None,
        HintError::Components(1) => format!("the default value of `{name}` is one number"),
        HintError::Components(n) => format!("the default value of `{name}` takes {n} numbers, separated by commas"),
        HintError::NoNumber(text) => format!("the default value of `{name}` cannot be `{text}`"),
        HintError::NoColor => format!("`{name}` is no colour: these have three or four floats"),
        HintError::NoNumbers => {
            format!("`{name}` takes no default value: it is neither a number, a vector nor a matrix")
        }
    };
    Some(Diagnostic::error(Code::E0508, Span::NONE, message))
}
