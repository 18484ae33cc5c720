//! Fragment and vertex shaders: a loop over batches of invocations.

use planish_back_native::{FieldKind, ShaderEntry, ShaderGroup, ShaderNumbers};
use planish_eval::shade::writes_shared_memory;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::constant::{ConstData, ConstValue};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Memory, Type, Value};
use planish_ir::function::{Direction, Param};
use planish_ir::module::{EntryPoint, Module, Stage};
use planish_ir::ops::{LaneShape, MemArg, Op, Width};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, StructType, TypeKind};
use planish_opt::widen::{WidenOptions, Widened, knows_helpers, widen_with};
use std::sync::Arc;

use super::{Body, Entry, Work, push};
use crate::lanes::stage::bytes;

/// Inputs and outputs of a batch: the scalar of each value in lanes, in the order of parameters and results.
pub(super) struct Batch {
    inputs: Option<Side>,
    outputs: Option<Side>,
}

/// A structure with the lanes of values.
struct Side {
    memory: Memory,
    /// Bytes of a batch.
    size: u32,
    scalars: Vec<Scalar>,
    /// Bytes before the mask of helper invocations, a word with a bit for each lane.
    mask: Option<u32>,
}

impl Work {
    /// Widens a fragment or vertex shader.
    pub(super) fn batch(&mut self, entry: &EntryPoint) -> Result<(), Vec<Diagnostic>> {
        let is_fragment = entry.stage == Some(Stage::Fragment);
        let discards = self.module.funcs[entry.func].body.as_ref().is_some_and(knows_helpers);
        let helpers = is_fragment && (discards || writes_shared_memory(&self.module));
        let resources = self.resources(entry.func)?;
        let widening = WidenOptions { lanes: self.lanes, all_active: true, helpers, interface: true };
        let made = widen_with(&mut self.module, entry.func, &widening, &resources.instead)?;
        let mut groups: Vec<ShaderGroup> = resources.group.into_iter().collect();
        let inputs = self.side("inputs", &made, helpers, &mut groups);
        let outputs = self.side("outputs", &made, helpers && made.has_helpers, &mut groups);
        self.outline(&made.outlined, &resources.handles, is_fragment);
        let name = entry.names.first().map_or_else(|| "main".to_owned(), ToString::to_string);
        let n = self.lanes;
        let order = if is_fragment {
            "; lanes 4k to 4k + 3 are the fragments x0y0 x1y0 x0y1 x1y1 of a square of pixels"
        } else {
            ""
        };
        let stage = entry.stage.map_or("", Stage::name);
        let comment = format!("The {stage} shader `{name}`, for `batches` batches of {n} invocations{order}.");
        let numbers = vec![ShaderNumbers { name: "batches", count: None }];
        let shader = ShaderEntry { name, comment, func: made.func, groups, numbers };
        self.entries.push(Entry { shader, body: Body::Batch(Batch { inputs, outputs }) });
        Ok(())
    }

    /// The structure of the inputs, or of the outputs.
    fn side(
        &mut self,
        name: &'static str,
        made: &Widened,
        helpers: bool,
        groups: &mut Vec<ShaderGroup>,
    ) -> Option<Side> {
        let is_input = name == "inputs";
        let memory = self.memory();
        let mut group = ShaderGroup { name, memory, is_repeated: true, is_const: is_input, size: 0, fields: vec![] };
        for &var in if is_input { &made.inputs } else { &made.outputs } {
            let ty = self.module.vars[var].ty;
            let ty = lanes_of(&mut self.module, ty, self.lanes);
            let layout = planish_ir::layout::layout_of(&self.module.types, ty, planish_ir::layout::Rule::Scalar, false);
            let size = layout.expect("values in lanes have a layout").size;
            let name = self.module.vars[var].name.text.to_string();
            push(&mut group, &name, "", FieldKind::Value(ty), (size, 8));
        }
        let mask = helpers.then(|| {
            let (name, comment) = match is_input {
                true => ("helpers", "bit l: lane l is there for the derivatives of others only"),
                false => ("discarded", "bit l: lane l was discarded, or is a helper"),
            };
            push(&mut group, name, comment, FieldKind::Value(Type::U32), (4, 4))
        });
        group.size = group.size.next_multiple_of(if self.has_doubles(&group) { 8 } else { 4 });
        if group.fields.is_empty() {
            return None;
        }
        let signature = &self.module.funcs[made.func];
        let types: Vec<Type> = match is_input {
            true => signature.params.iter().map(|param| param.ty).collect(),
            false => signature.results.iter().map(|result| result.ty).collect(),
        };
        let scalar = |ty: Type| self.module.types.scalar_of(ty).expect("lanes");
        let scalars = types.into_iter().map(scalar).collect();
        let side = Side { memory, size: group.size, scalars, mask };
        groups.push(group);
        Some(side)
    }

    fn has_doubles(&self, group: &ShaderGroup) -> bool {
        group.fields.iter().any(|field| match field.kind {
            FieldKind::Value(ty) => self.module.types.contains(ty, &mut |kind| match kind {
                TypeKind::Scalar(scalar) => scalar.bits() == 64,
                _ => false,
            }),
            _ => false,
        })
    }
}

/// A type of C with the lanes of each component of a value; truth values are words.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn lanes_of(module: &mut Module, ty: Type, n: u8) -> Type {
    let lanes = |module: &mut Module, scalar: Scalar| {
        let scalar = if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
        let scalar = module.types.scalar(scalar);
        module.types.array(scalar, n.into())
    };
    match module.types[ty].clone() {
        TypeKind::Scalar(scalar) => lanes(module, scalar),
        TypeKind::Vector(scalar, size) => {
            let lanes = lanes(module, scalar);
            module.types.array(lanes, size.into())
        }
        TypeKind::Matrix { scalar, columns, rows } => {
            let lanes = lanes(module, scalar);
            let column = module.types.array(lanes, rows.into());
            module.types.array(column, columns.into())
        }
        TypeKind::Array { element, len } => {
            let element = lanes_of(module, element, n);
            module.types.array(element, len)
        }
        TypeKind::Struct(s) => {
            let mut members = s.members.clone();
            for member in &mut members {
                member.ty = lanes_of(module, member.ty, n);
                member.decorations = planish_ir::decoration::Decorations::new();
            }
            let of = StructType { name: format!("{}_lanes", s.name).into(), members, is_block: false };
            module.types.intern(TypeKind::Struct(Arc::new(of)))
        }
        _ => ty,
    }
}

impl Batch {
    /// Adds the function that calls a shader, which is lowered, for each batch.
    pub(super) fn write(&self, module: &mut Module, shader: Func, lanes: u8) -> Func {
        let name = |text: &str| Name::new(text.to_owned(), NameSource::Internal);
        let param = Param {
            name: name("batches"),
            ty: Type::U32,
            precision: Precision::None,
            direction: Direction::In,
            span: Span::NONE,
        };
        let own_name = format!("{}_batches", module.funcs[shader].name.text);
        let func = module.add_func(name(&own_name), vec![param], vec![], Span::NONE);
        let mut b = Builder::new(module, func, Policy::PLAIN);
        let count = b.param(0);
        let (none, zero) = (b.u32(0), b.i32(0));
        let blocks = b.loop_(&[none, zero, zero], false);
        let at = b.add_input(blocks.condition, Type::U32, Precision::None);
        let [from, to] = [0; 2].map(|_| b.add_input(blocks.condition, Type::I32, Precision::None));
        b.switch_to(blocks.condition);
        let more = b.op(Op::LessThan, &[at, count]);
        b.loop_if(more);
        b.switch_to(blocks.body);
        let mut args = Vec::new();
        if let Some(side) = &self.inputs {
            side.load(&mut b, from, lanes, &mut args);
        }
        let results: Vec<Value> = b.call(shader.into(), &args).into_iter().collect();
        if let Some(side) = &self.outputs {
            side.store(&mut b, to, lanes, &results);
        }
        let one = b.u32(1);
        let next = b.op(Op::Add, &[at, one]);
        let steps = [&self.inputs, &self.outputs].map(|side| side.as_ref().map_or(0, |side| side.size));
        let [from, to] = [(from, steps[0]), (to, steps[1])].map(|(address, step)| {
            let step = b.i32(step as i32);
            b.op(Op::Add, &[address, step])
        });
        b.continue_(blocks.owner, &[next, from, to]);
        b.switch_to(blocks.merge);
        b.ret(&[]);
        b.finish();
        func
    }
}

impl Side {
    fn access(&self, offset: u32, width: Width) -> MemArg {
        MemArg { memory: self.memory, offset, width, signed: false, in_bounds: false }
    }

    /// Loads the parameters; the mask, if there is one, is the first.
    fn load(&self, b: &mut Builder<'_, '_>, at: Value, lanes: u8, args: &mut Vec<Value>) {
        if let Some(mask) = self.mask {
            let word = b.make(Request::new(Op::MemoryLoad, &[at]).imm(self.access(mask, Width::B32)).ty(Type::I32));
            let all = b.op_imm(Op::SimdSplat, LaneShape::I32x4, &[word]);
            for part in 0..u32::from(lanes / 4) {
                let bits = (0..4).fold(0, |all, lane| all | u128::from(1u32 << (4 * part + lane)) << (32 * lane));
                let bits = wide(b, bits);
                let zero = wide(b, 0);
                let set = b.op(Op::SimdAnd, &[all, bits]);
                args.push(b.op_imm(Op::SimdNotEqual, LaneShape::I32x4, &[set, zero]));
            }
        }
        let ty = b.module.types.intern(TypeKind::V128);
        let mut offset = 0;
        for &scalar in self.scalars.iter().skip(usize::from(self.mask.is_some())) {
            for _ in (0..u32::from(lanes) * bytes(scalar)).step_by(16) {
                let access = self.access(offset, Width::B128);
                let mut part = b.make(Request::new(Op::MemoryLoad, &[at]).imm(access).ty(ty));
                if scalar == Scalar::Bool {
                    let zero = wide(b, 0);
                    part = b.op_imm(Op::SimdNotEqual, LaneShape::I32x4, &[part, zero]);
                }
                args.push(part);
                offset += 16;
            }
        }
    }

    /// Stores the results; the mask, if there is one, is the last.
    fn store(&self, b: &mut Builder<'_, '_>, at: Value, lanes: u8, results: &[Value]) {
        let parts = |scalar: Scalar| (u32::from(lanes) * bytes(scalar) / 16) as usize;
        let mut rest = results;
        let mut offset = 0;
        let count = self.scalars.len() - usize::from(self.mask.is_some());
        for &scalar in &self.scalars[..count] {
            let (these, others) = rest.split_at(parts(scalar));
            rest = others;
            for &part in these {
                let value = if scalar == Scalar::Bool {
                    let one = wide(b, (0..4).fold(0, |all, lane| all | 1 << (32 * lane)));
                    b.op(Op::SimdAnd, &[part, one])
                } else {
                    part
                };
                b.make_all(Request::new(Op::MemoryStore, &[at, value]).imm(self.access(offset, Width::B128)));
                offset += 16;
            }
        }
        let Some(mask) = self.mask else { return };
        let mut all = b.i32(0);
        for (part, &helpers) in rest.iter().enumerate() {
            let bits = b.op_imm(Op::SimdBitmask, LaneShape::I32x4, &[helpers]);
            let amount = b.i32(4 * part as i32);
            let bits = b.op(Op::ShiftLeft, &[bits, amount]);
            all = b.op(Op::BitwiseOr, &[all, bits]);
        }
        b.make_all(Request::new(Op::MemoryStore, &[at, all]).imm(self.access(mask, Width::B32)));
    }
}

fn wide(b: &mut Builder<'_, '_>, bits: u128) -> Value {
    let ty = b.module.types.intern(TypeKind::V128);
    b.module.consts.intern(ConstData { ty, value: ConstValue::Wide(bits) }).into()
}
