//! Calls: of functions of the module, of other instances and the host, through tables, of the runtime.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    ExtFuncData, ExternalName, FuncRef, InstBuilder, Signature, StackSlotData, StackSlotKind, UserExternalName, Value,
    types,
};
use planish_ir::arena::Id;
use planish_ir::entity::{self, Func};
use planish_ir::function::TrapKind;
use planish_machine::code::{Arg, CallKind, Node};
use planish_machine::isa::{Kind, operands_of};
use smallvec::SmallVec;

use crate::body::{Builder, Region, passed_as, runtime_signature, signature_of, size_of, split_results, type_of};
use crate::object::code as object;
use crate::object::symbols::Datum;
use crate::words;
use crate::{Operation, Reason, abi};

/// Code and first argument of a callee.
enum Target {
    Direct(FuncRef),
    Through(Value),
}

pub(crate) type Values = SmallVec<[Value; 8]>;

impl Builder<'_, '_> {
    pub(crate) fn call(&mut self, node: &Node, kind: CallKind) {
        let kinds: SmallVec<[Kind; 8]> =
            (node.outs..node.outs + u32::from(node.outs_len)).map(|v| self.code.values[v as usize].kind).collect();
        let results = self.call_for(node, kind, &kinds);
        for (v, value) in (node.outs..node.outs + u32::from(node.outs_len)).zip(results) {
            let value = self.as_type(value, type_of(self.code.values[v as usize].kind));
            self.set(v, value);
        }
        // The callee may have grown it.
        self.reload_memory();
    }

    /// Calls for results of these kinds.
    pub(crate) fn call_for(&mut self, node: &Node, kind: CallKind, kinds: &[Kind]) -> Values {
        let (_, in_memory) = split_results(self.env.isa, kinds);
        let results_at = (!in_memory.is_empty()).then(|| self.words_area(size_of(in_memory)));
        let (target, signature, args) = self.prepare(node, kind, results_at);
        let call = match target {
            Target::Direct(func) => self.b.ins().call(func, &args),
            Target::Through(code) => {
                let signature = self.import(signature);
                self.b.ins().call_indirect(signature, code, &args)
            }
        };
        let mut results: Values = self.b.inst_results(call).into();
        if let Some(at) = results_at {
            results.extend(words::load(&mut self.b, at, in_memory));
        }
        results
    }

    pub(crate) fn tail_call(&mut self, node: &Node, kind: CallKind) {
        if self.env.rest.is_some() {
            let results = self.call_for(node, kind, &self.code.results);
            return self.return_words(&results);
        }
        // The callee has the same results.
        let (target, signature, args) = self.prepare(node, kind, self.results_at);
        match target {
            Target::Direct(func) => self.b.ins().return_call(func, &args),
            Target::Through(code) => {
                let signature = self.import(signature);
                self.b.ins().return_call_indirect(signature, code, &args)
            }
        };
    }

    /// Callee, its signature, and all arguments.
    fn prepare(&mut self, node: &Node, kind: CallKind, results_at: Option<Value>) -> (Target, Signature, Values) {
        let args = self.code.args_of(node);
        match kind {
            // An imported function has code in an object, too; the rest of a function is alone in its unit.
            CallKind::Func | CallKind::Import
                if kind == CallKind::Func && self.env.rest.is_none() || self.env.object.is_some() =>
            {
                let func = Func::from_u32(node.imm.0 as u32);
                let ty = self.env.module.funcs[func].ty;
                let signature = self.signature(ty);
                let target = Target::Direct(self.function(func, signature.clone()));
                let args = self.call_args(ty, [Some(self.context), results_at], args);
                (target, signature, args)
            }
            CallKind::Func | CallKind::Import => {
                let func = Func::from_u32(node.imm.0 as u32);
                let callee = self.reference(func);
                self.through(callee, self.env.module.funcs[func].ty, results_at, args)
            }
            CallKind::Value => {
                let (args, callee) = split(args);
                // The type of a typed reference is that of its value's uses: its words are all that the list knows.
                let ty = entity::Type::from_u32(node.imm.0 as u32);
                let callee = self.arg(callee, types::I64);
                self.through(callee, ty, results_at, args)
            }
            CallKind::Table => {
                let (table, ty) = node.imm.as_table_type();
                let (args, index) = split(args);
                let callee = self.element(table.as_u32(), index, ty);
                self.through(callee, ty, results_at, args)
            }
        }
    }

    /// A call of what a reference means.
    fn through(
        &mut self,
        callee: Value,
        ty: entity::Type,
        results_at: Option<Value>,
        args: &[Arg],
    ) -> (Target, Signature, Values) {
        if self.env.object.is_some() {
            // References do not leave their instance.
            let code = self.load(Region::Context, types::I64, callee, object::CALLEE_CODE);
            let args = self.call_args(ty, [Some(self.context), results_at], args);
            return (Target::Through(code), self.signature(ty), args);
        }
        let code = self.load(Region::Context, types::I64, callee, offset_of!(abi::Callee, code));
        let context = self.load(Region::Context, types::I64, callee, offset_of!(abi::Callee, context));
        self.tell_caller(context);
        let args = self.call_args(ty, [Some(context), results_at], args);
        (Target::Through(code), self.signature(ty), args)
    }

    /// Notes who calls, for functions of the host, if the callee is of another instance or the host.
    fn tell_caller(&mut self, context: Value) {
        let (other, next) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(other);
        let differs = self.b.ins().icmp(IntCC::NotEqual, context, self.context);
        self.b.ins().brif(differs, other, &[], next, &[]);
        self.b.switch_to_block(other);
        let runtime = self.runtime();
        self.store(Region::Context, self.context, runtime, offset_of!(abi::Runtime, caller));
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }

    fn signature(&self, ty: entity::Type) -> Signature {
        signature_of(
            self.env.isa,
            self.env.signatures[ty].as_ref().expect("lowering refuses types that registers cannot hold"),
        )
    }

    /// Room for operands and results in words, of one callee after the other.
    fn words_area(&mut self, size: u32) -> Value {
        let slot = *self.words_slot.get_or_insert_with(|| {
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4);
            self.b.create_sized_stack_slot(data)
        });
        let slots = &mut self.b.func.sized_stack_slots;
        slots[slot].size = slots[slot].size.max(size);
        self.b.ins().stack_addr(types::I64, slot, 0)
    }

    /// All arguments: context and address of results first.
    fn call_args(&mut self, ty: entity::Type, first: [Option<Value>; 2], args: &[Arg]) -> Values {
        let signature = self.env.signatures[ty].as_ref().expect("lowering refuses types that registers cannot hold");
        let mut values: Values = first.into_iter().flatten().collect();
        for (&arg, &kind) in args.iter().zip(&signature.params) {
            let value = self.arg(arg, passed_as(kind));
            values.push(value);
        }
        values
    }

    /// A function of the unit.
    fn function(&mut self, func: Func, signature: Signature) -> FuncRef {
        if let Some(&found) = self.functions.get(&func) {
            return found;
        }
        let name = UserExternalName::new(0, func.as_u32());
        let name = self.b.func.declare_imported_user_function(name);
        let signature = self.import(signature);
        let data = ExtFuncData { name: ExternalName::User(name), signature, colocated: true, patchable: false };
        let imported = self.b.import_function(data);
        self.functions.insert(func, imported);
        imported
    }

    /// The reference to a function of the module.
    pub(crate) fn reference(&mut self, func: Func) -> Value {
        if let Some(object) = self.env.object {
            return object.address_of(&mut self.b, Datum::Callee(func));
        }
        let functions = self.load_constant(types::I64, self.context, offset_of!(abi::Context, functions));
        self.load_constant(types::I64, functions, func.index() * 8)
    }

    /// The function at an index of a table, of a type.
    fn element(&mut self, table: u32, index: Arg, ty: entity::Type) -> Value {
        let index = self.arg(index, types::I32);
        let index = self.b.ins().uextend(types::I64, index);
        let (start, len) = self.items(table);
        let beyond = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, len);
        self.stop_if(beyond, Reason::Trap(TrapKind::OutOfBoundsTable));
        let offset = self.b.ins().ishl_imm_s(index, 3);
        let at = self.b.ins().iadd(start, offset);
        let callee = self.load(Region::Tables, types::I64, at, 0);
        let mut flags = self.flags(Region::Context);
        if self.env.options.guard_pages {
            // At address 0 nothing can be accessed.
            flags = flags.with_trap_code(Some(self.fault(TrapKind::UninitializedElement)));
        } else {
            let null = self.b.ins().icmp_imm_s(IntCC::Equal, callee, 0);
            self.stop_if(null, Reason::Trap(TrapKind::UninitializedElement));
        }
        let (wanted, given) = if self.env.object.is_some() {
            (self.object_type(ty), object::CALLEE_TYPE)
        } else {
            let numbers = self.load_constant(types::I64, self.context, offset_of!(abi::Context, types));
            let wanted = self.load_constant(types::I32, numbers, ty.index() * 4);
            (wanted, offset_of!(abi::Callee, ty))
        };
        let given = self.b.ins().load(types::I32, flags, callee, given as i32);
        let other = self.b.ins().icmp(IntCC::NotEqual, wanted, given);
        self.stop_if(other, Reason::Trap(TrapKind::IndirectCallType));
        callee
    }

    /// First element and number of elements of a table. Growth by no element leaves it where it is.
    pub(crate) fn items(&mut self, table: u32) -> (Value, Value) {
        let data = &self.env.module.tables[entity::Table::from_u32(table)];
        let table = match self.env.object {
            Some(object) => self.in_instance(object.layout.tables[table as usize]),
            None => {
                let tables = self.load_constant(types::I64, self.context, offset_of!(abi::Context, tables));
                self.load_constant(types::I64, tables, table as usize * 8)
            }
        };
        if data.max == Some(data.min) {
            // It never grows, so it does not move.
            let start = self.load_constant(types::I64, table, offset_of!(abi::Items, start));
            return (start, self.b.ins().iconst(types::I64, i64::from(data.min)));
        }
        let start = self.load(Region::Context, types::I64, table, offset_of!(abi::Items, start));
        let len = self.load(Region::Context, types::I64, table, offset_of!(abi::Items, len));
        (start, len)
    }

    /// An operation that the runtime does.
    pub(crate) fn through_runtime(&mut self, node: &Node) {
        let operation = Operation {
            op: node.op,
            imm: node.imm,
            operand: node.operand,
            result: node.result,
            args: node.args_len.into(),
            results: node.outs_len.into(),
        };
        if let Some(object) = self.env.object {
            return self.through_symbols(node, operation, object);
        }
        let number = (self.number)(operation);
        match operation.by_registers() {
            Some(count) => self.define(node, number, count),
            None => self.operate(node, number),
        }
    }

    /// Calls the definition of an op.
    fn define(&mut self, node: &Node, number: u32, count: usize) {
        let operations = self.load_constant(types::I64, self.context, offset_of!(abi::Context, operations));
        let definition = self.load_constant(types::I64, operations, number as usize * 8);
        let mut args = Values::from_slice(&[definition]);
        let kinds = self.operand_kinds(node);
        for (&arg, &kind) in self.code.args_of(node).iter().zip(&kinds) {
            let value = self.arg(arg, type_of(kind));
            args.push(self.as_type(value, types::I64));
        }
        let runtime = self.runtime();
        let offset = offset_of!(abi::Runtime, define) + 8 * (count - 1);
        let code = self.load_constant(types::I64, runtime, offset);
        let signature = runtime_signature(self.env.isa, &[types::I64; 4][..=count], Some(types::I64));
        let signature = self.import(signature);
        let call = self.b.ins().call_indirect(signature, code, &args);
        let word = self.b.inst_results(call)[0];
        let value = self.as_type(word, type_of(node.result));
        self.set(node.outs, value);
    }

    /// Kinds of the operands of an operation, one by one.
    pub(crate) fn operand_kinds(&self, node: &Node) -> SmallVec<[Kind; 4]> {
        let types = &self.env.module.types;
        let operands = operands_of(types, (node.op, node.imm), node.operand, node.args_len.into());
        operands.iter().flat_map(|operand| std::iter::repeat_n(operand.kind, operand.count)).collect()
    }

    /// Stores the operands of an operation as words, where its results will be; and the kinds of these.
    pub(crate) fn operands_in_memory(&mut self, node: &Node) -> (Value, SmallVec<[Kind; 4]>) {
        let kinds = self.operand_kinds(node);
        let outs = node.outs..node.outs + u32::from(node.outs_len);
        let out_kinds: SmallVec<[Kind; 4]> = outs.map(|v| self.code.values[v as usize].kind).collect();
        let address = self.words_area(size_of(&kinds).max(size_of(&out_kinds)).max(8));
        let args = self.code.args_of(node).iter().zip(&kinds);
        let values: Values = args.map(|(&arg, &kind)| self.arg(arg, passed_as(kind))).collect();
        words::store(&mut self.b, address, &kinds, &values);
        (address, out_kinds)
    }

    /// Does an operation on words in memory.
    fn operate(&mut self, node: &Node, number: u32) {
        let (address, out_kinds) = self.operands_in_memory(node);
        let runtime = self.runtime();
        let code = self.load_constant(types::I64, runtime, offset_of!(abi::Runtime, operate));
        let signature = [types::I64, types::I32, types::I64];
        let signature = runtime_signature(self.env.isa, &signature, Some(types::I32));
        let signature = self.import(signature);
        let number = self.b.ins().iconst(types::I32, i64::from(number));
        let call = self.b.ins().call_indirect(signature, code, &[self.context, number, address]);
        let failed = self.b.inst_results(call)[0];
        self.stop_if(failed, Reason::Noted);
        self.results_from_memory(node, address, &out_kinds);
        self.reload_memory();
    }

    /// Loads the results of an operation.
    pub(crate) fn results_from_memory(&mut self, node: &Node, address: Value, kinds: &[Kind]) {
        let results = words::load(&mut self.b, address, kinds);
        for ((v, &kind), value) in (node.outs..).zip(kinds).zip(results) {
            let value = self.as_type(value, type_of(kind));
            self.set(v, value);
        }
    }
}

/// The arguments of a call, and the operand that selects the callee.
fn split(args: &[Arg]) -> (&[Arg], Arg) {
    let (&callee, args) = args.split_last().expect("a call says what it calls");
    (args, callee)
}
