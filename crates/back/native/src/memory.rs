//! Byte memories and variables of the module.

use std::collections::BTreeSet;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use planish_back_header::layout::MemoryPlace;
use planish_ir::arena::Id;
use planish_ir::entity::Var;
use planish_ir::function::TrapKind;
use planish_ir::module::MemoryData;
use planish_ir::ops::{MemArg, Op, Width};
use planish_machine::code::{Arg, ArgKind, Node, What};

use crate::body::{Builder, Region, runtime_signature, type_of};
use crate::{Reason, abi};

/// Maximum number of ends of accesses of a memory for which the last index is kept.
const MOST_LASTS: usize = 4;

impl Builder<'_, '_> {
    /// Notes start and size of memory 0, if the function accesses it and they may change; with guard pages its start is all that accesses need.
    pub(crate) fn begin_memory(&mut self) {
        let accesses = |node: &Node| {
            node.what == What::Operation
                && matches!(node.op, Op::MemoryLoad | Op::MemoryStore)
                && node.imm.as_mem_arg().memory.index() == 0
        };
        let is_read_again = !self.has_guard_pages(0) && !self.is_fixed(0);
        if is_read_again && self.code.nodes.iter().any(accesses) {
            self.memory = Some([self.b.declare_var(types::I64), self.b.declare_var(types::I64)]);
            self.reload_memory();
        }
        let accessed = |node: &Node| {
            let is_access = node.what == What::Operation && matches!(node.op, Op::MemoryLoad | Op::MemoryStore);
            is_access.then(|| node.imm.as_mem_arg().memory.index())
        };
        let accessed: BTreeSet<usize> = self.code.nodes.iter().filter_map(accessed).collect();
        for memory in accessed {
            if !self.is_fixed(memory) || self.has_guard_pages(memory) {
                continue;
            }
            let bytes = self.bytes_of_fixed(memory);
            self.fixed.insert(memory, bytes);
            self.last_of_fixed(memory, bytes.1);
        }
    }

    /// The last index of accesses of a memory, by their ends: they are compared with it, in loops too.
    fn last_of_fixed(&mut self, memory: usize, size: Value) {
        let of_memory = |node: &Node| {
            let is_access = node.what == What::Operation && matches!(node.op, Op::MemoryLoad | Op::MemoryStore);
            let arg = is_access.then(|| node.imm.as_mem_arg())?;
            (arg.memory.index() == memory).then(|| u64::from(arg.offset) + u64::from(arg.width.bytes()))
        };
        let ends: BTreeSet<u64> = self.code.nodes.iter().filter_map(of_memory).collect();
        for &end in ends.iter().take(MOST_LASTS) {
            let last = self.b.ins().iadd_imm_s(size, -(end as i64));
            self.lasts.insert((memory, end), last);
        }
    }

    /// Reads start and size of memory 0 again, after what may have grown it.
    pub(crate) fn reload_memory(&mut self) {
        let Some([start, size]) = self.memory else { return };
        let now = self.bytes_of(0);
        self.b.def_var(start, now.0);
        self.b.def_var(size, now.1);
    }

    /// The address of a memory: an [`abi::Bytes`].
    pub(crate) fn memory_address(&mut self, memory: u32) -> Value {
        let Some(object) = self.env.object else {
            let memories = self.load_constant(types::I64, self.context, offset_of!(abi::Context, memories));
            return self.load_constant(types::I64, memories, memory as usize * 8);
        };
        let MemoryPlace { offset, is_imported } = object.layout.memories[memory as usize];
        if is_imported {
            return self.load_constant(types::I64, self.context, offset as usize);
        }
        self.in_instance(offset)
    }

    /// Whether pages follow a memory which cannot be accessed. None follow one that has no pages: its bytes may be the host's.
    fn has_guard_pages(&self, memory: usize) -> bool {
        self.env.options.guard_pages && self.most_pages(memory) != Some(0)
    }

    /// Whether a memory has one place and one size while the function runs.
    fn is_fixed(&self, memory: usize) -> bool {
        let memories = &self.env.module.memories;
        let least = memories.keys().nth(memory).map(|memory| memories[memory].min_pages);
        least.is_some() && self.most_pages(memory) == least
    }

    fn most_pages(&self, memory: usize) -> Option<u32> {
        self.env.module.memories.values().nth(memory)?.max_pages
    }

    /// Start and size of a memory, as an access needs them.
    fn bounds(&mut self, memory: usize) -> (Value, Value) {
        match self.memory {
            Some([start, size]) if memory == 0 => (self.b.use_var(start), self.b.use_var(size)),
            _ if let Some(&bytes) = self.fixed.get(&memory) => bytes,
            _ if self.is_fixed(memory) => self.bytes_of_fixed(memory),
            _ => self.bytes_of(memory),
        }
    }

    fn bytes_of_fixed(&mut self, memory: usize) -> (Value, Value) {
        let memory = self.memory_address(memory as u32);
        let start = self.load_constant(types::I64, memory, offset_of!(abi::Bytes, start));
        (start, self.load_constant(types::I64, memory, offset_of!(abi::Bytes, size)))
    }

    /// Start and size of a memory, read now.
    fn bytes_of(&mut self, memory: usize) -> (Value, Value) {
        let memory = self.memory_address(memory as u32);
        let start = self.load(Region::Context, types::I64, memory, offset_of!(abi::Bytes, start));
        let size = self.load(Region::Context, types::I64, memory, offset_of!(abi::Bytes, size));
        (start, size)
    }

    /// The start of a memory that does not move.
    fn start_of(&mut self, memory: usize) -> Value {
        if memory == 0 {
            return self.load_constant(types::I64, self.context, offset_of!(abi::Context, memory));
        }
        let memory = self.memory_address(memory as u32);
        self.load_constant(types::I64, memory, offset_of!(abi::Bytes, start))
    }

    /// Pages of a memory.
    pub(crate) fn memory_size(&mut self, node: &Node) {
        let (_, size) = self.bytes_of(node.imm.as_pair().0 as usize);
        let pages = self.b.ins().ushr_imm_s(size, i64::from(MemoryData::PAGE.trailing_zeros()));
        let pages = self.b.ins().ireduce(types::I32, pages);
        self.set(node.outs, pages);
    }

    /// The address of an access, after its check, and the properties of the access.
    fn address(&mut self, node: &Node, arg: MemArg) -> (Value, Offset32, MemFlagsData) {
        let memory = arg.memory.index();
        let operand = self.code.args_of(node)[0];
        let index = self.arg(operand, types::I32);
        let index = self.b.ins().uextend(types::I64, index);
        let end = u64::from(arg.offset) + u64::from(arg.width.bytes());
        let least = self.env.module.memories[arg.memory].min_pages as u64 * MemoryData::PAGE as u64;
        let mut flags = self.flags(Region::Memory);
        let known = match operand.kind() {
            ArgKind::Const(c) => u64::from(self.code.bits(c) as u32) + end <= least,
            // A memory does not become smaller, so one comparison holds for all accesses that it dominates.
            ArgKind::Value(v) if !self.has_guard_pages(memory) => {
                let checked = self.checked.entry((memory, v)).or_default();
                let known = end <= *checked;
                *checked = end.max(*checked);
                known
            }
            _ => false,
        };
        let known = known || self.is_in_slice(node, arg, arg.memory);
        let start = if self.has_guard_pages(memory) {
            if !known && end <= u64::from(abi::GUARD) {
                flags = flags.with_trap_code(Some(self.fault(TrapKind::OutOfBoundsMemory)));
            } else if !known {
                let size = self.bytes_of(memory).1;
                self.compare(index, end, size);
            }
            self.start_of(memory)
        } else {
            let (start, size) = self.bounds(memory);
            match self.lasts.get(&(memory, end)) {
                _ if known => {}
                Some(&last) => self.compare_with_last(index, last),
                None => self.compare(index, end, size),
            }
            start
        };
        let address = self.b.ins().iadd(start, index);
        match i32::try_from(arg.offset) {
            Ok(offset) => (address, Offset32::new(offset), flags),
            Err(_) => (self.b.ins().iadd_imm_s(address, i64::from(arg.offset)), Offset32::new(0), flags),
        }
    }

    /// Stops unless `index + end` is within the size.
    fn compare(&mut self, index: Value, end: u64, size: Value) {
        // The difference leaves loops; it is negative where the memory is too small for any access.
        let last = self.b.ins().iadd_imm_s(size, -(end as i64));
        self.compare_with_last(index, last);
    }

    fn compare_with_last(&mut self, index: Value, last: Value) {
        let beyond = self.b.ins().icmp(IntCC::SignedGreaterThan, index, last);
        self.stop_if(beyond, Reason::Trap(TrapKind::OutOfBoundsMemory));
    }

    pub(crate) fn memory_load(&mut self, node: &Node) {
        let arg = node.imm.as_mem_arg();
        let (at, offset, flags) = self.address(node, arg);
        let ty = type_of(node.result);
        let narrow = arg.width.bytes() * 8 < ty.bits();
        let ins = self.b.ins();
        let value = match (arg.width, arg.signed) {
            _ if !narrow => ins.load(ty, flags, at, offset),
            (Width::B8, false) => ins.uload8(ty, flags, at, offset),
            (Width::B8, true) => ins.sload8(ty, flags, at, offset),
            (Width::B16, false) => ins.uload16(ty, flags, at, offset),
            (Width::B16, true) => ins.sload16(ty, flags, at, offset),
            (_, false) => ins.uload32(flags, at, offset),
            (_, true) => ins.sload32(flags, at, offset),
        };
        self.set(node.outs, value);
    }

    pub(crate) fn memory_store(&mut self, node: &Node) {
        let arg = node.imm.as_mem_arg();
        let (at, offset, flags) = self.address(node, arg);
        let ty = type_of(node.operand);
        let value = self.arg(self.code.args_of(node)[1], ty);
        match arg.width {
            Width::B8 => self.b.ins().istore8(flags, value, at, offset),
            Width::B16 => self.b.ins().istore16(flags, value, at, offset),
            Width::B32 if ty == types::I64 => self.b.ins().istore32(flags, value, at, offset),
            _ => self.b.ins().store(flags, value, at, offset),
        };
    }

    /// Copies bytes from a memory to one.
    pub(crate) fn memory_copy(&mut self, node: &Node) {
        let (to, from) = node.imm.as_pair();
        let args = self.code.args_of(node);
        let [to_index, from_index, count] = [0, 1, 2].map(|i| self.index(args[i]));
        let to = self.range(to as usize, to_index, count);
        let from = self.range(from as usize, from_index, count);
        self.call_runtime(offset_of!(abi::Runtime, copy), [to, from, count]);
    }

    /// Sets bytes of a memory.
    pub(crate) fn memory_fill(&mut self, node: &Node) {
        let args = self.code.args_of(node);
        let [index, byte, count] = [0, 1, 2].map(|i| self.index(args[i]));
        let to = self.range(node.imm.as_pair().0 as usize, index, count);
        self.call_runtime(offset_of!(abi::Runtime, fill), [to, byte, count]);
    }

    /// A word out of an `i32`.
    fn index(&mut self, arg: Arg) -> Value {
        let index = self.arg(arg, types::I32);
        self.b.ins().uextend(types::I64, index)
    }

    /// The address of `count` bytes of a memory, after their check.
    fn range(&mut self, memory: usize, index: Value, count: Value) -> Value {
        let (start, size) = self.bounds(memory);
        let start = if self.has_guard_pages(memory) { self.start_of(memory) } else { start };
        let end = self.b.ins().iadd(index, count);
        let beyond = self.b.ins().icmp(IntCC::UnsignedGreaterThan, end, size);
        self.stop_if(beyond, Reason::Trap(TrapKind::OutOfBoundsMemory));
        self.b.ins().iadd(start, index)
    }

    /// Calls a function of the runtime that takes three words.
    fn call_runtime(&mut self, offset: usize, args: [Value; 3]) {
        let runtime = self.runtime();
        let code = self.load_constant(types::I64, runtime, offset);
        let signature = runtime_signature(self.env.isa, &[types::I64; 3], None);
        let signature = self.import(signature);
        self.b.ins().call_indirect(signature, code, &args);
    }

    /// The address of a component of a variable; the last argument may be a number of components to add.
    fn component(&mut self, node: &Node, operands: usize) -> Value {
        let (var, component) = node.imm.as_pair();
        if let Some(object) = self.env.object {
            let first = self.in_instance(object.layout.offsets[Var::from_u32(var)] + 8 * component);
            let Some(&index) = self.code.args_of(node).get(operands) else { return first };
            let index = self.arg(index, types::I64);
            let bytes = self.b.ins().ishl_imm_s(index, 3);
            return self.b.ins().iadd(first, bytes);
        }
        let cell = self.env.globals[Var::from_u32(var)] + component;
        let globals = self.load_constant(types::I64, self.context, offset_of!(abi::Context, globals));
        let Some(&index) = self.code.args_of(node).get(operands) else {
            return self.load_constant(types::I64, globals, cell as usize * 8);
        };
        // The words of a variable lie one after the other.
        let first = self.load_constant(types::I64, globals, cell as usize * 8);
        let index = self.arg(index, types::I64);
        let bytes = self.b.ins().ishl_imm_s(index, 3);
        self.b.ins().iadd(first, bytes)
    }

    pub(crate) fn variable_load(&mut self, node: &Node) {
        let at = self.component(node, 0);
        let value = self.load(Region::Globals, type_of(node.result), at, 0);
        self.set(node.outs, value);
    }

    pub(crate) fn variable_store(&mut self, node: &Node) {
        let at = self.component(node, 1);
        let ty: Type = type_of(node.operand);
        let value = self.arg(self.code.args_of(node)[0], ty);
        let word = if ty.is_vector() { value } else { self.as_type(value, types::I64) };
        self.store(Region::Globals, word, at, 0);
    }
}
