//! Loads and stores of components in structures of C.

use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;
use planish_machine::isa::Kind;

use super::code::flags;
use crate::body::{passed_as, type_of};

/// Loads a component, of the type in which functions pass it.
pub(crate) fn load(b: &mut FunctionBuilder<'_>, base: Value, offset: u32, kind: Kind) -> Value {
    let value = b.ins().load(type_of(kind), flags(), base, offset as i32);
    if kind == Kind::Bool { truth(b, value) } else { value }
}

/// A truth value of C as functions pass it: any other byte counts by its lowest bit.
pub(crate) fn truth(b: &mut FunctionBuilder<'_>, byte: Value) -> Value {
    let bit = b.ins().band_imm_s(byte, 1);
    b.ins().uextend(passed_as(Kind::Bool), bit)
}

/// Stores a component.
pub(crate) fn store(b: &mut FunctionBuilder<'_>, base: Value, offset: u32, kind: Kind, value: Value) {
    let value = if kind == Kind::Bool { b.ins().ireduce(types::I8, value) } else { value };
    b.ins().store(flags(), value, base, offset as i32);
}

/// Loads a component from words, of the type in which functions pass it.
pub(crate) fn load_word(b: &mut FunctionBuilder<'_>, base: Value, offset: u32, kind: Kind) -> Value {
    b.ins().load(passed_as(kind), flags(), base, offset as i32)
}
