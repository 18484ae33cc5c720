//! Slices of the host, a memory each, become ranges of one memory: before each length the function takes an address.
//!
//! ```text
//! before: memory memory0 min 0 max 0 export "slice0"       after: memory memory0 min 1 export "memory"
//!         fn @f(%len: u32) -> (f64) {                             fn @f(%at: u32, %len: u32) -> (f64) {
//!           %x = memory_load[memory0 u64 in_bounds] %a              if %at + 8 · %len > 65536 · memory_size { trap }
//!                                                                   %b = add %at, %a
//!                                                                   %x = memory_load[memory0 u64 in_bounds] %b
//! ```
//!
//! The test at the beginning is made in 64 bits, so that no range wraps around the end of the addresses, and every access to a slice that is
//! in bounds of it stays so. A range need not be aligned. Loads and stores of the slices keep the order that they have, so a module that
//! is optimized before keeps what followed from slices that do not overlap, which is for the caller to see to from here on.
//!
//! **Holds before:** a valid, placed module without other memories than those of the slices, which [`SliceParam`] describes, all of one function.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Block, Memory, Node, Type, Value};
use planish_ir::function::{Body, Exit, Param, TrapKind};
use planish_ir::host::SliceParam;
use planish_ir::module::{MemoryData, Module};
use planish_ir::ops::{Imm, MemArg, Op};
use planish_ir::types::Scalar;

use crate::lower_to_scalars::MEMORY;
use crate::restage::{Stage, copy_node, restage};

/// Runs on the function that the slices belong to.
///
/// # Panics
/// If the module has other memories, or the slices are of several functions.
pub fn run(module: &mut Module, slices: &[SliceParam]) {
    let Some(first) = slices.first() else { return };
    assert_eq!(module.memories.len(), slices.len(), "all memories are slices");
    assert!(slices.iter().all(|slice| slice.func == first.func), "all slices are of one function");
    let mut slices = slices.to_vec();
    slices.sort_by_key(|slice| slice.param);
    let function = &mut module.funcs[first.func];
    for slice in slices.iter().rev() {
        let len = &mut function.params[slice.param];
        let of_len = Name::new(format!("{}_len", len.name.text), NameSource::Temporary);
        let address = Param { name: std::mem::replace(&mut len.name, of_len), ..len.clone() };
        function.params.insert(slice.param, address);
    }
    let params: Vec<Type> = function.params.iter().map(|param| param.ty).collect();
    let results: Vec<Type> = function.results.iter().map(|result| result.ty).collect();
    function.ty = module.types.function(&params, &results);
    let memory = MemoryData { min_pages: 1, max_pages: None, import: None, exports: vec![MEMORY.into()] };
    module.memories.truncate(0);
    module.memories.push(memory);
    let mut stage = JoinSlices { slices, addresses: Vec::new() };
    restage(module, first.func, Policy::PLAIN, &mut stage);
}

/// The memory that there is afterwards.
fn joined() -> Memory {
    Memory::from_u32(0)
}

struct JoinSlices {
    /// By ascending parameters.
    slices: Vec<SliceParam>,
    /// Address of the first byte of each, as an `i32`.
    addresses: Vec<Value>,
}

impl Stage for JoinSlices {
    fn enter(&mut self, builder: &mut Builder<'_, '_>) -> Block {
        let size = builder.op_imm(Op::MemorySize, Imm::pair(joined().as_u32(), 0), &[]);
        let size = wide(builder, size);
        let sixteen = builder.u32(MemoryData::PAGE.trailing_zeros());
        let bytes = builder.op(Op::ShiftLeft, &[size, sixteen]);
        let mut is_beyond = None;
        for (number, slice) in self.slices.iter().enumerate() {
            let [at, len] = [0, 1].map(|which| builder.param(slice.param + number + which));
            let stride = builder.u32(slice.stride());
            let [from, len, stride] = [at, len, stride].map(|value| wide(builder, value));
            let length = builder.op(Op::Multiply, &[len, stride]);
            let end = builder.op(Op::Add, &[from, length]);
            let beyond = builder.op(Op::GreaterThan, &[end, bytes]);
            is_beyond = Some(match is_beyond {
                Some(before) => builder.op(Op::LogicalOr, &[before, beyond]),
                None => beyond,
            });
            self.addresses.push(builder.op_typed(Op::Bitcast, &[at], Type::I32));
        }
        let blocks = builder.if_(is_beyond.expect("there is a slice"));
        builder.switch_to(blocks.then);
        builder.exit(Exit::Trap(TrapKind::OutOfBoundsMemory));
        builder.switch_to(blocks.otherwise);
        builder.merge(&[]);
        builder.switch_to(blocks.merge);
        builder.block()
    }

    fn param(&mut self, index: usize, builder: &mut Builder<'_, '_>) -> Option<Value> {
        let addresses = self.slices.iter().filter(|slice| slice.param <= index).count();
        Some(builder.param(index + addresses))
    }

    fn node(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = source.node(node);
        if !matches!(data.op, Op::MemoryLoad | Op::MemoryStore) {
            return copy_node(source, node, args, builder);
        }
        let arg = data.imm.as_mem_arg();
        let number = self.slices.iter().position(|slice| slice.memory == arg.memory).expect("all memories are slices");
        let mut args = args.to_vec();
        args[0] = builder.op(Op::Add, &[self.addresses[number], args[0]]);
        let ty = source.result(node).map(|result| source.local_type(result));
        let imm = MemArg { memory: joined(), ..arg }.into();
        builder.make_all(Request { op: data.op, imm, args: &args, ty, precision: Some(data.precision) })
    }
}

/// An integer of 32 bits without a sign as one of 64.
fn wide(builder: &mut Builder<'_, '_>, value: Value) -> Value {
    let value = match builder.type_of(value) {
        Type::U32 => value,
        _ => builder.op_typed(Op::Bitcast, &[value], Type::U32),
    };
    let wide = builder.module.types.scalar(Scalar::U64);
    builder.convert(value, wide)
}
