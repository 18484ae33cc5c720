//! Shaders over batches of invocations: their interface in C, and the code that calls them.
//!
//! ```text
//! C ─► an instance in the frame: memories are what C points to (uniforms, inputs, outputs, buffers), and one of the code's own
//!    ─► a function of the module, for all batches
//! ```

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, Signature, StackSlotData, StackSlotKind, Value, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use planish_back_header::layout::at;
use planish_back_header::shaders::{FieldKind, ShaderEntry, ShaderGroup};
use planish_ir::entity::{Memory, Var};
use planish_ir::module::Offset;
use planish_ir::texture::Call;
use planish_machine::isa::Kind;

use super::code::{c_param, flags};
use super::init::{each_step, each_word};
use super::symbols::{self, Datum, Scope};
use super::wrappers::{Glue, WORD};
use crate::body::{signature_of, split_results};
use crate::words;

impl Glue<'_> {
    /// The function of an entry point, for C.
    pub(crate) fn shader(
        &self,
        entry: &ShaderEntry,
        c_name: &str,
        own: Option<(Memory, u32)>,
        scratch: &mut FunctionBuilderContext,
    ) -> (u32, Function) {
        let mut signature = Signature::new(self.isa.default_call_conv());
        signature.params.extend(entry.groups.iter().map(|_| AbiParam::new(WORD)));
        signature.params.extend(entry.numbers.iter().map(|numbers| match numbers.count {
            None => c_param(self.isa, Kind::U32),
            Some(_) => AbiParam::new(WORD),
        }));
        self.define(c_name, Scope::Exported, signature, scratch, |glue, b, params| {
            let (groups, numbers) = params.split_at(entry.groups.len());
            let mut args = Vec::new();
            for (numbers, &given) in entry.numbers.iter().zip(numbers) {
                match numbers.count {
                    None => args.push(given),
                    Some(count) => {
                        args.extend((0..count).map(|i| b.ins().load(types::I32, flags(), given, 4 * i as i32)))
                    }
                }
            }
            let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, glue.object.layout.size, 4);
            let slot = b.create_sized_stack_slot(slot);
            let instance = b.ins().stack_addr(WORD, slot, 0);
            let resources = entry.groups.iter().zip(groups).find(|(group, _)| group.name == "uniforms");
            glue.begin_instance(b, instance, resources.map(|(_, &given)| given));
            glue.copy_image(b, instance);
            for (group, &given) in entry.groups.iter().zip(groups) {
                let size = b.ins().iconst(WORD, i64::from(group.size));
                let size = match (group.is_repeated, args.first()) {
                    (true, Some(&count)) => {
                        let count = b.ins().uextend(WORD, count);
                        b.ins().imul(size, count)
                    }
                    _ => size,
                };
                glue.set_memory(b, instance, group.memory, [given, size]);
                glue.buffers(b, instance, group, given);
            }
            if let Some((memory, bytes)) = own {
                glue.own_memory(b, instance, memory, bytes);
            }
            glue.call_program(b, entry.func, instance, &args);
            b.ins().return_(&[]);
        })
    }

    /// Gives an instance a memory: its address and size.
    pub(super) fn set_memory(
        &self,
        b: &mut FunctionBuilder<'_>,
        instance: Value,
        memory: Memory,
        [data, size]: [Value; 2],
    ) {
        let place = at(&self.object.layout.memories, memory).offset as i32;
        b.ins().store(flags(), data, instance, place);
        b.ins().store(flags(), size, instance, place + 8);
    }

    /// The buffers of a structure.
    fn buffers(&self, b: &mut FunctionBuilder<'_>, instance: Value, group: &ShaderGroup, given: Value) {
        for field in &group.fields {
            let FieldKind::Buffer { memory, tail } = field.kind else { continue };
            let [data, size] = [0, 8].map(|at| b.ins().load(WORD, flags(), given, field.offset as i32 + at));
            self.set_memory(b, instance, memory, [data, size]);
            let is_used = |&(var, _, _): &(Var, u32, u32)| self.object.layout.vars.contains(&var);
            let Some((var, start, stride)) = tail.filter(is_used) else { continue };
            let start = b.ins().iconst(WORD, i64::from(start));
            let rest = b.ins().isub(size, start);
            let is_short = b.ins().icmp(IntCC::UnsignedLessThan, size, start);
            let zero = b.ins().iconst(WORD, 0);
            let rest = b.ins().select(is_short, zero, rest);
            let stride = b.ins().iconst(WORD, i64::from(stride.max(1)));
            let count = b.ins().udiv(rest, stride);
            let most = b.ins().iconst(WORD, i64::from(i32::MAX));
            let count = b.ins().umin(count, most);
            let count = b.ins().ireduce(types::I32, count);
            let place = b.ins().iadd_imm_s(instance, i64::from(self.object.layout.offsets[var]));
            words::store(b, place, &[Kind::U32], &[count]);
        }
    }

    /// A memory in the frame: zeros, and the bytes of the module's segments.
    fn own_memory(&self, b: &mut FunctionBuilder<'_>, instance: Value, memory: Memory, bytes: u32) {
        let bytes = bytes.next_multiple_of(16);
        let slot = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4));
        let start = b.ins().stack_addr(WORD, slot, 0);
        let size = b.ins().iconst(WORD, i64::from(bytes));
        self.set_memory(b, instance, memory, [start, size]);
        let zero = b.ins().iconst(WORD, 0);
        each_word(b, 0, bytes, |b, offset| {
            let to = b.ins().iadd(start, offset);
            b.ins().store(flags(), zero, to, 0);
        });
        for (id, data) in self.module.data.iter() {
            let (Some((of, Offset::Const(first))), len) = (data.active, data.bytes.len() as u32) else { continue };
            if of != memory || len == 0 {
                continue;
            }
            debug_assert!(len.is_multiple_of(4), "constants are words");
            let from = self.object.address_of(b, Datum::Segment(id));
            each_step(b, (0, len, 4), |b, offset| {
                let word = b.ins().iadd(from, offset);
                let word = b.ins().load(types::I32, flags(), word, 0);
                let to = b.ins().iadd(start, offset);
                b.ins().store(flags(), word, to, first as i32);
            });
        }
    }

    /// A texture op, for the program.
    pub(crate) fn texture(&self, index: usize, scratch: &mut FunctionBuilderContext) -> (u32, Function) {
        let (func, call) = &self.shaders.textures[index];
        let machine = self.signatures[self.module.funcs[*func].ty].as_ref().expect("the type was checked");
        let number = symbols::number_of(*func);
        self.build(number, signature_of(self.isa, machine), scratch, |glue, b, params| {
            let (in_registers, in_memory) = split_results(glue.isa, &machine.results);
            let (&context, mut args) = params.split_first().expect("the context comes first");
            let mut rest_at = None;
            if !in_memory.is_empty() {
                (rest_at, args) = (Some(args[0]), &args[1..]);
            }
            let room = 16 * args.len().max(machine.results.len()) as u32;
            let slot = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, room, 4));
            let words_at = b.ins().stack_addr(WORD, slot, 0);
            debug_assert_eq!(args.len() * 4, call.columns() * call.lanes as usize);
            for (i, &arg) in args.iter().enumerate() {
                b.ins().store(flags(), arg, words_at, 16 * i as i32);
            }
            let resources = b.ins().load(WORD, flags(), context, super::layout::USER as i32);
            let descriptor = glue.object.address_of(b, Datum::Texture(index as u32));
            glue.object.call_runtime(b, glue.isa, TEXTURE, &[descriptor, resources, words_at], false);
            let results: Vec<Value> = (0..machine.results.len())
                .map(|i| b.ins().load(types::I8X16, flags(), words_at, 16 * i as i32))
                .collect();
            let (results, others) = results.split_at(in_registers.len());
            if let Some(at) = rest_at {
                words::store(b, at, in_memory, others);
            }
            b.ins().return_(results);
        })
    }
}

/// The symbol that does texture ops. Its version changes with the numbers of ops.
const TEXTURE: &str = "planish_texture_v1";

/// Bytes of the words of a texture op.
pub(crate) fn bytes_of(call: &Call) -> Vec<u8> {
    call.words().into_iter().flat_map(u32::to_le_bytes).collect()
}
