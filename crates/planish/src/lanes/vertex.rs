//! Vertex shaders: a call of the machine computes a batch of vertices.

use planish_eval::shade::{
    ShadeError, VertexOptions, VertexOutput, attribute_bits, bind, uniforms, writes_shared_memory,
};
use planish_eval::{EvalValue, Evaluator, Stop};
use planish_ir::entity::{Type, Var};
use planish_ir::meaning::Shape;
use planish_ir::module::{Module, Stage, VarData};
use planish_ir::types::{AddressSpace, Scalar};
use planish_opt::lower_to_scalars;
use planish_opt::widen::{WidenOptions, widen_with};
use planish_vm::{Engine, Error, Linker, Store, Val};

use super::memory::SharedMemory;
use super::program::unsupported;
use super::stage::{self, Host};
use super::textures;
use super::{DrawError, LaneOptions, without_small};

const VERTICES: &str = "vertices";

/// Runs a module's vertex shader, as [`planish_eval::shade::run_vertex`] does.
///
/// # Errors
/// If there is no vertex shader, an option has an unknown name, the shader has a construct that cannot be widened, or writes memory that
/// several batches share, or it stops before its end.
///
/// # Panics
/// If the number of lanes is another one.
pub fn run_vertex_on(
    engine: &Engine,
    module: &Module,
    options: &VertexOptions<'_>,
    lanes: &LaneOptions,
) -> Result<Vec<Vec<VertexOutput>>, DrawError> {
    let lowered = without_small(module).map_err(DrawError::Unsupported)?;
    let is_passed = |data: &VarData| data.space == AddressSpace::Output;
    let changed = lowered.vars.iter().find(|(var, data)| is_passed(data) && data.ty != module.vars[*var].ty);
    if let Some((_, data)) = changed {
        return Err(unsupported(data.span, "outputs of 8-bit or 16-bit numbers"));
    }
    let module = &*lowered;
    let entry = module.entry_point(Some(Stage::Vertex)).ok_or(ShadeError::NoEntryPoint)?;
    let n = lanes.lanes.min(if options.count <= 4 { 4 } else { 16 });
    if options.count > n.into() && writes_shared_memory(module) {
        return Err(unsupported(module.funcs[entry.func].span, "memory that batches of vertices share"));
    }
    let known = uniforms(module, &options.common)?;
    let mut copied = Vec::new();
    let mut widened = stage::prepare(module, entry, known.iter(), |prepared| {
        copied = textures::copy(prepared, module, &options.common, (lanes.exact, Stage::Vertex));
        !copied.is_empty()
    });
    let func = widened.entry_points[0].func;
    let mut shared =
        SharedMemory::new(&mut widened, &copied.iter().map(|of| of.texels).collect::<Vec<Var>>(), &|_| None)?;
    let widening = WidenOptions { lanes: n, all_active: false, helpers: false, interface: true };
    let made = widen_with(&mut widened, func, &widening, &shared.replacements()).map_err(DrawError::Unsupported)?;
    let signature = &widened.funcs[made.func];
    let scalar = |ty: Type| widened.types.scalar_of(ty).expect("lanes");
    let params: Vec<Scalar> = signature.params.iter().map(|param| scalar(param.ty)).collect();
    let results: Vec<Scalar> = signature.results.iter().map(|result| scalar(result.ty)).collect();
    stage::export(&mut widened, made.func, VERTICES);
    let mut lowered = stage::optimized(&widened);
    let outside = stage::outside(&widened, &lowered, &made.outlined, n);
    shared.place(&stage::lower(&mut lowered, n, lanes, None)?);
    stage::finish(&mut lowered);
    let code = planish_vm::Module::new(engine, lowered)?;
    let limits = options.common.limits;
    let mut evaluator = Evaluator::with_lanes(&widened, limits, n.into()).map_err(ShadeError::from)?;
    if !outside.is_empty() {
        bind(&mut evaluator, &options.common)?;
    }
    let mut store = Store::new(engine, Host { evaluator });
    let mut linker = Linker::new();
    stage::provide(&mut linker, &outside, n);
    let instance = linker.instantiate(&mut store, &code)?;
    if let Some(memory) = instance.get_memory(&store, lower_to_scalars::MEMORY) {
        let bytes = memory.data_mut(&mut store);
        for copied in &copied {
            if let Some(shared) = shared.get(copied.texels) {
                shared.put(&copied.bytes, bytes);
            }
        }
    }
    let vertices = instance.get_func(&store, VERTICES).expect("the program has it");
    let mut all = Vec::new();
    for first in (0..options.count).step_by(n.into()) {
        let batch: Vec<u32> = (first..first + u32::from(n)).collect();
        let mut columns = vec![batch.iter().map(|&vertex| u64::from(vertex < options.count)).collect::<Vec<u64>>()];
        for &var in &made.inputs {
            let size = module.types.components(module.vars[var].ty).unwrap_or(0);
            let start = columns.len();
            columns.resize(start + size, vec![0; n.into()]);
            for (lane, &vertex) in batch.iter().enumerate() {
                for (component, bits) in attribute_bits(module, options, var, vertex) {
                    columns[start + component][lane] = bits;
                }
            }
        }
        let wide = |scalars: &[Scalar]| {
            let parts: u32 = scalars.iter().map(|&s| u32::from(n) * stage::bytes(s) / 16).sum();
            vec![Val::V128(0); parts as usize]
        };
        let (mut args, mut found) = (wide(&params), wide(&results));
        stage::pack(&columns, &params, &mut args);
        store.set_fuel(limits.steps);
        vertices.call(&mut store, &args, &mut found).map_err(|error| match error {
            Error::OutOfFuel => ShadeError::Stop(Stop::StepLimit).into(),
            error => DrawError::Machine(error),
        })?;
        let found = stage::unpack(&found, &results, n.into());
        let count = (options.count - first).min(n.into()) as usize;
        all.extend((0..count).map(|lane| outputs(module, &made.outputs, &found, lane)));
    }
    Ok(all)
}

/// The outputs of one vertex, of which code writes those in `written`.
fn outputs(module: &Module, written: &[Var], columns: &[Vec<u64>], lane: usize) -> Vec<VertexOutput> {
    let size = |var| module.types.components(module.vars[var].ty).unwrap_or(0);
    let all = module.vars.iter().filter(|(_, data)| data.space == AddressSpace::Output);
    all.map(|(var, data)| {
        let bits = match written.iter().position(|&other| other == var) {
            Some(at) => {
                let start: usize = written[..at].iter().map(|&before| size(before)).sum();
                let bit = |column: &Vec<u64>| column[lane];
                let bits = columns[start..start + size(var)].iter().map(bit);
                match module.types.scalar_of(data.ty) {
                    Some(Scalar::Bool) => bits.map(|bits| u64::from(bits != 0)).collect(),
                    _ => bits.collect(),
                }
            }
            None => {
                let mut bits = Vec::new();
                if let Some(first) = data.initializer {
                    module.consts.flatten(first, &mut bits);
                }
                bits.resize(size(var), 0);
                bits
            }
        };
        VertexOutput { name: data.name.text.to_string(), value: EvalValue { ty: data.ty, bits } }
    })
    .collect()
}
