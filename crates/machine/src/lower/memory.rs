//! Variables: those of a function are words of its frame, those of the module are reached by loads and stores.
//!
//! Pointers are no values here. Every pointer is a variable, a component of it, and perhaps a number of components that is
//! only known when the program runs. A parameter that is a pointer (`out`, `inout`) is a variable of the callee: what it
//! points to goes in with the arguments, and comes back behind the results.

use planish_ir::arena::Id;
use planish_ir::entity::{Node, Type, Var};
use planish_ir::function::Body;
use planish_ir::meaning;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::AddressSpace;

use super::types::Shape;
use super::{Fallible, Lower, push_kinds};
use crate::code::{Arg, ArgKind, NONE, ValueData, What};
use crate::isa::{Kind, Machine};

/// Root of a pointer.
#[derive(Clone, Copy, Debug)]
enum Root {
    Var(Var),
    /// Pointee of a parameter.
    Param {
        slot: u32,
        ty: Type,
    },
}

/// Target of a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    root: Root,
    /// Component of the variable.
    component: u32,
    /// So many components further on.
    index: Option<Arg>,
    /// The components meant, if it is a swizzle.
    lanes: Option<planish_ir::ops::Lanes>,
}

impl<I: Machine> Lower<'_, I> {
    pub(super) fn pointer_to(&mut self, var: Var) -> Fallible<Arg> {
        self.new_pointer(Pointer { root: Root::Var(var), component: 0, index: None, lanes: None })
    }

    fn new_pointer(&mut self, pointer: Pointer) -> Fallible<Arg> {
        self.room.pointers.push(pointer);
        Ok(Arg::many(self.room.pointers.len() as u32 - 1))
    }

    fn pointer(&self, arg: Arg) -> Pointer {
        match arg.kind() {
            ArgKind::Many(at) => self.room.pointers[at as usize],
            kind => unreachable!("a pointer is one, not {kind:?}"),
        }
    }

    /// A variable of the function begins: new, and with its first value.
    pub(super) fn declare(&mut self, var: Var) -> Fallible<()> {
        let data = &self.module.vars[var];
        self.need_value(data.ty)?;
        let mut kinds = vec![];
        push_kinds(self.module, data.ty, &mut kinds);
        let slot = self.slot_of(var, &kinds);
        let mut first = vec![];
        match data.initializer {
            Some(c) => {
                let arg = self.constant(c)?;
                self.push_parts(arg, data.ty, &mut first);
            }
            None => first.extend(kinds.iter().map(|&kind| self.bits(kind, 0))),
        }
        let mut word = 0;
        for (kind, value) in kinds.into_iter().zip(first) {
            self.store_slot(slot, word, value, kind);
            word += kind.words(I::WORD_BITS);
        }
        Ok(())
    }

    /// A parameter that is a pointer: the variable that it points to here, which begins with the values from `first` on.
    pub(super) fn declare_param(&mut self, ty: Type, first: u32) -> Fallible<Arg> {
        let mut kinds = vec![];
        push_kinds(self.module, ty, &mut kinds);
        let slot = self.new_slot(&kinds);
        let mut word = 0;
        for (value, kind) in (first..).zip(kinds) {
            self.store_slot(slot, word, Arg::value(value), kind);
            word += kind.words(I::WORD_BITS);
        }
        self.new_pointer(Pointer { root: Root::Param { slot, ty }, component: 0, index: None, lanes: None })
    }

    /// The slot of what a pointer points into, and its type; `None` if that is no variable of the function.
    fn slot_behind(&self, pointer: Pointer) -> Option<(u32, Type)> {
        match pointer.root {
            Root::Param { slot, ty } => Some((slot, ty)),
            Root::Var(var) => {
                let data = &self.module.vars[var];
                (data.space == AddressSpace::Function).then(|| (self.room.var_slots[var.index()], data.ty))
            }
        }
    }

    fn new_slot(&mut self, kinds: &[Kind]) -> u32 {
        let words = kinds.iter().map(|kind| kind.words(I::WORD_BITS)).sum();
        let slot = self.room.code.values.len() as u32;
        self.room.code.values.push(ValueData { node: 0, kind: Kind::None, words });
        self.room.code.slots.push(slot);
        slot
    }

    fn slot_of(&mut self, var: Var, kinds: &[Kind]) -> u32 {
        if self.room.var_slots.len() <= var.index() {
            self.room.var_slots.resize(var.index() + 1, NONE);
        }
        let slot = self.room.var_slots[var.index()];
        if slot != NONE {
            return slot;
        }
        let slot = self.new_slot(kinds);
        self.room.var_slots[var.index()] = slot;
        self.room.vars_used.push(var.as_u32());
        slot
    }

    fn store_slot(&mut self, slot: u32, word: u32, value: Arg, kind: Kind) {
        let args = [Arg::value(slot), value];
        self.push_node(What::SlotStore, Op::Store, Imm(word.into()), (kind, Kind::None), &args, &[]);
    }

    /// A pointer to a part.
    pub(super) fn access(&mut self, body: &Body, node: Node) -> Fallible<Arg> {
        let data = body.node(node);
        let args = body.args(node);
        let pointer = self.arg(args[0])?;
        let mut pointer = self.pointer(pointer);
        let composite = self.pointee(self.module.type_of(body, args[0]));
        match data.op {
            Op::AccessVectorComponent | Op::AccessStructField => {
                let part = self.place(composite, data.imm.as_index())?;
                pointer.component += part.0;
            }
            Op::AccessVectorComponentMulti => pointer.lanes = Some(data.imm.as_lanes()),
            _ => {
                let count = self.module.types.part_count(composite);
                let Some(count) = count else {
                    return self.unsupported("a register machine has no arrays whose size only the host knows");
                };
                let size = self.place(composite, 0)?.1;
                let kind = self.kind_of(body, args[1]);
                let index = self.arg(args[1])?;
                self.add_index(&mut pointer, index, kind, count, size)?;
            }
        }
        self.new_pointer(pointer)
    }

    pub(super) fn pointee(&self, ty: Type) -> Type {
        self.module.types.pointee(ty).map_or(ty, |(pointee, _)| pointee)
    }

    /// Index of the first component of a part of a composite, and number of components of the part.
    pub(super) fn place(&self, composite: Type, index: u32) -> Fallible<(u32, u32)> {
        match meaning::place(&self.module.types, composite, index) {
            Some((start, size)) => Ok((start as u32, size as u32)),
            None => self.unsupported("a part without a size"),
        }
    }

    /// `index`, clamped to `count` parts of `size` components each.
    fn add_index(&mut self, pointer: &mut Pointer, index: Arg, kind: Kind, count: u32, size: u32) -> Fallible<()> {
        if let ArgKind::Const(c) = index.kind() {
            let at = meaning::clamp_index(self.room.code.consts[c as usize].bits, count);
            pointer.component += at * size;
            return Ok(());
        }
        let index = self.clamped(index, kind, count)?;
        let size = self.bits(Kind::U32, size.into());
        let mut offset = self.operation(Op::Multiply, Imm::NONE, Kind::U32, Kind::U32, &[index, size])?;
        if let Some(before) = pointer.index {
            offset = self.operation(Op::Add, Imm::NONE, Kind::U32, Kind::U32, &[before, offset])?;
        }
        pointer.index = Some(offset);
        Ok(())
    }

    /// An index as an unsigned number below `count`.
    pub(super) fn clamped(&mut self, index: Arg, kind: Kind, count: u32) -> Fallible<Arg> {
        let unsigned = if kind.bits(I::WORD_BITS) == 64 { Kind::U64 } else { Kind::U32 };
        let last = self.bits(unsigned, count.saturating_sub(1).into());
        let index = if self.isa.supports(Op::Min, unsigned, unsigned) {
            self.operation(Op::Min, Imm::NONE, unsigned, unsigned, &[index, last])?
        } else {
            let within = self.operation(Op::LessThan, Imm::NONE, unsigned, Kind::Bool, &[index, last])?;
            self.operation(Op::Select, Imm::NONE, unsigned, unsigned, &[within, index, last])?
        };
        self.convert(index, unsigned, Kind::U32)
    }

    /// The components that a pointer to a type means: their number within the variable, and kind.
    fn components(&mut self, pointer: Pointer, ty: Type) -> Fallible<Vec<(u32, Kind)>> {
        self.need_value(ty)?;
        let mut kinds = vec![];
        push_kinds(self.module, ty, &mut kinds);
        let lane = |i: u32| pointer.lanes.map_or(i, |lanes| lanes.get(i as usize).into());
        Ok((0u32..).map(|i| pointer.component + lane(i)).zip(kinds).collect())
    }

    /// The word of a slot of a type at which a component stands.
    fn word_of(&self, ty: Type, component: u32) -> u32 {
        let mut kinds = vec![];
        push_kinds(self.module, ty, &mut kinds);
        kinds[..component as usize].iter().map(|kind| kind.words(I::WORD_BITS)).sum()
    }

    pub(super) fn load(&mut self, pointer: Arg, ty: Type) -> Fallible<Arg> {
        let pointer = self.pointer(pointer);
        if let (Shape::One(kind), None) = (self.room.shapes.of(ty), &pointer.lanes) {
            return self.load_component(pointer, pointer.component, kind);
        }
        let mut parts = vec![];
        for (component, kind) in self.components(pointer, ty)? {
            parts.push(self.load_component(pointer, component, kind)?);
        }
        Ok(self.whole(&parts, ty))
    }

    /// Values as one argument of a type.
    pub(super) fn whole(&mut self, parts: &[Arg], ty: Type) -> Arg {
        match (self.room.shapes.of(ty), parts) {
            (Shape::One(_), &[one]) => one,
            _ => self.tuple(parts),
        }
    }

    fn load_component(&mut self, pointer: Pointer, component: u32, kind: Kind) -> Fallible<Arg> {
        if let Some((slot, whole)) = self.slot_behind(pointer) {
            let (slot, imm) = (Arg::value(slot), Imm(self.word_of(whole, component).into()));
            let index = pointer.index.map(|index| self.words_of(index, kind)).transpose()?;
            let args: &[Arg] = if let Some(index) = index { &[slot, index] } else { &[slot] };
            let first = self.push_node(What::SlotLoad, Op::Load, imm, (kind, kind), args, &[kind]);
            return Ok(Arg::value(first));
        }
        let imm = self.place_of_var(pointer, component);
        let args: &[Arg] = if let Some(index) = &pointer.index { &[*index] } else { &[] };
        let operand = if args.is_empty() { Kind::None } else { Kind::U32 };
        self.operation(Op::Load, imm, operand, kind, args)
    }

    /// The immediate of a load or store of the module's variables.
    fn place_of_var(&self, pointer: Pointer, component: u32) -> Imm {
        let Root::Var(var) = pointer.root else { unreachable!("parameters are variables of the function") };
        Imm::pair(var.as_u32(), component)
    }

    /// So many components as words of a frame. The components of what is indexed have one size.
    fn words_of(&mut self, index: Arg, kind: Kind) -> Fallible<Arg> {
        if !self.isa.indexes_frames() {
            return self.unsupported("the machine has no arrays that are indexed while it runs");
        }
        let words = kind.words(I::WORD_BITS);
        if words == 1 {
            return Ok(index);
        }
        let words = self.bits(Kind::U32, words.into());
        self.operation(Op::Multiply, Imm::NONE, Kind::U32, Kind::U32, &[index, words])
    }

    pub(super) fn store(&mut self, pointer: Arg, value: Arg, ty: Type) -> Fallible<()> {
        let pointer = self.pointer(pointer);
        if let (Shape::One(kind), None) = (self.room.shapes.of(ty), &pointer.lanes) {
            return self.store_component(pointer, pointer.component, value, kind);
        }
        let components = self.components(pointer, ty)?;
        let mut values = vec![];
        self.push_parts(value, ty, &mut values);
        for ((component, kind), value) in components.into_iter().zip(values) {
            self.store_component(pointer, component, value, kind)?;
        }
        Ok(())
    }

    fn store_component(&mut self, pointer: Pointer, component: u32, value: Arg, kind: Kind) -> Fallible<()> {
        let Some((slot, whole)) = self.slot_behind(pointer) else {
            let imm = self.place_of_var(pointer, component);
            let args: &mut [Arg] = if let Some(index) = pointer.index { &mut [value, index] } else { &mut [value] };
            self.operations(Op::Store, imm, kind, args, &[])?;
            return Ok(());
        };
        let word = self.word_of(whole, component);
        match pointer.index {
            None => self.store_slot(slot, word, value, kind),
            Some(index) => {
                let index = self.words_of(index, kind)?;
                let args = [Arg::value(slot), value, index];
                self.push_node(What::SlotStore, Op::Store, Imm(word.into()), (kind, Kind::None), &args, &[]);
            }
        }
        Ok(())
    }

    /// `++x` and its like.
    pub(super) fn increment(&mut self, body: &Body, node: Node) -> Fallible<Arg> {
        let op = body.node(node).op;
        let pointer = self.arg(body.args(node)[0])?;
        let ty = self.pointee(self.module.type_of(body, body.args(node)[0]));
        let old = self.load(pointer, ty)?;
        let (mut parts, mut kinds, mut new) = (vec![], vec![], vec![]);
        self.push_parts(old, ty, &mut parts);
        push_kinds(self.module, ty, &mut kinds);
        let add = matches!(op, Op::PrefixIncrement | Op::PostfixIncrement);
        for (&part, &kind) in parts.iter().zip(&kinds) {
            let one = self.bits(kind, one(kind));
            let op = if add { Op::Add } else { Op::Subtract };
            new.push(self.operation(op, Imm::NONE, kind, kind, &[part, one])?);
        }
        let new = self.whole(&new, ty);
        self.store(pointer, new, ty)?;
        Ok(if matches!(op, Op::PrefixIncrement | Op::PrefixDecrement) { new } else { old })
    }
}

/// The bits of 1.
pub(super) fn one(kind: Kind) -> u64 {
    match kind {
        Kind::F32 => 1f32.to_bits().into(),
        Kind::F64 => 1f64.to_bits(),
        _ => 1,
    }
}
