//! Entry points of shaders as functions, for targets that call them: C and Rust.

use planish_back_c::{Fields, StageFunction};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Node;
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use planish_opt::call_stages::{self, Called};
use planish_opt::cost;

use super::EmitOptions;
use crate::optimizer::Optimizer;

/// A module with functions in place of the entry points of stages, of which an invocation can run alone. `name` gives their names.
///
/// # Errors
/// E0604 for variables that such a function cannot have.
pub(super) fn called(
    module: &Module,
    options: &EmitOptions,
    name: impl Fn(&StageFunction) -> &str,
) -> Result<(Module, Vec<StageFunction>), Vec<Diagnostic>> {
    let vars = |fields: &Fields| fields.0.iter().map(|field| field.1).collect::<Vec<_>>();
    let stages = planish_back_c::stages_of(module, &options.prefix)?;
    let as_called = |stage: &StageFunction| Called {
        entry: stage.func,
        name: name(stage).into(),
        given: [vars(&stage.uniforms), vars(&stage.inputs)].concat(),
        wanted: vars(&stage.outputs),
    };
    let mut called = module.clone();
    call_stages::run(&mut called, &stages.iter().map(as_called).collect::<Vec<_>>());
    if options.optimize {
        // Uniforms and inputs become parameters of what the stage calls no more.
        let mut optimizer = Optimizer::level("2").expect("there is a level 2");
        optimizer.options.inline_all = true;
        optimizer.options.costs = Some((&cost::MACHINE).into());
        optimizer.run(&mut called, &mut |_, _| {});
    }
    Ok((called, stages))
}

/// The first construct for which an entry point of a module needs batches of invocations, and its place: derivatives, `discard`, textures, buffers or barriers.
pub(crate) fn batch_reason(module: &Module) -> Option<(Span, &'static str)> {
    if !module.entry_points.iter().any(|entry| entry.stage.is_some()) {
        return None;
    }
    module.funcs.keys().find_map(|func| {
        let function = &module.funcs[func];
        let found = reason(module, function.body.as_ref()?)?;
        Some((if found.0.is_none() { function.span } else { found.0 }, found.1))
    })
}

fn reason(module: &Module, body: &Body) -> Option<(Span, &'static str)> {
    let of_node = |node: Node| {
        let data = body.node(node);
        let info = data.op.info();
        let space = |space: AddressSpace| match space {
            AddressSpace::Storage => Some("buffers"),
            AddressSpace::Workgroup => Some("shared variables"),
            AddressSpace::Handle => Some("textures"),
            _ => None,
        };
        let of_vars = || body.args(node).iter().find_map(|arg| space(module.vars[arg.as_var()?].space));
        let what = match info.class {
            Class::Texture => Some("textures"),
            _ if info.effect == Effect::Quad => Some("derivatives"),
            Class::Stage => Some("barriers and the like"),
            Class::Subgroup => Some("subgroups"),
            _ => of_vars(),
        };
        what.map(|what| (data.span, what))
    };
    let discards = body.blocks.values().find(|block| block.exit == Exit::Discard);
    let found = discards.map(|block| (block.exit_span, "`discard`"));
    found.or_else(|| body.nodes().find_map(|(node, _)| of_node(node)))
}
