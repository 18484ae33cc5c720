//! Execution of vertex shaders.

use planish_ir::decoration::BuiltIn;
use planish_ir::entity::Var;
use planish_ir::module::{Module, Stage};
use planish_ir::types::AddressSpace;

use super::names::{self, to_bits};
use super::{DrawOptions, ShadeError, set_uniforms};
use crate::evaluator::Evaluator;
use crate::value::EvalValue;

/// Options of a run of a vertex shader.
#[derive(Clone, Default)]
pub struct VertexOptions<'a> {
    /// Uniforms, textures and limits.
    pub common: DrawOptions<'a>,
    /// Number of vertices.
    pub count: u32,
    /// Index of the instance.
    pub instance: u32,
    /// Attributes by name: the components of all vertices, concatenated. A missing or short attribute is padded with 0,
    /// 0, 0, 1.
    pub attributes: Vec<(String, Vec<f64>)>,
}

/// An output of one vertex.
#[derive(Clone, PartialEq, Debug)]
pub struct VertexOutput {
    /// Its name (`gl_Position`, …).
    pub name: String,
    /// Its value.
    pub value: EvalValue,
}

/// Runs a vertex shader; returns for each vertex the outputs in the order of their declarations.
///
/// # Errors
/// See [`super::draw`].
pub fn run_vertex(module: &Module, options: &VertexOptions<'_>) -> Result<Vec<Vec<VertexOutput>>, ShadeError> {
    let entry = super::entry_of(module, Stage::Vertex)?;
    let lanes = options.count.clamp(1, 64) as usize;
    let mut evaluator = Evaluator::with_lanes(module, options.common.limits, lanes)?;
    set_uniforms(&mut evaluator, &options.common)?;
    let mut vertices = Vec::new();
    let mut first = 0;
    while first < options.count {
        let count = (options.count - first).min(lanes as u32);
        evaluator.machine().reset_invocation();
        for lane in 0..count {
            set_attributes(&mut evaluator, options, lane as usize, first + lane);
        }
        evaluator.machine().set_subgroups(count as usize);
        evaluator.machine().invoke(entry.func, &[], count as usize)?;
        vertices.extend((0..count).map(|lane| outputs(&evaluator, lane as usize)));
        first += count;
    }
    Ok(vertices)
}

fn set_attributes(evaluator: &mut Evaluator<'_>, options: &VertexOptions<'_>, lane: usize, vertex: u32) {
    let module = evaluator.module();
    for (var, _) in module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Input) {
        for (component, bits) in attribute_bits(module, options, var, vertex) {
            if let Some(column) = evaluator.machine().lane_column_mut(var, component) {
                column[lane] = bits;
            }
        }
    }
}

/// The components of an input of a vertex shader by their number, and their bits: for engines that run it otherwise.
pub fn attribute_bits(module: &Module, options: &VertexOptions<'_>, var: Var, vertex: u32) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    for leaf in names::leaves_of(module, var) {
        let size = leaf.element * leaf.count;
        let given = options.attributes.iter().find(|(name, _)| *name == leaf.path).map(|(_, v)| &v[..]);
        for c in 0..size {
            let value = match module.vars[var].decorations.builtin() {
                Some(BuiltIn::VertexId | BuiltIn::VertexIndex) => vertex.into(),
                Some(BuiltIn::InstanceId | BuiltIn::InstanceIndex) => options.instance.into(),
                Some(_) => 0.0,
                None => {
                    let missing = if c == 3 { 1.0 } else { 0.0 };
                    given.and_then(|v| v.get(vertex as usize * size + c)).copied().unwrap_or(missing)
                }
            };
            found.push((leaf.start + c, to_bits(value, leaf.scalar)));
        }
    }
    found
}

fn outputs(evaluator: &Evaluator<'_>, lane: usize) -> Vec<VertexOutput> {
    let module = evaluator.module();
    let outputs = module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Output);
    outputs
        .map(|(var, data)| VertexOutput {
            name: data.name.text.to_string(),
            value: EvalValue { ty: data.ty, bits: evaluator.get(var, lane) },
        })
        .collect()
}
