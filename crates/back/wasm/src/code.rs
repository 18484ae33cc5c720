//! Code before its local variables have numbers.

use planish_ir::entity::Var;
use wasm_encoder::{Instruction, ValType};

/// A variable of a function, as many as are wanted; [`crate::locals`] gives several the same number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A piece of code.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Get(Slot),
    Set(Slot),
    Tee(Slot),
    Plain(Instruction<'static>),
}

/// The code of a function, and the types of its slots; the first ones are the parameters.
#[derive(Default)]
pub(crate) struct Code {
    pub(crate) items: Vec<Item>,
    pub(crate) slots: Vec<ValType>,
    pub(crate) params: usize,
    /// By slot: the variable whose name it may have.
    pub(crate) names: Vec<Option<Var>>,
}

impl Code {
    pub(crate) fn slot(&mut self, ty: ValType) -> Slot {
        self.slots.push(ty);
        Slot(self.slots.len() as u32 - 1)
    }

    pub(crate) fn push(&mut self, instruction: Instruction<'static>) {
        self.items.push(Item::Plain(instruction));
    }

    /// `set x; get x → tee x`
    pub(crate) fn get(&mut self, slot: Slot) {
        if matches!(self.items.last(), Some(Item::Set(s)) if *s == slot) {
            self.items.pop();
            self.items.push(Item::Tee(slot));
        } else {
            self.items.push(Item::Get(slot));
        }
    }

    pub(crate) fn set(&mut self, slot: Slot) {
        self.items.push(Item::Set(slot));
    }

    /// The end of a block; a jump there directly before it is omitted.
    pub(crate) fn end(&mut self, is_loop: bool) {
        if !is_loop && matches!(self.items.last(), Some(Item::Plain(Instruction::Br(0)))) {
            self.items.pop();
        }
        self.push(Instruction::End);
    }

    /// The end of the function; a return directly before it is omitted.
    pub(crate) fn end_function(&mut self) {
        if matches!(self.items.last(), Some(Item::Plain(Instruction::Return))) {
            self.items.pop();
        }
    }

    /// Whether this place is unreachable because of the last instruction.
    pub(crate) fn has_left(&self) -> bool {
        use Instruction::{Br, BrTable, Return, Unreachable};
        matches!(self.items.last(), Some(Item::Plain(Br(_) | BrTable(..) | Return | Unreachable)))
    }

    /// Removes writes to slots that are never read: `tee x → ` and `set x → drop` if there is no `get x`.
    pub(crate) fn drop_unread(&mut self) {
        let mut read = vec![false; self.slots.len()];
        for item in &self.items {
            if let Item::Get(slot) = item {
                read[slot.index()] = true;
            }
        }
        self.items.retain_mut(|item| match *item {
            Item::Tee(slot) => read[slot.index()],
            Item::Set(slot) if !read[slot.index()] => {
                *item = Item::Plain(Instruction::Drop);
                true
            }
            _ => true,
        });
    }
}
