//! Which memory becomes values, and into which parts it is split.
//!
//! A variable is promoted if it is only loaded, stored and incremented, whole or by parts with constant places (components
//! of vectors may be dynamic). Structs and arrays split into their parts, each of which is a *slot* with a value of its
//! own, so that parts that nothing reads cost nothing.

use planish_ir::builder::Builder;
use planish_ir::decoration::{NameSource, Precision};
use planish_ir::entity::{Type, Value, Var};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::TypeKind;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::state::{Key, State};

/// Part of a split variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape(u32);

/// The kinds of shapes.
#[derive(Clone, Debug)]
enum ShapeData {
    /// One slot.
    Leaf(u32),
    /// The parts of a struct or array, which follow each other.
    Parts(Box<[Shape]>),
}

/// The variable, type and precision of a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// The type of its value.
    pub(super) ty: Type,
    /// Its precision.
    pub(super) precision: Precision,
    /// The variable that it is part of.
    pub(super) var: Option<Var>,
}

/// A step from a leaf to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Component(Imm),
    Lanes(Imm),
    DynamicComponent(Value),
    Column(Value),
    /// A member of an element that is chosen when the program runs.
    Field(Imm),
    /// An element that is chosen when the program runs, or a part of one.
    Element(Value),
}

/// A place in promoted memory.
#[derive(Clone, Debug)]
pub(super) struct Place {
    shape: Shape,
    steps: SmallVec<[Step; 2]>,
}

impl Place {
    /// The whole of a shape.
    pub(super) fn new(shape: Shape) -> Self {
        Place { shape, steps: SmallVec::new() }
    }
}

/// All promoted memory of a function that is being written.
#[derive(Default)]
pub(super) struct Slots {
    shapes: Vec<ShapeData>,
    types: Vec<Type>,
    leaves: Vec<Leaf>,
    of: FxHashMap<Var, Shape>,
    /// Slots that the program writes somewhere.
    written: Vec<bool>,
}

impl Slots {
    /// The place that is a variable, if it is promoted.
    pub(super) fn place_of(&self, var: Var) -> Option<Place> {
        self.of.get(&var).map(|&shape| Place::new(shape))
    }

    /// The variable, type and precision of a slot.
    pub(super) fn leaf(&self, slot: u32) -> Leaf {
        self.leaves[slot as usize]
    }

    /// The shape of a variable, made if it was not there.
    pub(super) fn promote(&mut self, b: &mut Builder<'_, '_>, var: Var) -> Shape {
        if let Some(&shape) = self.of.get(&var) {
            return shape;
        }
        let (ty, precision) = (b.module.vars[var].ty, b.module.vars[var].precision);
        let first = self.leaves.len();
        let shape = self.split(b, ty, precision);
        if matches!(b.module.vars[var].name.source, NameSource::Temporary | NameSource::Interface) {
            self.leaves[first..].iter_mut().for_each(|leaf| leaf.var = Some(var));
        }
        self.of.insert(var, shape);
        shape
    }

    /// Types nest no deeper than constants of them may, which bounds the recursion.
    pub(super) fn split(&mut self, b: &mut Builder<'_, '_>, ty: Type, precision: Precision) -> Shape {
        let data = match b.module.types[ty].clone() {
            TypeKind::Array { element, len } => {
                ShapeData::Parts((0..len).map(|_| self.split(b, element, precision)).collect())
            }
            TypeKind::Struct(members) => {
                ShapeData::Parts(members.members.iter().map(|m| self.split(b, m.ty, m.precision)).collect())
            }
            _ => {
                self.leaves.push(Leaf { ty, precision, var: None });
                ShapeData::Leaf(self.leaves.len() as u32 - 1)
            }
        };
        self.shapes.push(data);
        self.types.push(ty);
        Shape(self.shapes.len() as u32 - 1)
    }

    /// The place that an access op leads to from another, if its part is known now.
    pub(super) fn access(&self, b: &Builder<'_, '_>, place: &Place, op: Op, imm: Imm, index: Option<Value>) -> Place {
        let mut place = place.clone();
        let steps = &mut place.steps;
        match op {
            Op::AccessStructField if !steps.is_empty() => steps.push(Step::Field(imm)),
            Op::AccessArrayElement if !steps.is_empty() || index.is_some_and(|i| constant_index(b, i).is_none()) => {
                steps.push(Step::Element(index.expect("has an index")));
            }
            Op::AccessStructField | Op::AccessArrayElement => {
                let ShapeData::Parts(parts) = &self.shapes[place.shape.0 as usize] else {
                    panic!("a part of what has none")
                };
                let index = match index {
                    None => imm.as_index() as usize,
                    Some(value) => {
                        let bits = value.as_const().and_then(|c| b.module.consts.as_bits(c));
                        // As unsigned, clamped: the rule of `docs/numerics.md`.
                        bits.expect("only constant elements are promoted").min(parts.len() as u64 - 1) as usize
                    }
                };
                place.shape = parts[index];
            }
            Op::AccessVectorComponent => steps.push(Step::Component(imm)),
            Op::AccessVectorComponentMulti => steps.push(Step::Lanes(imm)),
            Op::AccessVectorComponentDynamic => steps.push(Step::DynamicComponent(index.expect("has an index"))),
            Op::AccessMatrixColumn => steps.push(Step::Column(index.expect("has an index"))),
            other => panic!("{} is no access", other.name()),
        }
        place
    }

    /// The value at a place.
    pub(super) fn read(&self, b: &mut Builder<'_, '_>, state: &State, place: &Place) -> Value {
        let mut value = self.read_shape(b, state, place.shape);
        for step in &place.steps {
            value = extract(b, value, *step);
        }
        value
    }

    /// Recursion: over the shape, which nests as its type does, at most `MAX_TYPE_NESTING` levels.
    fn read_shape(&self, b: &mut Builder<'_, '_>, state: &State, shape: Shape) -> Value {
        match &self.shapes[shape.0 as usize] {
            ShapeData::Leaf(slot) => state.get(Key::Slot(*slot)).expect("a slot has a value where it is in scope"),
            ShapeData::Parts(parts) => {
                let values: Vec<Value> = parts.iter().map(|&part| self.read_shape(b, state, part)).collect();
                let ty = self.types[shape.0 as usize];
                let op = if b.module.types.as_struct(ty).is_some() { Op::ConstructStruct } else { Op::ConstructArray };
                b.op_typed(op, &values, ty)
            }
        }
    }

    /// Whether the program writes a slot somewhere.
    pub(super) fn is_written(&self, slot: u32) -> bool {
        self.written.get(slot as usize).copied().unwrap_or(false)
    }

    fn note_written(&mut self, shape: Shape) {
        let mut stack = vec![shape];
        while let Some(shape) = stack.pop() {
            match &self.shapes[shape.0 as usize] {
                ShapeData::Leaf(slot) => {
                    let slot = *slot as usize;
                    if slot >= self.written.len() {
                        self.written.resize(slot + 1, false);
                    }
                    self.written[slot] = true;
                }
                ShapeData::Parts(parts) => stack.extend(parts.iter().copied()),
            }
        }
    }

    /// A variable is out of scope.
    pub(super) fn forget(&self, state: &mut State, var: Var) {
        let mut stack: SmallVec<[Shape; 4]> = self.of.get(&var).copied().into_iter().collect();
        while let Some(shape) = stack.pop() {
            match &self.shapes[shape.0 as usize] {
                ShapeData::Leaf(slot) => state.set(Key::Slot(*slot), None),
                ShapeData::Parts(parts) => stack.extend(parts.iter().copied()),
            }
        }
    }

    /// Puts a value at a place.
    pub(super) fn write(&mut self, b: &mut Builder<'_, '_>, state: &mut State, place: &Place, value: Value) {
        self.note_written(place.shape);
        if place.steps.is_empty() {
            self.write_shape(b, state, place.shape, value);
            return;
        }
        let mut wholes: SmallVec<[Value; 3]> = SmallVec::new();
        wholes.push(self.read_shape(b, state, place.shape));
        for step in &place.steps[..place.steps.len() - 1] {
            let part = extract(b, wholes[wholes.len() - 1], *step);
            wholes.push(part);
        }
        let mut value = value;
        for (whole, step) in wholes.into_iter().zip(&place.steps).rev() {
            value = insert(b, whole, *step, value);
        }
        self.write_shape(b, state, place.shape, value);
    }

    /// Recursion: over the shape, as in `read_shape`.
    pub(super) fn write_shape(&self, b: &mut Builder<'_, '_>, state: &mut State, shape: Shape, value: Value) {
        match &self.shapes[shape.0 as usize] {
            ShapeData::Leaf(slot) => {
                if let Some(var) = self.leaf(*slot).var {
                    b.stands_for(value, var);
                }
                state.set(Key::Slot(*slot), Some(value));
            }
            ShapeData::Parts(parts) => {
                let is_struct = b.module.types.as_struct(self.types[shape.0 as usize]).is_some();
                for (i, &part) in parts.iter().enumerate() {
                    let part_value = if is_struct {
                        b.op_imm(Op::ExtractStructField, Imm::index(i as u32), &[value])
                    } else {
                        let index = b.i32(i as i32);
                        b.op(Op::ExtractArrayElement, &[value, index])
                    };
                    self.write_shape(b, state, part, part_value);
                }
            }
        }
    }

    /// The shape of a promoted variable.
    pub(super) fn shape_of(&self, var: Var) -> Shape {
        self.of[&var]
    }

    /// The slots of which a place is part, or that are part of it.
    pub(super) fn slots_of(&self, place: &Place) -> Vec<u32> {
        let mut slots = Vec::new();
        let mut stack = vec![place.shape];
        while let Some(shape) = stack.pop() {
            match &self.shapes[shape.0 as usize] {
                ShapeData::Leaf(slot) => slots.push(*slot),
                ShapeData::Parts(parts) => stack.extend(parts.iter().copied()),
            }
        }
        slots
    }

    /// The pointers to the slots of a shape in real memory, with the slots.
    pub(super) fn pointers(&self, b: &mut Builder<'_, '_>, shape: Shape, pointer: Value) -> Vec<(u32, Value)> {
        let mut out = Vec::new();
        let mut stack = vec![(shape, pointer)];
        while let Some((shape, pointer)) = stack.pop() {
            match self.shapes[shape.0 as usize] {
                ShapeData::Leaf(slot) => out.push((slot, pointer)),
                ShapeData::Parts(ref parts) => {
                    let is_struct = b.module.types.as_struct(self.types[shape.0 as usize]).is_some();
                    for (i, &part) in parts.iter().enumerate().rev() {
                        let part_pointer = if is_struct {
                            b.op_imm(Op::AccessStructField, Imm::index(i as u32), &[pointer])
                        } else {
                            let index = b.i32(i as i32);
                            b.op(Op::AccessArrayElement, &[pointer, index])
                        };
                        stack.push((part, part_pointer));
                    }
                }
            }
        }
        out
    }
}

fn extract(b: &mut Builder<'_, '_>, value: Value, step: Step) -> Value {
    match step {
        Step::Component(imm) => b.op_imm(Op::ExtractVectorComponent, imm, &[value]),
        Step::Lanes(imm) => b.op_imm(Op::ExtractVectorComponentMulti, imm, &[value]),
        Step::DynamicComponent(index) => b.op(Op::ExtractVectorComponentDynamic, &[value, index]),
        Step::Column(index) => b.op(Op::ExtractMatrixColumn, &[value, index]),
        Step::Field(imm) => b.op_imm(Op::ExtractStructField, imm, &[value]),
        Step::Element(index) => b.op(Op::ExtractArrayElement, &[value, index]),
    }
}

fn insert(b: &mut Builder<'_, '_>, whole: Value, step: Step, part: Value) -> Value {
    match step {
        Step::Component(imm) => b.op_imm(Op::InsertVectorComponent, imm, &[whole, part]),
        Step::DynamicComponent(index) => b.op(Op::InsertVectorComponentDynamic, &[whole, part, index]),
        Step::Column(index) => b.op(Op::InsertMatrixColumn, &[whole, part, index]),
        Step::Lanes(imm) => insert_lanes(b, whole, imm, part),
        Step::Field(imm) => b.op_imm(Op::InsertStructField, imm, &[whole, part]),
        Step::Element(index) => b.op(Op::InsertArrayElement, &[whole, part, index]),
    }
}

/// `whole` with the components that a swizzle names replaced: a constructor of runs of components of either.
fn insert_lanes(b: &mut Builder<'_, '_>, whole: Value, imm: Imm, part: Value) -> Value {
    let ty = b.type_of(whole);
    let size = b.module.types.vector_size(ty).expect("only vectors have swizzles");
    let lanes: SmallVec<[u8; 4]> = imm.as_lanes().iter().collect();
    let mut runs: SmallVec<[(Value, SmallVec<[u8; 4]>); 4]> = SmallVec::new();
    for lane in 0..size {
        let (from, at) = match lanes.iter().position(|&l| l == lane) {
            Some(at) => (part, at as u8),
            None => (whole, lane),
        };
        match runs.last_mut() {
            Some((value, run)) if *value == from => run.push(at),
            _ => runs.push((from, SmallVec::from_slice(&[at]))),
        }
    }
    let in_order = |run: &[u8]| run.iter().enumerate().all(|(i, &lane)| usize::from(lane) == i);
    let parts: SmallVec<[Value; 4]> = runs
        .into_iter()
        .map(|(value, run)| {
            let size = b.module.types.vector_size(b.type_of(value)).unwrap_or(1);
            if run.len() == usize::from(size) && in_order(&run) { value } else { b.swizzle(value, &run) }
        })
        .collect();
    match parts[..] {
        [all] => all,
        _ => b.op_typed(Op::ConstructVectorFromMultiple, &parts, ty),
    }
}

/// The constant element that an index means, if it is constant.
pub(super) fn constant_index(b: &Builder<'_, '_>, index: Value) -> Option<u64> {
    b.module.consts.as_bits(index.as_const()?)
}
