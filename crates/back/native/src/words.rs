//! Values as words of memory, one after the other.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;
use planish_machine::isa::Kind;
use smallvec::SmallVec;

use crate::body::passed_as;

/// Words are not always aligned as a value of 128 bits is.
fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Loads values of kinds, each of the type in which it is passed.
pub(crate) fn load(b: &mut FunctionBuilder<'_>, words: Value, kinds: &[Kind]) -> SmallVec<[Value; 8]> {
    let mut at = 0;
    let mut next = |kind: &Kind| {
        let value = b.ins().load(passed_as(*kind), flags(), words, at);
        at += 8 * kind.words(64) as i32;
        value
    };
    kinds.iter().map(&mut next).collect()
}

/// Stores values, zero-extended to words.
pub(crate) fn store(b: &mut FunctionBuilder<'_>, words: Value, kinds: &[Kind], values: &[Value]) {
    let mut at = 0;
    for (kind, &value) in kinds.iter().zip(values) {
        let word = match passed_as(*kind) {
            types::I32 => b.ins().uextend(types::I64, value),
            types::F32 => {
                let bits = b.ins().bitcast(types::I32, MemFlagsData::new(), value);
                b.ins().uextend(types::I64, bits)
            }
            _ => value,
        };
        b.ins().store(flags(), word, words, at);
        at += 8 * kind.words(64) as i32;
    }
}
