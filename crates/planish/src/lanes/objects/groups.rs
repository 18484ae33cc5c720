//! Compute shaders: a function for each work group, which computes the ids of its invocations.

use planish_back_native::{ShaderEntry, ShaderNumbers};
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{BuiltIn, Name, NameSource, Precision};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Memory, Type, Value, Var};
use planish_ir::function::{Direction, Param};
use planish_ir::module::{EntryPoint, Module};
use planish_ir::ops::{MemArg, Op, Width};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use planish_opt::lower_to_scalars::Addresses;
use planish_opt::widen::{WidenedGroup, widen_group};

use super::{Body, Entry, Placed, Work, refused};
use crate::lanes::compute::{UNIFORM, order_matters};

/// The ids of invocations that the function of a group computes.
pub(super) struct Ids {
    local: [u32; 3],
    count: u32,
    /// The built-in inputs that are the same for all invocations.
    shared: Vec<(Var, BuiltIn)>,
    group: WidenedGroup,
}

impl Work {
    /// Widens a compute shader.
    pub(super) fn group(&mut self, entry: &EntryPoint) -> Result<(), Vec<Diagnostic>> {
        let span = self.module.funcs[entry.func].span;
        let local = entry.properties.local_size.unwrap_or([1; 3]).map(|s| s.max(1));
        let count = local.iter().try_fold(1u32, |n, &s| n.checked_mul(s));
        let count = count.filter(|&n| n as usize <= planish_eval::MAX_LANES);
        let count = count.ok_or_else(|| vec![refused(span, "the work group is too large")])?;
        if entry.properties.derivative_group.is_some() {
            return Err(vec![refused(span, "an object's compute shader has no derivatives")]);
        }
        if count > self.lanes.into()
            && let Some(body) = &self.module.funcs[entry.func].body
            && let Some(node) = order_matters(&self.module, body)
        {
            let text = "an atomic operation whose result depends on the order of invocations";
            return Err(vec![refused(body.node(node).span, text)]);
        }
        let mut resources = self.resources(entry.func)?;
        let mut shared = Vec::new();
        for builtin in UNIFORM {
            for var in self.builtins(entry.func, builtin) {
                let data = self.module.vars[var].clone();
                let own = self.module.add_var(data.name, data.ty, AddressSpace::Uniform);
                resources.instead.insert(var, own);
                shared.push((own, builtin));
            }
        }
        let group = widen_group(&mut self.module, entry.func, (self.lanes, count), &resources.instead)?;
        for &(source, _) in &group.inputs {
            let data = &self.module.vars[source];
            let known = [BuiltIn::LocalInvocationId, BuiltIn::LocalInvocationIndex, BuiltIn::GlobalInvocationId];
            if !data.decorations.builtin().is_some_and(|builtin| known.contains(&builtin)) {
                let text = format!("an object's compute shader cannot use the input `{}`", data.name.text);
                return Err(vec![refused(data.span, text)]);
            }
        }
        self.outline(&group.outlined, &resources.handles, false);
        let name = entry.names.first().map_or_else(|| "main".to_owned(), ToString::to_string);
        let [x, y, z] = local;
        let comment = format!(
            "The compute shader `{name}`, for work group `group` of `groups` along each axis; a group has {x} x {y} x {z} invocations."
        );
        let numbers = ["group", "groups"].map(|name| ShaderNumbers { name, count: Some(3) }).to_vec();
        let groups = resources.group.into_iter().collect();
        let shader = ShaderEntry { name, comment, func: group.func, groups, numbers };
        self.entries.push(Entry { shader, body: Body::Group(Ids { local, count, shared, group }) });
        Ok(())
    }
}

impl Ids {
    /// Adds the function that sets the built-in inputs of a work group and calls a shader, which is lowered. Its parameters are the
    /// number of the group and the number of all groups, along each axis.
    pub(super) fn write(&self, module: &mut Module, (shader, lanes): (Func, u8), placed: &Placed) -> Func {
        let param = |name: &'static str| Param {
            name: Name::new(name, NameSource::Internal),
            ty: Type::U32,
            precision: Precision::None,
            direction: Direction::In,
            span: Span::NONE,
        };
        let params = ["x", "y", "z", "columns", "rows", "layers"].map(param).to_vec();
        let func = module.add_func(Name::new("work_group", NameSource::Internal), params, vec![], Span::NONE);
        let mut b = Builder::new(module, func, Policy::PLAIN);
        if let Some((memory, _)) = placed.memory {
            let mut writer = Writer { b: &mut b, memory, addresses: &placed.addresses };
            writer.shared(self);
            writer.inputs(self, lanes.into());
        }
        b.call(shader.into(), &[]);
        b.ret(&[]);
        b.finish();
        func
    }
}

struct Writer<'w, 'm, 'r> {
    b: &'w mut Builder<'m, 'r>,
    memory: Memory,
    addresses: &'w Addresses,
}

impl Writer<'_, '_, '_> {
    /// Stores a word at a place from an address on.
    fn store(&mut self, at: Value, offset: u32, word: Value) {
        let arg = MemArg { memory: self.memory, offset, width: Width::B32, signed: false, in_bounds: false };
        self.b.make_all(Request::new(Op::MemoryStore, &[at, word]).imm(arg));
    }

    /// The inputs that are the same for all invocations.
    fn shared(&mut self, ids: &Ids) {
        let numbers: [Value; 6] = std::array::from_fn(|i| self.b.param(i));
        let start = self.b.i32(0);
        for &(var, builtin) in &ids.shared {
            let Some(&address) = self.addresses.get(&var) else { continue };
            let value = match builtin {
                BuiltIn::WorkGroupId => [numbers[0], numbers[1], numbers[2]],
                BuiltIn::NumWorkGroups => [numbers[3], numbers[4], numbers[5]],
                _ => ids.local.map(|size| self.b.u32(size)),
            };
            (0..).zip(value).for_each(|(axis, word)| self.store(start, address + 4 * axis, word));
        }
    }

    /// The inputs that differ, for each invocation and those that fill the last batch.
    fn inputs(&mut self, ids: &Ids, lanes: u32) {
        let of_vars = ids.group.inputs.iter().filter_map(|&(source, var)| Some((source, *self.addresses.get(&var)?)));
        let inputs: Vec<(Var, u32)> = of_vars.collect();
        let present = ids.group.present.and_then(|present| self.addresses.get(&present).copied());
        if inputs.is_empty() && present.is_none() {
            return;
        }
        let (none, end) = (self.b.u32(0), self.b.u32(ids.group.batches * lanes));
        let blocks = self.b.loop_(&[none], false);
        let index = self.b.add_input(blocks.condition, Type::U32, Precision::None);
        self.b.switch_to(blocks.condition);
        let more = self.b.op(Op::LessThan, &[index, end]);
        self.b.loop_if(more);
        self.b.switch_to(blocks.body);
        let [columns, rows] = [0, 1].map(|axis| self.b.u32(ids.local[axis]));
        let x = self.b.op(Op::Remainder, &[index, columns]);
        let row = self.b.op(Op::Divide, &[index, columns]);
        let y = self.b.op(Op::Remainder, &[row, rows]);
        let z = self.b.op(Op::Divide, &[row, rows]);
        let place = [x, y, z];
        for (source, address) in inputs {
            let data = &self.b.module.vars[source];
            let (ty, builtin) = (data.ty, data.decorations.builtin());
            let components = if matches!(self.b.module.types[ty], TypeKind::Vector(..)) { 3 } else { 1 };
            let cell = self.cell(index, components, lanes);
            match builtin {
                Some(BuiltIn::LocalInvocationIndex) => self.store(cell, address, index),
                Some(BuiltIn::LocalInvocationId) => {
                    (0..).zip(place).for_each(|(axis, word)| self.store(cell, address + 4 * lanes * axis, word));
                }
                _ => {
                    for (axis, place) in place.into_iter().enumerate() {
                        let (group, size) = (self.b.param(axis), self.b.u32(ids.local[axis]));
                        let start = self.b.op(Op::Multiply, &[group, size]);
                        let word = self.b.op(Op::Add, &[start, place]);
                        self.store(cell, address + 4 * lanes * axis as u32, word);
                    }
                }
            }
        }
        if let Some(address) = present {
            let (count, all) = (self.b.u32(ids.count), self.b.u32(u32::MAX));
            let is_there = self.b.op(Op::LessThan, &[index, count]);
            let word = self.b.op(Op::Select, &[is_there, all, none]);
            let cell = self.cell(index, 1, lanes);
            self.store(cell, address, word);
        }
        let one = self.b.u32(1);
        let next = self.b.op(Op::Add, &[index, one]);
        self.b.continue_(blocks.owner, &[next]);
        self.b.switch_to(blocks.merge);
    }

    /// Bytes from the first word of an input to that of an invocation: batches of components in lanes.
    fn cell(&mut self, index: Value, components: u32, lanes: u32) -> Value {
        let (width, stride, word) = (self.b.u32(lanes), self.b.u32(4 * lanes * components), self.b.u32(4));
        let batch = self.b.op(Op::Divide, &[index, width]);
        let lane = self.b.op(Op::Remainder, &[index, width]);
        let batch = self.b.op(Op::Multiply, &[batch, stride]);
        let lane = self.b.op(Op::Multiply, &[lane, word]);
        let at = self.b.op(Op::Add, &[batch, lane]);
        self.b.op_typed(Op::Bitcast, &[at], Type::I32)
    }
}
