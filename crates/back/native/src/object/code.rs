//! Parts of functions that differ in objects: an instance has fixed offsets, and the runtime consists of symbols.

use std::cell::RefCell;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, FuncRef, InstBuilder, MemFlagsData, Signature, TrapCode, Type, Value, types};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilder;
use planish_back_header::layout::{Layout, at};
use planish_back_header::traps::code_of;
use planish_ir::arena::Id;
use planish_ir::entity::{self, Data, Elem, Func};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Class, Op};
use planish_ir::source::Span;
use planish_machine::code::{Arg, Node};
use planish_machine::isa::Kind;
use smallvec::SmallVec;

use super::symbols::{self, Datum, Scope, Symbols};
use crate::body::{Builder, Region, is_riscv, runtime_signature, type_of};
use crate::{Operation, Reason, Stop};

/// All that functions of an object have in common.
pub(crate) struct ObjectEnvironment<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) symbols: RefCell<Symbols>,
    /// Line and column of a place in the source; in a binary file 0 and the offset.
    pub(crate) place: &'a dyn Fn(Span) -> (u32, u32),
    /// Whether code addresses data by its distance.
    pub(crate) has_near_data: bool,
}

/// Offsets of the parts of a callee.
pub(crate) const CALLEE_CODE: usize = 0;
pub(crate) const CALLEE_TYPE: usize = 8;

impl ObjectEnvironment<'_> {
    pub(crate) fn address_of(&self, b: &mut FunctionBuilder<'_>, datum: Datum) -> Value {
        let number = self.symbols.borrow_mut().datum(datum);
        symbols::address_of(b, number, self.has_near_data)
    }

    /// A function of the runtime on words.
    pub(crate) fn runtime_function(
        &self,
        b: &mut FunctionBuilder<'_>,
        isa: &dyn TargetIsa,
        name: &str,
        params: usize,
        has_result: bool,
    ) -> FuncRef {
        let params: SmallVec<[Type; 8]> = SmallVec::from_elem(types::I64, params);
        let signature = runtime_signature(isa, &params, has_result.then_some(types::I64));
        let number = self.symbols.borrow_mut().declare(name, Scope::External, &signature);
        symbols::function(b, number, signature)
    }

    /// Ends a block by a trap, in a function of the program or (`None`) of the interface.
    pub(crate) fn trap(
        &self,
        b: &mut FunctionBuilder<'_>,
        isa: &dyn TargetIsa,
        code: u32,
        (func, span): (Option<Func>, Span),
    ) {
        let signature = Signature {
            params: vec![
                c_param(isa, Kind::I32),
                AbiParam::new(types::I64),
                c_param(isa, Kind::U32),
                c_param(isa, Kind::U32),
            ],
            returns: vec![],
            call_conv: isa.default_call_conv(),
        };
        let number = self.symbols.borrow_mut().declare("planish_trap", Scope::External, &signature);
        let callee = symbols::function(b, number, signature);
        let code = b.ins().iconst(types::I32, i64::from(code));
        let name = match func {
            Some(func) => self.address_of(b, Datum::Name(func)),
            None => b.ins().iconst(types::I64, 0),
        };
        let (line, column) = (self.place)(span);
        let line = b.ins().iconst(types::I32, i64::from(line));
        let column = b.ins().iconst(types::I32, i64::from(column));
        b.ins().call(callee, &[code, name, line, column]);
        b.ins().trap(TrapCode::unwrap_user(1));
    }

    /// Calls a function of the runtime on words.
    pub(crate) fn call_runtime(
        &self,
        b: &mut FunctionBuilder<'_>,
        isa: &dyn TargetIsa,
        name: &str,
        args: &[Value],
        has_result: bool,
    ) -> Option<Value> {
        let callee = self.runtime_function(b, isa, name, args.len(), has_result);
        let call = b.ins().call(callee, args);
        b.inst_results(call).first().copied()
    }
}

/// A scalar parameter or result in the platform's convention of C.
pub(crate) fn c_param(isa: &dyn TargetIsa, kind: Kind) -> AbiParam {
    match kind {
        Kind::Bool => AbiParam::new(types::I8).uext(),
        // There even unsigned words are sign-extended.
        Kind::I32 | Kind::U32 if is_riscv(isa) => AbiParam::new(types::I32).sext(),
        _ => AbiParam::new(type_of(kind)),
    }
}

/// The operations on floats that have symbols of their own in the runtime.
const FLOAT_FUNCTIONS: &[Op] = &[
    Op::Radians,
    Op::Degrees,
    Op::Sin,
    Op::Cos,
    Op::Tan,
    Op::Asin,
    Op::Acos,
    Op::Atan,
    Op::Sinh,
    Op::Cosh,
    Op::Tanh,
    Op::Asinh,
    Op::Acosh,
    Op::Atanh,
    Op::Exp,
    Op::Log,
    Op::Exp2,
    Op::Log2,
    Op::InverseSqrt,
    Op::Sign,
    Op::Floor,
    Op::Trunc,
    Op::Round,
    Op::RoundEven,
    Op::Ceil,
    Op::Fract,
    Op::Saturate,
    Op::IsInf,
    Op::Atan2,
    Op::Hypot,
    Op::Pow,
    Op::Mod,
    Op::Step,
    Op::Ldexp,
    Op::Mix,
    Op::SmoothStep,
    Op::Fma,
    Op::Lerp,
];

/// The symbol of the runtime that computes an operation on floats; `None` for operations without one.
pub(crate) fn symbol_of(operation: &Operation) -> Option<String> {
    if !FLOAT_FUNCTIONS.contains(&operation.op) || operation.results != 1 {
        return None;
    }
    let scalar = match operation.operand {
        Kind::F32 => "f32",
        Kind::F64 => "f64",
        _ => return None,
    };
    Some(format!("planish_{}_{scalar}", operation.op.text()))
}

/// The symbol that does all other operations. Its version changes with the numbers of ops.
pub(crate) const OPERATE: &str = "planish_operate_v1";

impl Builder<'_, '_> {
    /// The address of a place of the instance.
    pub(crate) fn in_instance(&mut self, offset: u32) -> Value {
        self.b.ins().iadd_imm_s(self.context, i64::from(offset))
    }

    pub(crate) fn object_stop(&mut self, stop: Stop, object: &ObjectEnvironment<'_>) {
        let code = match stop.reason {
            Reason::Trap(kind) => code_of(kind),
            other => unreachable!("nothing in an object is {other:?}"),
        };
        object.trap(&mut self.b, self.env.isa, code, (Some(self.func), stop.span));
    }

    /// An operation that the runtime does, or that needs the instance.
    pub(crate) fn through_symbols(&mut self, node: &Node, operation: Operation, object: &ObjectEnvironment<'_>) {
        if node.op.info().class == Class::Machine {
            return self.bulk(node, object);
        }
        if node.op == Op::NewToken {
            let at = self.in_instance(object.layout.token);
            let last = self.load(Region::Globals, types::I64, at, 0);
            let next = self.b.ins().iadd_imm_s(last, 1);
            self.store(Region::Globals, next, at, 0);
            return self.set(node.outs, next);
        }
        match symbol_of(&operation) {
            Some(name) => {
                let mut args = SmallVec::<[Value; 8]>::new();
                for (&arg, kind) in self.code.args_of(node).iter().zip(self.operand_kinds(node)) {
                    let value = self.arg(arg, type_of(kind));
                    args.push(self.as_type(value, types::I64));
                }
                let word = object.call_runtime(&mut self.b, self.env.isa, &name, &args, true).expect("it has a result");
                let value = self.as_type(word, type_of(node.result));
                self.set(node.outs, value);
            }
            None => {
                let (address, out_kinds) = self.operands_in_memory(node);
                let descriptor = object.address_of(&mut self.b, Datum::Operation(operation));
                object.call_runtime(&mut self.b, self.env.isa, OPERATE, &[descriptor, address], false);
                self.results_from_memory(node, address, &out_kinds);
            }
        }
    }

    /// An operand as a word.
    fn word(&mut self, node: &Node, i: usize) -> Value {
        let arg: Arg = self.code.args_of(node)[i];
        let kind = self.operand_kinds(node)[i];
        let value = self.arg(arg, type_of(kind));
        self.as_type(value, types::I64)
    }

    /// Ops on whole memories, tables and segments.
    fn bulk(&mut self, node: &Node, object: &ObjectEnvironment<'_>) {
        let (low, high) = node.imm.as_pair();
        let layout = object.layout;
        let args: SmallVec<[Value; 4]> = (0..usize::from(node.args_len)).map(|i| self.word(node, i)).collect();
        let (memory_trap, table_trap) = (TrapKind::OutOfBoundsMemory, TrapKind::OutOfBoundsTable);
        let (name, mut places, trap) = match node.op {
            Op::MemoryGrow => ("planish_memory_grow", vec![self.memory_address(low)], None),
            Op::MemoryFill => ("planish_memory_fill", vec![self.memory_address(low)], Some(memory_trap)),
            Op::MemoryCopy => {
                let places = vec![self.memory_address(low), self.memory_address(high)];
                ("planish_memory_copy", places, Some(memory_trap))
            }
            Op::MemoryInit => {
                let memory = self.memory_address(low);
                let bytes = object.address_of(&mut self.b, Datum::Segment(Data::new(high as usize)));
                let length = self.in_instance(at(&layout.segments, Data::new(high as usize)));
                let length = self.load(Region::Globals, types::I64, length, 0);
                ("planish_memory_init", vec![memory, bytes, length], Some(memory_trap))
            }
            Op::DataDrop => return self.drop_segment(at(&layout.segments, Data::new(low as usize))),
            Op::TableGet => {
                let place = self.item(low, args[0]);
                let value = self.load(Region::Tables, types::I64, place, 0);
                return self.set(node.outs, value);
            }
            Op::TableSet => {
                let place = self.item(low, args[0]);
                return self.store(Region::Tables, args[1], place, 0);
            }
            Op::TableSize => {
                let (_, len) = self.items(low);
                let len = self.b.ins().ireduce(types::I32, len);
                return self.set(node.outs, len);
            }
            Op::TableGrow => ("planish_table_grow", vec![self.table_address(low, layout)], None),
            Op::TableFill => ("planish_table_fill", vec![self.table_address(low, layout)], Some(table_trap)),
            Op::TableCopy => {
                let places = vec![self.table_address(low, layout), self.table_address(high, layout)];
                ("planish_table_copy", places, Some(table_trap))
            }
            Op::TableInit => {
                let table = self.table_address(low, layout);
                let items = object.address_of(&mut self.b, Datum::Elements(Elem::new(high as usize)));
                let length = self.in_instance(at(&layout.elements, Elem::new(high as usize)));
                let length = self.load(Region::Globals, types::I64, length, 0);
                ("planish_table_init", vec![table, items, length], Some(table_trap))
            }
            Op::ElemDrop => return self.drop_segment(at(&layout.elements, Elem::new(low as usize))),
            op => unreachable!("`{}` is an operation of its own", op.text()),
        };
        places.extend(args);
        let result = object.call_runtime(&mut self.b, self.env.isa, name, &places, true).expect("it has a result");
        match trap {
            Some(kind) => self.stop_if(result, Reason::Trap(kind)),
            None => {
                let result = self.b.ins().ireduce(types::I32, result);
                self.set(node.outs, result);
            }
        }
        self.reload_memory();
    }

    fn drop_segment(&mut self, length: u32) {
        let at = self.in_instance(length);
        let none = self.b.ins().iconst(types::I64, 0);
        self.store(Region::Globals, none, at, 0);
    }

    fn table_address(&mut self, table: u32, layout: &Layout) -> Value {
        self.in_instance(layout.tables[table as usize])
    }

    /// The address of an item of a table, after its check.
    fn item(&mut self, table: u32, index: Value) -> Value {
        let (start, len) = self.items(table);
        let beyond = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, len);
        self.stop_if(beyond, Reason::Trap(TrapKind::OutOfBoundsTable));
        let offset = self.b.ins().ishl_imm_s(index, 3);
        self.b.ins().iadd(start, offset)
    }

    /// The type of a callee as code compares it.
    pub(crate) fn object_type(&mut self, ty: entity::Type) -> Value {
        self.b.ins().iconst(types::I32, ty.index() as i64)
    }
}

/// Words and parts of C structures are aligned; no other memory is accessed.
pub(crate) fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}
