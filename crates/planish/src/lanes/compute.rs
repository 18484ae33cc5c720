//! Compute shaders: a call of the machine runs all invocations of a work group.

use planish_eval::shade::{DrawOptions, ShadeError, bind, uniforms};
use planish_eval::{Evaluator, Stop};
use planish_ir::decoration::BuiltIn;
use planish_ir::entity::{Node, Value, Var};
use planish_ir::function::Body;
use planish_ir::meaning::Shape;
use planish_ir::module::{Module, Stage};
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::tree::Tree;
use planish_ir::types::{AddressSpace, Scalar};
use planish_ir::walk;
use planish_opt::lower_to_scalars::{self, Addresses};
use planish_opt::widen::{WidenedGroup, widen_group};
use planish_vm::{Engine, Error, Linker, Store};
use std::collections::{HashMap, HashSet};

use super::memory::SharedMemory;
use super::program::unsupported;
use super::stage::{self, Host, Outside};
use super::textures::{self, Copied};
use super::{DrawError, LaneOptions, without_small};

const GROUP: &str = "group";
/// Inputs that are the same for all invocations of a group.
pub(super) const UNIFORM: [BuiltIn; 3] = [BuiltIn::NumWorkGroups, BuiltIn::WorkGroupSize, BuiltIn::WorkGroupId];

/// A compute shader, compiled for lanes.
struct Program {
    lanes: u8,
    local: [u32; 3],
    /// The module before it is lowered, with the functions that the host runs.
    widened: Module,
    lowered: Module,
    outside: Vec<Outside>,
    shared: SharedMemory,
    textures: Vec<Copied>,
    group: WidenedGroup,
    addresses: Addresses,
}

/// Runs `groups` work groups of a module's compute shader along each axis, as [`planish_eval::shade::Compute`] does. `buffers` are the
/// components of the storage blocks, before and after.
///
/// # Errors
/// If there is no compute shader, an option has an unknown name, the shader has a construct that cannot be widened, it depends on the
/// order of its invocations, or it stops before its end.
///
/// # Panics
/// If the number of lanes is another one.
pub fn dispatch_on(
    engine: &Engine,
    module: &Module,
    options: &DrawOptions<'_>,
    lanes: &LaneOptions,
    buffers: &mut [(Var, Vec<u64>)],
    groups: [u32; 3],
) -> Result<(), DrawError> {
    let module = &*without_small(module).map_err(DrawError::Unsupported)?;
    let program = Program::new(module, options, lanes, buffers)?;
    let code = planish_vm::Module::new(engine, program.lowered.clone())?;
    program.run(engine, &code, options, buffers, groups)
}

impl Program {
    fn new(
        module: &Module,
        options: &DrawOptions<'_>,
        lanes: &LaneOptions,
        buffers: &[(Var, Vec<u64>)],
    ) -> Result<Self, DrawError> {
        let entry = module.entry_point(Some(Stage::Compute)).ok_or(ShadeError::NoEntryPoint)?;
        let local = entry.properties.local_size.unwrap_or([1; 3]).map(|s| s.max(1));
        let span = module.funcs[entry.func].span;
        let count =
            local.iter().try_fold(1u32, |n, &s| n.checked_mul(s)).filter(|&n| n as usize <= planish_eval::MAX_LANES);
        let count = count.ok_or_else(|| unsupported(span, "the work group is too large"))?;
        if entry.properties.derivative_group.is_some() {
            return Err(unsupported(span, "derivatives of a compute shader"));
        }
        // A small group needs no more lanes than it has invocations.
        let enough = if count <= 4 {
            4
        } else if count <= 8 {
            8
        } else {
            16
        };
        let width = lanes.lanes.min(enough);
        let known = uniforms(module, options)?;
        let mut textures = Vec::new();
        let mut widened = stage::prepare(module, entry, known.iter(), |prepared| {
            textures = textures::copy(prepared, module, options, (lanes.exact, Stage::Compute));
            !textures.is_empty()
        });
        let func = widened.entry_points[0].func;
        if count > width.into()
            && let Some(body) = &widened.funcs[func].body
            && let Some(node) = order_matters(&widened, body)
        {
            return Err(unsupported(
                body.node(node).span,
                "an atomic operation whose result depends on the order of invocations",
            ));
        }
        let words = |var: Var| buffers.iter().find(|(buffer, _)| *buffer == var).map(|(_, words)| words.len());
        let mut shared =
            SharedMemory::new(&mut widened, &textures.iter().map(|of| of.texels).collect::<Vec<Var>>(), &words)?;
        for var in UNIFORM.into_iter().flat_map(|builtin| builtins(&widened, builtin)).collect::<Vec<Var>>() {
            shared.add(&mut widened, var, AddressSpace::Uniform, None)?;
        }
        let group = widen_group(&mut widened, func, (width, count), &shared.replacements());
        let group = group.map_err(DrawError::Unsupported)?;
        stage::export(&mut widened, group.func, GROUP);
        let mut lowered = stage::optimized(&widened);
        let outside = stage::outside(&widened, &lowered, &group.outlined, width);
        let addresses = stage::lower(&mut lowered, width, lanes, None)?;
        shared.place(&addresses);
        stage::finish(&mut lowered);
        Ok(Program { lanes: width, local, widened, lowered, outside, shared, textures, group, addresses })
    }

    fn run(
        &self,
        engine: &Engine,
        code: &planish_vm::Module,
        options: &DrawOptions<'_>,
        buffers: &mut [(Var, Vec<u64>)],
        groups: [u32; 3],
    ) -> Result<(), DrawError> {
        let lanes = usize::from(self.lanes);
        let mut evaluator = Evaluator::with_lanes(&self.widened, options.limits, lanes).map_err(ShadeError::from)?;
        if !self.outside.is_empty() {
            bind(&mut evaluator, options)?;
        }
        let mut store = Store::new(engine, Host { evaluator });
        let mut linker = Linker::new();
        stage::provide(&mut linker, &self.outside, self.lanes);
        let instance = linker.instantiate(&mut store, code)?;
        let group = instance.get_func(&store, GROUP).expect("the program has it");
        let memory = instance.get_memory(&store, lower_to_scalars::MEMORY);
        let mut nothing = Vec::new();
        let bytes = memory.map_or(&mut nothing[..], |memory| memory.data_mut(&mut store));
        for copied in &self.textures {
            if let Some(shared) = self.shared.get(copied.texels) {
                shared.put(&copied.bytes, bytes);
            }
        }
        for (var, words) in buffers.iter() {
            if let Some(shared) = self.shared.get(*var) {
                shared.write(&self.widened, words, bytes);
            }
        }
        self.write_uniform(BuiltIn::NumWorkGroups, groups, bytes);
        self.write_uniform(BuiltIn::WorkGroupSize, self.local, bytes);
        self.write_inputs([0; 3], true, bytes);
        for number in 0..u64::from(groups[0]) * u64::from(groups[1]) * u64::from(groups[2]) {
            let [width, height] = [0, 1].map(|axis| u64::from(groups[axis]));
            let id = [number % width, number / width % height, number / (width * height)].map(|n| n as u32);
            let bytes = memory.map_or(&mut nothing[..], |memory| memory.data_mut(&mut store));
            self.shared.clear_workgroup(&self.widened, bytes);
            self.write_uniform(BuiltIn::WorkGroupId, id, bytes);
            self.write_inputs(id, false, bytes);
            store.set_fuel(options.limits.steps.saturating_mul(u64::from(self.group.batches)));
            group.call(&mut store, &[], &mut []).map_err(|error| match error {
                Error::OutOfFuel => ShadeError::Stop(Stop::StepLimit).into(),
                Error::Trap(trap) if trap.kind == planish_ir::function::TrapKind::Unreachable => {
                    unsupported(trap.span, "a barrier in control flow that is not the same for all invocations")
                }
                error => DrawError::Machine(error),
            })?;
        }
        let bytes = memory.map_or(&[][..], |memory| memory.data(&store));
        for (var, words) in buffers {
            if let Some(found) = self.shared.get(*var).and_then(|shared| shared.read(&self.widened, bytes)) {
                *words = found;
            }
        }
        Ok(())
    }

    /// Writes a built-in input that is the same for all invocations of a group.
    fn write_uniform(&self, builtin: BuiltIn, value: [u32; 3], bytes: &mut [u8]) {
        for shared in builtins(&self.widened, builtin).into_iter().filter_map(|var| self.shared.get(var)) {
            shared.write(&self.widened, &value.map(u64::from), bytes);
        }
    }

    /// Writes the inputs that differ between invocations: those that stay, or those that depend on the work group.
    fn write_inputs(&self, id: [u32; 3], stay: bool, bytes: &mut [u8]) {
        let module = &self.widened;
        let count: u32 = self.local.iter().product();
        let lanes = u32::from(self.lanes);
        let mut write = |var: Var, components: usize, component: usize, index: u32, word: u32| {
            let Some(&address) = self.addresses.get(&var) else { return };
            let cell = (index / lanes * components as u32 + component as u32) * lanes + index % lanes;
            let at = (address + 4 * cell) as usize;
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        };
        if let Some(present) = self.group.present.filter(|_| stay) {
            (0..count).for_each(|index| write(present, 1, 0, index, u32::MAX));
        }
        for &(source, var) in &self.group.inputs {
            let builtin = module.vars[source].decorations.builtin();
            if stay == (builtin == Some(BuiltIn::GlobalInvocationId)) {
                continue;
            }
            let components = module.types.components(module.vars[source].ty).unwrap_or(0);
            for index in 0..count {
                let [width, height, _] = self.local;
                let place = [index % width, index / width % height, index / (width * height)];
                let value: [u32; 3] = match builtin {
                    Some(BuiltIn::LocalInvocationId) => place,
                    Some(BuiltIn::LocalInvocationIndex) => [index; 3],
                    Some(BuiltIn::GlobalInvocationId) => {
                        std::array::from_fn(|axis| id[axis].wrapping_mul(self.local[axis]) + place[axis])
                    }
                    _ => [0; 3],
                };
                for (component, &word) in value.iter().enumerate().take(components) {
                    write(var, components, component, index, word);
                }
            }
        }
    }
}

/// The variables of a built-in input.
fn builtins(module: &Module, builtin: BuiltIn) -> Vec<Var> {
    let is = |var: &Var| {
        let data = &module.vars[*var];
        data.space == AddressSpace::Input && data.decorations.builtin() == Some(builtin)
    };
    module.globals.iter().copied().filter(is).collect()
}

/// An atomic operation that may give another result, or leave something else in memory, if batches of invocations run it one after the
/// other rather than all of them together: beside another one on the same variable, or in a loop, and if it is observed.
pub(super) fn order_matters(module: &Module, body: &Body) -> Option<Node> {
    let tree = Tree::new(body);
    let mut used: HashSet<Value> = body.all_args().iter().copied().collect();
    for block in body.blocks.values() {
        block.exit.for_each_operand(|value| used.extend([value]));
    }
    let mut sites: HashMap<Place, Vec<(Node, bool)>> = HashMap::new();
    for block in walk::blocks(body) {
        let parents = std::iter::successors(tree.place(block).and_then(|place| place.owner), |&owner| {
            tree.place(owner).and_then(|place| place.owner)
        });
        let is_loop = |owner| {
            let exit = &body.blocks[owner].exit;
            matches!(exit, planish_ir::function::Exit::Loop { .. } | planish_ir::function::Exit::DoLoop { .. })
        };
        let in_loop = parents.into_iter().any(is_loop);
        for &node in &body.blocks[block].nodes {
            let data = body.node(node);
            if !matches!(data.op.info().effect, Effect::Modify | Effect::ImageModify) {
                continue;
            }
            let place = place(body, handle(body, body.args(node)[0]));
            if !place.0.as_var().is_some_and(|var| is_own(module.vars[var].space)) {
                sites.entry(place).or_default().push((node, in_loop));
            }
        }
    }
    let is_observed = |node: Node| {
        let ty = body.result(node).map(|local| body.local_type(local));
        let is_float = ty.and_then(|ty| module.types.scalar_of(ty)).is_some_and(Scalar::is_float);
        let replaces = matches!(
            body.node(node).op,
            Op::AtomicExchange | Op::AtomicCompareExchange | Op::ImageAtomicExchange | Op::ImageAtomicCompareExchange
        );
        is_float || replaces || body.results(node).any(|local| used.contains(&local.into()))
    };
    let mut all: Vec<_> = sites.into_values().filter(|sites| sites.len() > 1 || sites[0].1).collect();
    all.sort_by_key(|sites| sites[0].0);
    let differ = |sites: &[(Node, bool)]| sites.iter().any(|(node, _)| body.node(*node).op != body.node(sites[0].0).op);
    let found = all.into_iter().find(|sites| differ(sites) || sites.iter().any(|&(node, _)| is_observed(node)));
    found.map(|sites| sites[0].0)
}

/// A variable, and the number of its member. Different ones do not overlap.
type Place = (Value, Option<u32>);

/// The place that a pointer leads to.
fn place(body: &Body, mut pointer: Value) -> Place {
    let mut member = None;
    while let Some(node) = body.node_of(pointer).filter(|&node| body.node(node).op.info().class == Class::Access) {
        let data = body.node(node);
        member = (data.op == Op::AccessStructField).then(|| data.imm.as_index());
        pointer = body.args(node)[0];
    }
    (pointer, member)
}

/// The pointer that a handle was loaded from; other values are themselves.
fn handle(body: &Body, value: Value) -> Value {
    match body.node_of(value).filter(|&node| body.node(node).op == Op::Load) {
        Some(node) => body.args(node)[0],
        None => value,
    }
}

fn is_own(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Function | AddressSpace::Private | AddressSpace::Input | AddressSpace::Output)
}
