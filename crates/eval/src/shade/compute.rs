//! Compute shaders: one work group at a time, its invocations in lockstep, which makes barriers no-ops. Four lanes are a quad: four invocations
//! that follow each other, or if the shader wants it, two by two.

use planish_ir::decoration::BuiltIn;
use planish_ir::entity::Var;
use planish_ir::module::{DerivativeGroup, Module, Stage};
use planish_ir::types::AddressSpace;

use super::bytes::{block_from_bytes, block_to_bytes};
use super::draw::place;
use super::{DrawOptions, ShadeError, set_uniforms};
use crate::evaluator::Evaluator;
use crate::mask::MAX_LANES;
use crate::stop::Stop;

/// A compute shader with its buffers and images.
pub struct Compute<'m> {
    evaluator: Evaluator<'m>,
    local: [u32; 3],
    /// Whether invocations are in lanes by quads.
    in_quads: bool,
}

impl<'m> Compute<'m> {
    /// Prepares the module's compute shader. Buffers are empty until they are set.
    ///
    /// # Errors
    /// See [`super::draw`]; also if the work group is larger than [`MAX_LANES`].
    pub fn new(module: &'m Module, options: &DrawOptions<'_>) -> Result<Self, ShadeError> {
        let entry = super::entry_of(module, Stage::Compute)?;
        let local = entry.properties.local_size.unwrap_or([1; 3]).map(|s| s.max(1));
        let lanes = local.iter().try_fold(1usize, |n, &s| n.checked_mul(s as usize));
        let Some(lanes) = lanes.filter(|&n| n <= MAX_LANES) else {
            let message = format!("the work group has more than {MAX_LANES} invocations");
            return Err(Stop::unsupported(message, module.funcs[entry.func].span).into());
        };
        let mut evaluator = Evaluator::with_lanes(module, options.limits, lanes)?;
        set_uniforms(&mut evaluator, options)?;
        let quads = entry.properties.derivative_group == Some(DerivativeGroup::Quads);
        let in_quads = quads && local[0] % 2 == 0 && local[1] % 2 == 0;
        Ok(Compute { evaluator, local, in_quads })
    }

    /// The underlying evaluator, to bind textures and images.
    pub fn evaluator(&mut self) -> &mut Evaluator<'m> {
        &mut self.evaluator
    }

    /// The variable of a storage block, by its own name or that of its type.
    pub fn buffer(&self, name: &str) -> Option<Var> {
        let module = self.evaluator.module();
        let is = |v: &planish_ir::module::VarData| {
            let block = module.types.as_struct(v.ty).map(|s| &*s.name);
            &*v.name.text == name || block == Some(name)
        };
        module.vars.iter().find(|(_, v)| v.space == AddressSpace::Storage && is(v)).map(|(var, _)| var)
    }

    /// Sets a buffer from bytes, by the block's layout. Returns false if the block contains other types than numbers
    /// and booleans.
    pub fn set_buffer(&mut self, var: Var, bytes: &[u8]) -> bool {
        let Some(words) = block_from_bytes(self.evaluator.module(), var, bytes) else { return false };
        self.evaluator.set_buffer(var, words);
        true
    }

    /// The first `len` bytes of a buffer.
    pub fn buffer_bytes(&self, var: Var, len: usize) -> Option<Vec<u8>> {
        let words = self.evaluator.get(var, 0);
        block_to_bytes(self.evaluator.module(), var, &words, len)
    }

    /// Runs `groups` work groups along each axis, in sequence.
    ///
    /// # Errors
    /// If the shader stops before its end.
    pub fn dispatch(&mut self, groups: [u32; 3]) -> Result<(), ShadeError> {
        let module = self.evaluator.module();
        let entry = super::entry_of(module, Stage::Compute)?;
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    self.begin([x, y, z], groups);
                    let lanes = self.local.iter().product::<u32>() as usize;
                    self.evaluator.machine().set_subgroups(lanes);
                    self.evaluator.machine().invoke(entry.func, &[], lanes)?;
                }
            }
        }
        Ok(())
    }

    /// Sets the built-ins of a work group, and zeroes its shared memory.
    fn begin(&mut self, group: [u32; 3], groups: [u32; 3]) {
        let module = self.evaluator.module();
        let (local, in_quads) = (self.local, self.in_quads);
        let machine = self.evaluator.machine();
        machine.reset_invocation();
        for (var, data) in module.vars.iter() {
            if data.space == AddressSpace::Workgroup
                && let Some(words) = machine.shared_mut(var)
            {
                words.fill(0);
            }
            let Some(builtin) = data.decorations.builtin() else { continue };
            for lane in 0..local.iter().product::<u32>() {
                let place = invocation(lane, local, in_quads);
                let index = (place[2] * local[1] + place[1]) * local[0] + place[0];
                let value: [u32; 3] = match builtin {
                    BuiltIn::NumWorkGroups => groups,
                    BuiltIn::WorkGroupSize => local,
                    BuiltIn::WorkGroupId => group,
                    BuiltIn::LocalInvocationId => place,
                    BuiltIn::GlobalInvocationId => std::array::from_fn(|i| group[i].wrapping_mul(local[i]) + place[i]),
                    BuiltIn::LocalInvocationIndex => [index; 3],
                    _ => continue,
                };
                for (c, &word) in value.iter().enumerate() {
                    if let Some(column) = machine.lane_column_mut(var, c) {
                        column[lane as usize] = word.into();
                    } else if let Some(slot) = machine.shared_mut(var).and_then(|w| w.get_mut(c)) {
                        *slot = word.into();
                    }
                }
            }
        }
    }
}

/// The invocation of a lane.
fn invocation(lane: u32, local: [u32; 3], in_quads: bool) -> [u32; 3] {
    let layer = local[0] * local[1];
    let within = lane % layer;
    let [x, y] = if in_quads { place(within as usize, local[0]) } else { [within % local[0], within / local[0]] };
    [x, y, lane / layer]
}
