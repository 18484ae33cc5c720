//! Pointers, loads and stores; where memory differs from the value in it, the conversion between them.

use std::rc::Rc;

use naga::{Expression, Handle, Statement};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Value};
use planish_ir::types::{Scalar, TypeKind};
use smallvec::{SmallVec, smallvec};

use crate::choices::Choice;
use crate::function::{Ex, FunctionLowering};
use crate::globals::Tree;
use crate::types::{MemId, MemKind, Res, fail, scalar};

/// Opaque things of which one is meant: the candidate number `index`, or the only one.
#[derive(Clone, Debug)]
pub(crate) struct Opaque {
    pub(crate) candidates: SmallVec<[Rc<Tree>; 1]>,
    /// A `u32`.
    pub(crate) index: Option<Ex>,
}

impl Opaque {
    pub(crate) fn new(tree: Rc<Tree>) -> Self {
        Opaque { candidates: smallvec![tree], index: None }
    }
}

/// A constant or computed index.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    Const(u32),
    Value(Ex),
}

/// A pointer.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A naga pointer.
    Memory { pointer: Ex, mem: MemId },
    /// Components of the vector that a naga pointer points to, in this order. `ty` is the type of the value, `words`
    /// whether memory holds words for booleans.
    Lanes { pointer: Ex, lanes: SmallVec<[u8; 4]>, ty: Type, words: bool },
    /// A column of a matrix that lies by rows.
    Column { rows: Ex, index: Index, part: MemId, ty: Type },
    /// An array of blocks that are bound one by one.
    Blocks { globals: Rc<[Handle<naga::GlobalVariable>]>, mem: MemId },
    /// A part of one of the blocks of such an array, by a computed index.
    Choice(Choice),
    /// Textures and samplers.
    Opaque(Opaque),
    /// A struct (or an array of them) of which some members are opaque.
    Mixed { memory: Option<Box<Place>>, opaque: Opaque },
}

impl FunctionLowering<'_, '_> {
    /// The value that a naga pointer points to.
    pub(crate) fn load_pointer(&mut self, pointer: Ex) -> Ex {
        self.add(Expression::Load { pointer })
    }

    /// Part of a pointer or value at a constant index.
    pub(crate) fn access_index(&mut self, base: Ex, index: u32) -> Ex {
        self.add(Expression::AccessIndex { base, index })
    }

    /// Part of a pointer or value.
    pub(crate) fn access(&mut self, base: Ex, index: Index) -> Ex {
        match index {
            Index::Const(index) => self.access_index(base, index),
            Index::Value(index) => self.add(Expression::Access { base, index }),
        }
    }

    /// An index operand; constants are clamped to `len`, as a `u32`.
    pub(crate) fn index(&mut self, value: Value, len: Option<u32>) -> Res<Index> {
        let bits = value.as_const().and_then(|c| self.cx.module.consts.as_bits(c));
        match bits {
            Some(bits) => {
                let last = len.map_or(u32::MAX, |n| n.saturating_sub(1));
                Ok(Index::Const((bits as u32).min(last)))
            }
            None => Ok(Index::Value(self.expr(value)?)),
        }
    }

    // Access chains.

    /// Pointer to a member.
    /// Recursion: over places within places, at most one level per level of the type.
    pub(crate) fn access_field(&mut self, place: &Place, ty: Type, index: u32) -> Res<Place> {
        match place {
            Place::Memory { pointer, mem } => {
                let (number, part) = match &self.cx.types.mem(*mem).kind {
                    MemKind::Struct { members } => members[index as usize],
                    _ => {
                        let part = self.cx.types.ir.part(ty, index).expect("a member");
                        (index, self.cx.types.private_mem(part, None, self.span)?)
                    }
                };
                Ok(Place::Memory { pointer: self.access_index(*pointer, number), mem: part })
            }
            Place::Choice(choice) => self.part_of_choice(choice, |s, place| s.access_field(place, ty, index)),
            Place::Opaque(opaque) => Ok(Place::Opaque(field_of(opaque, index))),
            Place::Mixed { memory, opaque } => {
                let s = self.cx.types.ir.as_struct(ty).expect("a struct").clone();
                let is_opaque = |t: Type| self.cx.types.ir.is_opaque(t);
                let wholly = |t: Type| planish_interface::is_all_opaque(&self.cx.types.ir, t);
                let member = s.members[index as usize].ty;
                if wholly(member) {
                    return Ok(Place::Opaque(field_of(opaque, index)));
                }
                // The struct in memory lacks the members that are wholly opaque.
                let before = s.members[..index as usize].iter().filter(|m| !wholly(m.ty)).count() as u32;
                let mixed = is_opaque(member);
                let Some(memory) = memory else { return fail(Code::E0699, self.span, "a struct without memory") };
                let stripped = self.place_type(memory)?;
                let inner = self.access_field(memory, stripped, before)?;
                if mixed {
                    return Ok(Place::Mixed { memory: Some(Box::new(inner)), opaque: field_of(opaque, index) });
                }
                Ok(inner)
            }
            _ => fail(Code::E0699, self.span, "no member of this"),
        }
    }

    /// The type of the value that a naga pointer points to.
    fn place_type(&self, place: &Place) -> Res<Type> {
        match place {
            Place::Memory { mem, .. } => Ok(self.cx.types.mem(*mem).ir),
            _ => fail(Code::E0699, self.span, "not plain memory"),
        }
    }

    /// Pointer to an element, column or component.
    pub(crate) fn access_part(&mut self, place: &Place, ty: Type, index: Index) -> Res<Place> {
        match place {
            Place::Memory { pointer, mem } => self.access_memory(*pointer, *mem, ty, index),
            Place::Lanes { pointer, lanes, ty, words } => {
                let Index::Const(i) = index else {
                    return self.access_lane(*pointer, lanes, *ty, *words, index);
                };
                let lane = lanes[(i as usize).min(lanes.len() - 1)];
                let (s, _) = self.shape(*ty);
                let one = self.cx.types.ir.scalar(s);
                Ok(Place::Lanes { pointer: *pointer, lanes: smallvec![lane], ty: one, words: *words })
            }
            Place::Column { rows, index: column, part, ty } => {
                let row = self.access(*rows, index);
                let component = self.access(row, *column);
                let (s, _) = self.shape(*ty);
                let one = self.cx.types.ir.scalar(s);
                let _ = part;
                Ok(Place::Memory { pointer: component, mem: self.cx.types.private_mem(one, None, self.span)? })
            }
            Place::Blocks { globals, mem } => {
                let TypeKind::Array { element, len } = self.kind(ty) else {
                    return fail(Code::E0699, self.span, "an array of blocks was expected");
                };
                let i = match index {
                    Index::Const(i) => i,
                    Index::Value(i) => return self.choose_block(place, ty, len, i),
                };
                let count = globals.len() / len.max(1) as usize;
                let first = i as usize * count;
                if let TypeKind::Array { .. } = self.kind(element) {
                    return Ok(Place::Blocks { globals: globals[first..first + count].into(), mem: *mem });
                }
                Ok(Place::Memory { pointer: self.global(globals[first]), mem: *mem })
            }
            Place::Choice(choice) => self.part_of_choice(choice, |s, place| s.access_part(place, ty, index)),
            Place::Opaque(opaque) => Ok(Place::Opaque(self.element_of(opaque, index)?)),
            Place::Mixed { memory, opaque } => {
                let opaque = self.element_of(opaque, index)?;
                let memory = match memory {
                    Some(memory) => {
                        let stripped = self.place_type(memory)?;
                        Some(Box::new(self.access_part(memory, stripped, index)?))
                    }
                    None => None,
                };
                Ok(Place::Mixed { memory, opaque })
            }
        }
    }

    /// A component of a swizzle at a computed index: the index goes through a table of the lanes.
    fn access_lane(&mut self, pointer: Ex, lanes: &[u8], ty: Type, words: bool, index: Index) -> Res<Place> {
        let Index::Value(index) = index else { return fail(Code::E0699, self.span, "not a computed index") };
        let last = self.u32(lanes.len() as u32 - 1);
        let index = self.as_u32(index);
        let mut index = self.math2(naga::MathFunction::Min, index, last);
        if lanes.iter().enumerate().any(|(i, &l)| i != l as usize) {
            let table = lanes.iter().map(|&l| self.u32(l.into())).collect();
            let ty = self.cx.types.ir.vector(Scalar::U32, lanes.len() as u8);
            let table = self.compose(ty, table)?;
            index = self.access(table, Index::Value(index));
        }
        let component = self.access(pointer, Index::Value(index));
        let (s, _) = self.shape(ty);
        let one = self.cx.types.ir.scalar(s);
        if words {
            let word = self.cx.types.host_mem(one, planish_ir::layout::Rule::Std430, false, None, self.span)?;
            return Ok(Place::Memory { pointer: component, mem: word });
        }
        Ok(Place::Memory { pointer: component, mem: self.cx.types.private_mem(one, None, self.span)? })
    }

    /// Recursion: over places within places, at most one level per level of the type.
    fn access_memory(&mut self, pointer: Ex, mem: MemId, ty: Type, index: Index) -> Res<Place> {
        let kind = self.cx.types.mem(mem).kind.clone();
        match kind {
            MemKind::Array { element } => self.element_place(pointer, element, index),
            MemKind::Matrix { row_major: false, part, .. } => self.element_place(pointer, part, index),
            MemKind::Matrix { row_major: true, part, .. } => {
                let column = self.cx.types.ir.part(ty, 0).expect("a column");
                Ok(Place::Column { rows: pointer, index, part, ty: column })
            }
            MemKind::Bool | MemKind::Widened => {
                let (s, n) = self.shape(ty);
                let lanes: SmallVec<[u8; 4]> = (0..n).collect();
                let whole = Place::Lanes { pointer, lanes, ty, words: s == Scalar::Bool };
                self.access_part(&whole, ty, index)
            }
            _ => {
                let part = self.cx.types.ir.part(ty, 0).expect("a part");
                let mem = self.cx.types.private_mem(part, None, self.span)?;
                Ok(Place::Memory { pointer: self.access(pointer, index), mem })
            }
        }
    }

    fn element_place(&mut self, pointer: Ex, element: MemId, index: Index) -> Res<Place> {
        let pointer = self.access(pointer, index);
        let mem = self.cx.types.mem(element);
        if let MemKind::Boxed { part } = mem.kind {
            return Ok(Place::Memory { pointer: self.access_index(pointer, 0), mem: part });
        }
        if let MemKind::Widened = mem.kind {
            let ty = mem.ir;
            let (s, n) = self.shape(ty);
            return Ok(Place::Lanes { pointer, lanes: (0..n).collect(), ty, words: s == Scalar::Bool });
        }
        Ok(Place::Memory { pointer, mem: element })
    }

    /// Pointer to components in some order.
    pub(crate) fn access_lanes(&mut self, place: &Place, result: Type, lanes: &[u8]) -> Res<Place> {
        match place {
            Place::Memory { pointer, mem } => {
                let words = matches!(self.cx.types.mem(*mem).kind, MemKind::Bool)
                    || matches!(self.cx.types.mem(*mem).kind, MemKind::Widened) && self.shape(result).0 == Scalar::Bool;
                Ok(Place::Lanes { pointer: *pointer, lanes: lanes.into(), ty: result, words })
            }
            Place::Lanes { pointer, lanes: outer, words, .. } => {
                let lanes = lanes.iter().map(|&l| outer[l as usize]).collect();
                Ok(Place::Lanes { pointer: *pointer, lanes, ty: result, words: *words })
            }
            Place::Choice(choice) => self.part_of_choice(choice, |s, place| s.access_lanes(place, result, lanes)),
            Place::Column { .. } => {
                fail(Code::E0606, self.span, "a swizzle of a column of a row-major matrix cannot be written here")
            }
            _ => fail(Code::E0699, self.span, "no components of this"),
        }
    }

    fn element_of(&mut self, opaque: &Opaque, index: Index) -> Res<Opaque> {
        let mut parts: Vec<&[Rc<Tree>]> = vec![];
        for candidate in &opaque.candidates {
            match &**candidate {
                Tree::Array(elements) => parts.push(elements),
                _ => return fail(Code::E0699, self.span, "an array was expected"),
            }
        }
        match index {
            Index::Const(i) => Ok(Opaque {
                candidates: parts.iter().map(|p| p[(i as usize).min(p.len() - 1)].clone()).collect(),
                index: opaque.index,
            }),
            Index::Value(i) => {
                let len = parts.first().map_or(1, |p| p.len()) as u32;
                let candidates = parts.iter().flat_map(|p| p.iter().cloned()).collect();
                let i = self.as_u32(i);
                let last = self.u32(len - 1);
                let mut index = self.math2(naga::MathFunction::Min, i, last);
                if let Some(outer) = opaque.index {
                    let len = self.u32(len);
                    let base = self.binary(naga::BinaryOperator::Multiply, outer, len);
                    index = self.binary(naga::BinaryOperator::Add, base, index);
                }
                Ok(Opaque { candidates, index: Some(index) })
            }
        }
    }

    // Loads.

    /// The value that a pointer points to. Recursion: over the type and over places within places, both at most as deep
    /// as types are nested.
    pub(crate) fn load(&mut self, place: &Place) -> Res<Ex> {
        match place {
            Place::Memory { pointer, mem } => self.load_mem(*pointer, *mem),
            Place::Lanes { pointer, lanes, ty, words } => {
                let value = if let [lane] = lanes[..] {
                    let component = self.access_index(*pointer, lane.into());
                    self.load_pointer(component)
                } else {
                    let whole = self.load_pointer(*pointer);
                    self.swizzle(whole, lanes)
                };
                Ok(if *words { self.words_to_bools(value, *ty) } else { value })
            }
            Place::Column { rows, index, ty, .. } => {
                let (_, n) = self.shape(*ty);
                let mut parts = vec![];
                for row in 0..n {
                    let row = self.access_index(*rows, row.into());
                    let component = self.access(row, *index);
                    parts.push(self.load_pointer(component));
                }
                self.compose(*ty, parts)
            }
            Place::Choice(choice) => self.load_choice(choice),
            _ => fail(Code::E0605, self.span, "images and samplers cannot be copied"),
        }
    }

    fn words_to_bools(&mut self, value: Ex, ty: Type) -> Ex {
        let (_, n) = self.shape(ty);
        let zero = self.u32(0);
        let zero = self.splat(zero, n);
        self.binary(naga::BinaryOperator::NotEqual, value, zero)
    }

    fn bools_to_words(&mut self, value: Ex, ty: Type) -> Ex {
        let (_, n) = self.shape(ty);
        let (zero, one) = (self.u32(0), self.u32(1));
        let (zero, one) = (self.splat(zero, n), self.splat(one, n));
        self.select(value, one, zero)
    }

    fn load_mem(&mut self, pointer: Ex, mem: MemId) -> Res<Ex> {
        let (ty, kind) = (self.cx.types.mem(mem).ir, self.cx.types.mem(mem).kind.clone());
        match kind {
            MemKind::Plain | MemKind::Atomic => Ok(self.load_pointer(pointer)),
            MemKind::Bool => {
                let words = self.load_pointer(pointer);
                Ok(self.words_to_bools(words, ty))
            }
            MemKind::Widened => {
                let (s, n) = self.shape(ty);
                let lanes = (0..n).collect();
                self.load(&Place::Lanes { pointer, lanes, ty, words: s == Scalar::Bool })
            }
            MemKind::Boxed { part } => {
                let pointer = self.access_index(pointer, 0);
                self.load_mem(pointer, part)
            }
            MemKind::Matrix { row_major, part, count } => {
                let mut parts = vec![];
                for i in 0..count {
                    let pointer = self.access_index(pointer, i);
                    parts.push(self.load_mem(pointer, part)?);
                }
                let TypeKind::Matrix { scalar, columns, rows } = self.kind(ty) else {
                    return fail(Code::E0699, self.span, "a matrix was expected");
                };
                if !row_major {
                    return self.compose(ty, parts);
                }
                let by_rows = self.cx.types.ir.matrix(scalar, rows, columns);
                let by_rows = self.compose(by_rows, parts)?;
                Ok(self.math1(naga::MathFunction::Transpose, by_rows))
            }
            MemKind::Array { element } => {
                let TypeKind::Array { len, .. } = self.kind(ty) else {
                    return fail(Code::E0604, self.span, "an array sized by its buffer cannot be copied");
                };
                let mut parts = Vec::with_capacity(len as usize);
                for i in 0..len {
                    let pointer = self.access_index(pointer, i);
                    parts.push(self.load_mem(pointer, element)?);
                }
                self.compose(ty, parts)
            }
            MemKind::Struct { members } => {
                let mut parts = Vec::with_capacity(members.len());
                for (number, part) in members {
                    let pointer = self.access_index(pointer, number);
                    parts.push(self.load_mem(pointer, part)?);
                }
                self.compose(ty, parts)
            }
        }
    }

    // Stores.

    /// Stores a value through a pointer. Recursion: over the type and over places within places, both at most as deep
    /// as types are nested.
    pub(crate) fn store(&mut self, place: &Place, value: Ex) -> Res<()> {
        match place {
            Place::Memory { pointer, mem } => self.store_mem(*pointer, *mem, value),
            Place::Lanes { pointer, lanes, ty, words } => {
                let value = if *words { self.bools_to_words(value, *ty) } else { value };
                for (i, &lane) in lanes.iter().enumerate() {
                    let component = if lanes.len() == 1 { value } else { self.access_index(value, i as u32) };
                    let pointer = self.access_index(*pointer, lane.into());
                    self.push(Statement::Store { pointer, value: component });
                }
                Ok(())
            }
            Place::Column { rows, index, ty, .. } => {
                let (_, n) = self.shape(*ty);
                for i in 0..n {
                    let row = self.access_index(*rows, i.into());
                    let pointer = self.access(row, *index);
                    let value = self.access_index(value, i.into());
                    self.push(Statement::Store { pointer, value });
                }
                Ok(())
            }
            Place::Choice(choice) => self.switch_of_choice(choice, |s, place| s.store(place, value)),
            _ => fail(Code::E0605, self.span, "images and samplers cannot be assigned"),
        }
    }

    fn store_mem(&mut self, pointer: Ex, mem: MemId, value: Ex) -> Res<()> {
        let (ty, kind) = (self.cx.types.mem(mem).ir, self.cx.types.mem(mem).kind.clone());
        match kind {
            MemKind::Plain | MemKind::Atomic => self.push(Statement::Store { pointer, value }),
            MemKind::Bool => {
                let value = self.bools_to_words(value, ty);
                self.push(Statement::Store { pointer, value });
            }
            MemKind::Widened => {
                let (s, n) = self.shape(ty);
                let lanes = (0..n).collect();
                self.store(&Place::Lanes { pointer, lanes, ty, words: s == Scalar::Bool }, value)?;
            }
            MemKind::Boxed { part } => {
                let pointer = self.access_index(pointer, 0);
                self.store_mem(pointer, part, value)?;
            }
            MemKind::Matrix { row_major, part, count } => {
                let value = if row_major { self.math1(naga::MathFunction::Transpose, value) } else { value };
                for i in 0..count {
                    let (pointer, value) = (self.access_index(pointer, i), self.access_index(value, i));
                    self.store_mem(pointer, part, value)?;
                }
            }
            MemKind::Array { element } => {
                for i in 0..self.cx.types.ir.part_count(ty).unwrap_or(0) {
                    let (pointer, value) = (self.access_index(pointer, i), self.access_index(value, i));
                    self.store_mem(pointer, element, value)?;
                }
            }
            MemKind::Struct { members } => {
                for (i, (number, part)) in members.into_iter().enumerate() {
                    let value = self.access_index(value, i as u32);
                    let pointer = self.access_index(pointer, number);
                    self.store_mem(pointer, part, value)?;
                }
            }
        }
        Ok(())
    }

    /// The address of a new local variable that holds `value`.
    pub(crate) fn spill(&mut self, ty: Type, value: Ex) -> Res<Ex> {
        let ty = self.cx.types.value(ty, self.span)?;
        let pointer = self.local(None, ty, None);
        self.push(Statement::Store { pointer, value });
        Ok(pointer)
    }

    /// naga's type of a component.
    pub(crate) fn scalar_type(&mut self, s: Scalar) -> Handle<naga::Type> {
        self.cx.types.vector(scalar(s), 1)
    }
}

fn field_of(opaque: &Opaque, index: u32) -> Opaque {
    let field = |tree: &Rc<Tree>| match &**tree {
        Tree::Struct(parts) => parts[index as usize].clone().expect("an opaque member"),
        _ => unreachable!("a struct of opaque members"),
    };
    Opaque { candidates: opaque.candidates.iter().map(field).collect(), index: opaque.index }
}
