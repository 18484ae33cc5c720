//! The rest of a function, from the head of an outermost loop on: another engine has run it until there, and its frame holds
//! the values.
//!
//! ```text
//!  fn rest(context, words):                 words: the frame of the other engine
//!    v1 = load words[3] …                   all values that live at the head
//!    jump loop(v1, …)
//!  loop(v1, …): …
//!    return                           ──►   store words[0], v7 … ; return
//! ```
//!
//! No node before the head is reached from there: around an outermost loop there is no other.

use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, MemFlagsData, Value, types};
use smallvec::SmallVec;

use crate::body::{Builder, Rest, passed_as, type_of};
use crate::words;

/// Words need not be aligned as vectors are.
fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'a> Builder<'a, '_> {
    /// Writes it.
    pub(crate) fn rest(&mut self, entry: Block, rest: Rest<'a>) {
        let code = self.code;
        let label = code.labels[rest.label as usize];
        let words = self.b.block_params(entry)[1];
        self.results_at = Some(words);
        self.make_slots();
        let inputs = label.inputs..label.inputs + label.inputs_len;
        let mut args = SmallVec::<[BlockArg; 8]>::new();
        for &(v, word) in rest.values {
            if let Some(&slot) = self.slots.get(&v) {
                for i in 0..code.values[v as usize].words as i32 {
                    let bits = self.b.ins().load(types::I64, flags(), words, 8 * (word as i32 + i));
                    self.b.ins().stack_store(types::I64, bits, slot, 8 * i);
                }
                continue;
            }
            let kind = code.values[v as usize].kind;
            let loaded = self.b.ins().load(passed_as(kind), flags(), words, 8 * word as i32);
            let value = self.as_type(loaded, type_of(kind));
            if !inputs.contains(&v) {
                self.set(v, value);
            } else if self.nodes.is_read(v) {
                args.push(value.into());
            }
        }
        self.begin_checks();
        let block = self.block_of(rest.label);
        self.b.ins().jump(block, &args);
        self.b.switch_to_block(block);
        self.canonical.clear();
        self.checked.clear();
        self.open = true;
        self.heed_interrupt();
        let first = label.node as usize + 1;
        self.charge(first);
        self.walk(first);
    }

    /// Leaves results where the frame of the function has them, and returns.
    pub(crate) fn return_words(&mut self, values: &[Value]) {
        let at = self.results_at.expect("the address of the frame");
        words::store(&mut self.b, at, &self.code.results, values);
        self.b.ins().return_(&[]);
    }
}
