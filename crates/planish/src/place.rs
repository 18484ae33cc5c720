//! Places for errors about entities without a definition in the source: a built-in variable, an imported memory,
//! generated code.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_ir::walk;

/// Codes of errors about the options: no place of the program is to blame.
const ABOUT_OPTIONS: [Code; 3] = [Code::E0502, Code::E0503, Code::E0601];

/// Locates errors without a place at the first entry point or function that has one: its own, or that of an operation.
pub(crate) fn at_entry_point(module: &Module, mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let misses = |error: &Diagnostic| error.span == Span::NONE && !ABOUT_OPTIONS.contains(&error.code);
    if !errors.iter().any(misses) {
        return errors;
    }
    let entries = module.entry_points.iter().map(|entry| entry.func);
    let places = entries.chain(module.funcs.keys()).map(|func| {
        let function = &module.funcs[func];
        let body = function.body.iter();
        let spans = body.flat_map(|body| {
            walk::blocks(body).flat_map(|block| {
                let data = &body.blocks[block];
                data.nodes.iter().map(|&node| body.node(node).span).chain([data.exit_span])
            })
        });
        std::iter::once(function.span).chain(spans).find(|&span| span != Span::NONE)
    });
    let Some(place) = places.into_iter().flatten().next() else { return errors };
    for error in errors.iter_mut().filter(|error| misses(error)) {
        error.span = place;
    }
    errors
}

#[cfg(test)]
mod tests {
    use crate::{Compiler, EmitOptions, Target, emit, render};

    /// Built-in inputs of WGSL have no declaration in the IR.
    #[test]
    fn an_error_about_a_builtin_points_at_the_entry_point() {
        let source = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n\
                      @compute @workgroup_size(1)\n\
                      fn main(@builtin(global_invocation_id) id: vec3<u32>) { a[id.x] = id.y; }\n";
        let mut compiler = Compiler::default();
        let module = compiler.compile("a.wgsl", source).module.expect("is valid");
        let errors = emit(&module, Target::Glsl, &EmitOptions::default()).expect_err("GLSL ES 3.00 has no such thing");
        let texts: Vec<String> = errors.iter().map(|e| render::short(e, &compiler.map)).collect();
        assert!(texts.iter().any(|text| text.contains("gl_GlobalInvocationID")), "{texts:?}");
        assert!(texts.iter().all(|text| text.starts_with("a.wgsl:")), "{texts:?}");
    }
}
