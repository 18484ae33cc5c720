//! Code that makes an instance, and that gives its memory back.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, BlockArg, Function, InstBuilder, Signature, Value, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use planish_back_header::interface::join;
use planish_back_header::layout::{FIRST, at};
use planish_back_header::traps::{IMPORT_MISMATCH, code_of};
use planish_back_header::{CLayout, scalar_of};
use planish_ir::arena::Id;
use planish_ir::entity::{Memory, Table, Var};
use planish_ir::function::TrapKind;
use planish_ir::module::{ElemItem, ElemSegment, MemoryData, Offset};
use planish_ir::source::Span;
use planish_machine::isa::Kind;

use super::code::{c_param, flags};
use super::ctype;
use super::symbols::{Datum, Scope};
use super::wrappers::{Glue, LOCAL_INIT, WORD};
use crate::words;

impl Glue<'_> {
    /// The function that C calls to make an instance: instance, the embedder's pointer, imports.
    pub(crate) fn init(&self, scratch: &mut FunctionBuilderContext) -> (u32, Function) {
        let mut signature = Signature::new(self.isa.default_call_conv());
        signature.params.extend([AbiParam::new(types::I64); 2]);
        signature.params.extend(self.interface.imported_memories.iter().map(|_| AbiParam::new(types::I64)));
        let param = |&(_, _, var): &(String, _, Var)| match scalar_of(self.module, self.module.vars[var].ty) {
            Some(kind) => c_param(self.isa, kind),
            None => AbiParam::new(types::I64),
        };
        signature.params.extend(self.interface.imported_vars.iter().map(param));
        let name = join(&self.interface.prefix, "init");
        self.define(&name, Scope::Exported, signature, scratch, |glue, b, params| {
            let (instance, user) = (params[0], params[1]);
            glue.begin_instance(b, instance, Some(user));
            glue.copy_image(b, instance);
            let (memories, vars) = params[2..].split_at(glue.interface.imported_memories.len());
            for (&(_, _, memory), &given) in glue.interface.imported_memories.iter().zip(memories) {
                glue.import_memory(b, instance, memory, given);
            }
            for (&(_, _, var), &given) in glue.interface.imported_vars.iter().zip(vars) {
                glue.import_var(b, instance, var, given);
            }
            glue.fill(b, instance);
            b.ins().return_(&[]);
        })
    }

    /// The function that makes an instance in the frame of a shader.
    pub(crate) fn local_init(&self, scratch: &mut FunctionBuilderContext) -> (u32, Function) {
        let signature = self.local_init_signature();
        self.define(LOCAL_INIT, Scope::Local, signature, scratch, |glue, b, params| {
            glue.begin_instance(b, params[0], None);
            glue.copy_image(b, params[0]);
            glue.fill(b, params[0]);
            b.ins().return_(&[]);
        })
    }

    /// The function that C calls for an instance that it no longer needs.
    pub(crate) fn free(&self, scratch: &mut FunctionBuilderContext) -> (u32, Function) {
        let mut signature = Signature::new(self.isa.default_call_conv());
        signature.params.push(AbiParam::new(types::I64));
        let name = join(&self.interface.prefix, "free");
        self.define(&name, Scope::Exported, signature, scratch, |glue, b, params| {
            for place in glue.object.layout.memories.iter().filter(|place| !place.is_imported) {
                let memory = b.ins().iadd_imm_s(params[0], i64::from(place.offset));
                glue.object.call_runtime(b, glue.isa, "planish_memory_free", &[memory], false);
            }
            for &offset in &glue.object.layout.tables {
                let table = b.ins().iadd_imm_s(params[0], i64::from(offset));
                glue.object.call_runtime(b, glue.isa, "planish_table_free", &[table], false);
            }
            b.ins().return_(&[]);
        })
    }

    /// The words of a new instance: those of the image, then zeros.
    pub(super) fn copy_image(&self, b: &mut FunctionBuilder<'_>, instance: Value) {
        let layout = self.object.layout;
        let end = FIRST + 8 * layout.image.len() as u32;
        if end > FIRST {
            let image = self.object.address_of(b, Datum::Image);
            each_word(b, FIRST, end, |b, offset| {
                let from = b.ins().iadd(image, offset);
                let word = b.ins().load(WORD, flags(), from, -(FIRST as i32));
                let to = b.ins().iadd(instance, offset);
                b.ins().store(flags(), word, to, 0);
            });
        }
        if layout.size > end {
            let zero = b.ins().iconst(WORD, 0);
            each_word(b, end, layout.size, |b, offset| {
                let to = b.ins().iadd(instance, offset);
                b.ins().store(flags(), zero, to, 0);
            });
        }
    }

    fn import_memory(&self, b: &mut FunctionBuilder<'_>, instance: Value, memory: Memory, given: Value) {
        let place = at(&self.object.layout.memories, memory);
        b.ins().store(flags(), given, instance, place.offset as i32);
        let size = b.ins().load(WORD, flags(), given, 8);
        let least = u64::from(self.module.memories[memory].min_pages) * MemoryData::PAGE as u64;
        let least = b.ins().iconst(WORD, least as i64);
        let is_small = b.ins().icmp(IntCC::UnsignedLessThan, size, least);
        self.trap_if(b, is_small, IMPORT_MISMATCH);
    }

    fn import_var(&self, b: &mut FunctionBuilder<'_>, instance: Value, var: Var, given: Value) {
        let ty = self.module.vars[var].ty;
        let first = b.ins().iadd_imm_s(instance, i64::from(self.object.layout.offsets[var]));
        if let Some(kind) = scalar_of(self.module, ty) {
            let value = if kind == Kind::Bool { ctype::truth(b, given) } else { given };
            return words::store(b, first, &[kind], &[value]);
        }
        let layout = CLayout::of(self.module, ty).expect("the interface has types of C only");
        let kinds: Vec<Kind> = layout.parts.iter().map(|part| part.1).collect();
        let values: Vec<Value> = layout.parts.iter().map(|&(at, kind)| ctype::load(b, given, at, kind)).collect();
        words::store(b, first, &kinds, &values);
    }

    /// Memories, tables, computed variables, segments, in the order of an instantiation; then the start function.
    fn fill(&self, b: &mut FunctionBuilder<'_>, instance: Value) {
        let (module, layout) = (self.module, self.object.layout);
        for (memory, data) in module.memories.iter().filter(|(_, data)| data.import.is_none()) {
            let place = b.ins().iadd_imm_s(instance, i64::from(at(&layout.memories, memory).offset));
            self.allocate(b, "planish_memory_new", place, data.min_pages);
        }
        for (table, data) in module.tables.iter() {
            let place = b.ins().iadd_imm_s(instance, i64::from(at(&layout.tables, table)));
            self.allocate(b, "planish_table_new", place, data.min);
        }
        for &var in &layout.vars {
            let computed = module.vars[var].linkage.as_ref().and_then(|linkage| linkage.computed);
            if let Some(func) = computed {
                let values = self.call_program(b, func, instance, &[]);
                let signature = self.signatures[module.funcs[func].ty].as_ref().expect("it was compiled");
                let first = b.ins().iadd_imm_s(instance, i64::from(layout.offsets[var]));
                words::store(b, first, &signature.results, &values);
            }
        }
        for (id, elem) in module.elems.iter() {
            if let Some((table, offset)) = elem.active {
                let items = self.object.address_of(b, Datum::Elements(id));
                self.elements(b, instance, (table, offset), elem, items);
            }
        }
        for (id, data) in module.data.iter() {
            if let Some((memory, offset)) = data.active {
                let bytes = self.object.address_of(b, Datum::Segment(id));
                let memory = self.memory(b, instance, memory);
                let start = self.offset(b, instance, offset);
                let args = [memory, bytes, start];
                self.copy_in(b, "planish_memory_init", args, data.bytes.len(), TrapKind::OutOfBoundsMemory);
            }
        }
        if let Some(start) = module.start {
            self.call_program(b, start, instance, &[]);
        }
    }

    fn allocate(&self, b: &mut FunctionBuilder<'_>, name: &str, place: Value, least: u32) {
        let least = b.ins().iconst(WORD, i64::from(least));
        let failed = self.object.call_runtime(b, self.isa, name, &[place, least], true).expect("it has a result");
        self.trap_if(b, failed, code_of(TrapKind::OutOfMemory));
    }

    fn memory(&self, b: &mut FunctionBuilder<'_>, instance: Value, memory: Memory) -> Value {
        let place = at(&self.object.layout.memories, memory);
        if place.is_imported {
            b.ins().load(WORD, flags(), instance, place.offset as i32)
        } else {
            b.ins().iadd_imm_s(instance, i64::from(place.offset))
        }
    }

    fn offset(&self, b: &mut FunctionBuilder<'_>, instance: Value, offset: Offset) -> Value {
        match offset {
            Offset::Const(at) => b.ins().iconst(WORD, i64::from(at)),
            Offset::Var(var) => {
                let at = self.object.layout.offsets[var];
                let word = b.ins().load(types::I32, flags(), instance, at as i32);
                b.ins().uextend(WORD, word)
            }
        }
    }

    fn elements(
        &self,
        b: &mut FunctionBuilder<'_>,
        instance: Value,
        (table, offset): (Table, Offset),
        elem: &ElemSegment,
        items: Value,
    ) {
        let table = b.ins().iadd_imm_s(instance, i64::from(self.object.layout.tables[table.index()]));
        let start = self.offset(b, instance, offset);
        let trap = TrapKind::OutOfBoundsTable;
        self.copy_in(b, "planish_table_init", [table, items, start], elem.items.len(), trap);
        // Items that are values of variables follow one by one.
        for (i, item) in elem.items.iter().enumerate() {
            let ElemItem::Var(var) = *item else { continue };
            let value = b.ins().load(WORD, flags(), instance, self.object.layout.offsets[var] as i32);
            let index = b.ins().iadd_imm_s(start, i as i64);
            let one = b.ins().iconst(WORD, 1);
            let args = [table, index, value, one];
            let failed = self.object.call_runtime(b, self.isa, "planish_table_fill", &args, true);
            self.trap_if(b, failed.expect("it has a result"), code_of(trap));
        }
    }

    /// Copies a whole segment to its place.
    fn copy_in(
        &self,
        b: &mut FunctionBuilder<'_>,
        name: &str,
        [to, from, start]: [Value; 3],
        length: usize,
        trap: TrapKind,
    ) {
        let length = b.ins().iconst(WORD, length as i64);
        let first = b.ins().iconst(WORD, 0);
        let args = [to, from, length, start, first, length];
        let failed = self.object.call_runtime(b, self.isa, name, &args, true).expect("it has a result");
        self.trap_if(b, failed, code_of(trap));
    }

    pub(super) fn trap_if(&self, b: &mut FunctionBuilder<'_>, condition: Value, code: u32) {
        let (stop, next) = (b.create_block(), b.create_block());
        b.set_cold_block(stop);
        b.ins().brif(condition, stop, &[], next, &[]);
        b.switch_to_block(stop);
        self.object.trap(b, self.isa, code, (None, Span::NONE));
        b.switch_to_block(next);
    }
}

/// A loop over the offsets of words.
pub(super) fn each_word(
    b: &mut FunctionBuilder<'_>,
    start: u32,
    end: u32,
    body: impl FnOnce(&mut FunctionBuilder<'_>, Value),
) {
    each_step(b, (start, end, 8), body);
}

/// A loop over offsets, at least one.
pub(super) fn each_step(
    b: &mut FunctionBuilder<'_>,
    (start, end, step): (u32, u32, u32),
    body: impl FnOnce(&mut FunctionBuilder<'_>, Value),
) {
    let (header, next) = (b.create_block(), b.create_block());
    let offset = b.append_block_param(header, WORD);
    let first = b.ins().iconst(WORD, i64::from(start));
    b.ins().jump(header, &[BlockArg::Value(first)]);
    b.switch_to_block(header);
    body(b, offset);
    let following = b.ins().iadd_imm_s(offset, i64::from(step));
    let goes_on = b.ins().icmp_imm_s(IntCC::UnsignedLessThan, following, i64::from(end));
    b.ins().brif(goes_on, header, &[BlockArg::Value(following)], next, &[]);
    b.switch_to_block(next);
}
