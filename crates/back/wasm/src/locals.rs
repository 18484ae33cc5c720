//! From slots to numbered local variables: slots of one type that are never alive at the same time share a number.
//!
//! A slot is alive from its first mention to its last. If it is mentioned before a loop and in it, then to the end of
//! the loop, since the next iteration may read it. (A slot that is first mentioned within a loop is set there in every
//! iteration before it is read: values are, since definitions dominate uses, and variables are initialized in their
//! block.) Linear scan over these intervals, see Poletto and Sarkar, "Linear Scan Register Allocation" (1999): O(n log
//! n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use planish_ir::entity::Var;
use wasm_encoder::{Instruction, ValType};

use crate::code::{Code, Item};

/// The number of each slot, and the types of the variables after the parameters.
pub(crate) struct Locals {
    pub(crate) numbers: Vec<u32>,
    pub(crate) declared: Vec<ValType>,
}

impl Locals {
    /// By number: the variable of the first slot there that has one.
    pub(crate) fn names(&self, code: &Code) -> Vec<Option<Var>> {
        let mut names = vec![None; code.params + self.declared.len()];
        for (&number, &var) in self.numbers.iter().zip(&code.names) {
            if let Some(name) = names.get_mut(number as usize) {
                *name = name.or(var);
            }
        }
        names
    }
}

/// First and last mention of each slot.
fn intervals(code: &Code) -> Vec<Option<(u32, u32)>> {
    let mut intervals: Vec<Option<(u32, u32)>> = vec![None; code.slots.len()];
    for interval in &mut intervals[..code.params] {
        *interval = Some((0, 0));
    }
    // Open blocks: whether they are loops. Of each of these, where it begins, and the slots mentioned in it that are older.
    let mut open: Vec<bool> = Vec::new();
    let mut loops: Vec<(u32, Vec<u32>)> = Vec::new();
    for (at, item) in (1u32..).zip(&code.items) {
        match item {
            Item::Get(slot) | Item::Set(slot) | Item::Tee(slot) => {
                let interval = intervals[slot.index()].get_or_insert((at, at));
                interval.1 = at;
                let first = interval.0;
                if let Some((start, older)) = loops.last_mut()
                    && first < *start
                {
                    older.push(slot.0);
                }
            }
            Item::Plain(Instruction::Loop(_)) => {
                open.push(true);
                loops.push((at, Vec::new()));
            }
            Item::Plain(Instruction::Block(_) | Instruction::If(_)) => open.push(false),
            Item::Plain(Instruction::End) => {
                if open.pop() == Some(true)
                    && let Some((_, mut older)) = loops.pop()
                {
                    older.sort_unstable();
                    older.dedup();
                    for &slot in &older {
                        intervals[slot as usize].as_mut().expect("it was mentioned").1 = at;
                    }
                    if let Some((start, outer)) = loops.last_mut() {
                        let is_older = |slot: &u32| intervals[*slot as usize].is_some_and(|(first, _)| first < *start);
                        outer.extend(older.into_iter().filter(is_older));
                    }
                }
            }
            Item::Plain(_) => {}
        }
    }
    intervals
}

/// Gives every slot that is mentioned a number.
pub(crate) fn assign(code: &Code) -> Locals {
    let intervals = intervals(code);
    let mut order: Vec<u32> = (0..code.slots.len() as u32).filter(|&s| intervals[s as usize].is_some()).collect();
    order.sort_by_key(|&s| intervals[s as usize]);
    let mut numbers = vec![u32::MAX; code.slots.len()];
    let mut declared = Vec::new();
    let mut busy: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let mut free: Vec<(ValType, BinaryHeap<Reverse<u32>>)> = Vec::new();
    let type_of = |number: u32, declared: &[ValType]| match (number as usize).checked_sub(code.params) {
        Some(index) => declared[index],
        None => code.slots[number as usize],
    };
    for slot in order {
        let (first, last) = intervals[slot as usize].expect("only slots with an interval are listed");
        if (slot as usize) < code.params {
            numbers[slot as usize] = slot;
            busy.push(Reverse((last, slot)));
            continue;
        }
        while let Some(&Reverse((end, number))) = busy.peek()
            && end <= first
        {
            busy.pop();
            let ty = type_of(number, &declared);
            match free.iter_mut().find(|(t, _)| *t == ty) {
                Some((_, numbers)) => numbers.push(Reverse(number)),
                None => free.push((ty, BinaryHeap::from([Reverse(number)]))),
            }
        }
        let ty = code.slots[slot as usize];
        let reused = free.iter_mut().find(|(t, _)| *t == ty).and_then(|(_, numbers)| numbers.pop());
        let number = reused.map_or_else(
            || {
                declared.push(ty);
                (code.params + declared.len() - 1) as u32
            },
            |Reverse(number)| number,
        );
        numbers[slot as usize] = number;
        busy.push(Reverse((last, number)));
    }
    Locals { numbers, declared }
}
