//! Adapters between code and words in memory, one for each signature and direction.
//!
//! ```text
//! enter: extern "C" fn(context, words, code)      loads the arguments, calls the code, stores the results
//! leave: convention of code, with a callee of the host in place of a context: stores the arguments, calls
//!        the runtime, loads the results
//! ```

use std::mem::offset_of;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, UserFuncName, Value, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use smallvec::SmallVec;

use crate::abi;
use crate::body::{runtime_signature, signature_of, size_of, split_results};
use crate::faults;
use crate::host::Host;
use crate::words;

/// The word that `leave` hands to [`abi::Runtime::stop`]: the function of the host has noted why it failed.
pub const FAILED: u64 = u64::MAX;

/// The word that `leave` hands to [`abi::Runtime::stop`] if the stack has no room for a function of the host.
pub const OVERFLOW: u64 = u64::MAX - 1;

/// Code of both adapters of a signature. It runs at any address.
#[derive(Clone, Debug)]
pub struct Adapters {
    /// From the host into code.
    pub enter: Vec<u8>,
    /// From code to the host.
    pub leave: Vec<u8>,
}

impl Adapters {
    /// The adapters of a signature.
    ///
    /// # Errors
    /// If Cranelift refuses it: the reason.
    pub fn new(host: &Host, signature: &planish_machine::Signature) -> Result<Self, String> {
        Ok(Adapters { enter: enter(host, signature)?, leave: leave(host, signature)? })
    }
}

fn generate(host: &Host, function: Function) -> Result<Vec<u8>, String> {
    let mut context = Context::for_function(function);
    let code = context.compile(&*host.0, &mut ControlPlane::default()).map_err(|error| format!("{:?}", error.inner))?;
    debug_assert!(code.buffer.relocs().is_empty(), "an adapter names no function");
    Ok(code.code_buffer().to_vec())
}

/// Words are aligned, and no other memory is accessed.
fn flags() -> MemFlagsData {
    MemFlagsData::trusted()
}

fn enter(host: &Host, signature: &planish_machine::Signature) -> Result<Vec<u8>, String> {
    let isa = &*host.0;
    let own = runtime_signature(isa, &[types::I64; 3], None);
    let mut function = Function::with_name_signature(UserFuncName::user(1, 0), own);
    let mut scratch = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut scratch);
    let block = b.create_block();
    b.append_block_params_for_function_params(block);
    b.switch_to_block(block);
    let [context, words, code] = *b.block_params(block) else { unreachable!("three parameters") };
    let mut args = SmallVec::<[Value; 8]>::from_slice(&[context]);
    let (in_registers, in_memory) = split_results(isa, &signature.results);
    // Results lie where the arguments were, in order.
    let rest = (!in_memory.is_empty()).then(|| {
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, size_of(in_memory), 4);
        let slot = b.create_sized_stack_slot(slot);
        b.ins().stack_addr(types::I64, slot, 0)
    });
    args.extend(rest);
    args.extend(words::load(&mut b, words, &signature.params));
    let callee = b.import_signature(signature_of(isa, signature));
    let call = b.ins().call_indirect(callee, code, &args);
    let mut results: SmallVec<[Value; 8]> = b.inst_results(call).into();
    debug_assert_eq!(results.len(), in_registers.len());
    if let Some(at) = rest {
        results.extend(words::load(&mut b, at, in_memory));
    }
    words::store(&mut b, words, &signature.results, &results);
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(isa.frontend_config());
    generate(host, function)
}

fn leave(host: &Host, signature: &planish_machine::Signature) -> Result<Vec<u8>, String> {
    let isa = &*host.0;
    let mut function = Function::with_name_signature(UserFuncName::user(2, 0), signature_of(isa, signature));
    let mut scratch = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut scratch);
    let block = b.create_block();
    b.append_block_params_for_function_params(block);
    b.switch_to_block(block);
    let params: SmallVec<[Value; 8]> = b.block_params(block).into();
    let (callee, mut args) = params.split_first().expect("the callee comes first");
    let (in_registers, in_memory) = split_results(isa, &signature.results);
    let mut rest = None;
    if !in_memory.is_empty() {
        (rest, args) = (Some(args[0]), &args[1..]);
    }
    let runtime = b.ins().load(types::I64, flags(), *callee, offset_of!(abi::Callee, runtime) as i32);
    let limit = b.ins().load(types::I64, flags(), runtime, offset_of!(abi::Runtime, stack_limit) as i32);
    let pointer = b.ins().get_stack_pointer(types::I64);
    let below = b.ins().icmp(IntCC::UnsignedLessThan, pointer, limit);
    stop_if(&mut b, host, below, runtime, *callee, OVERFLOW);
    let size = size_of(&signature.params).max(size_of(&signature.results)).max(8);
    let slot = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4));
    let words = b.ins().stack_addr(types::I64, slot, 0);
    words::store(&mut b, words, &signature.params, args);
    let code = b.ins().load(types::I64, flags(), runtime, offset_of!(abi::Runtime, call) as i32);
    let of_call = Signature {
        params: vec![AbiParam::new(types::I64); 2],
        returns: vec![AbiParam::new(types::I32)],
        call_conv: isa.default_call_conv(),
    };
    let of_call = b.import_signature(of_call);
    let call = b.ins().call_indirect(of_call, code, &[*callee, words]);
    let failed = b.inst_results(call)[0];
    stop_if(&mut b, host, failed, runtime, *callee, FAILED);
    let results = words::load(&mut b, words, &signature.results);
    let (results, others) = results.split_at(in_registers.len());
    if let Some(at) = rest {
        words::store(&mut b, at, in_memory, others);
    }
    b.ins().return_(results);
    b.seal_all_blocks();
    b.finalize(isa.frontend_config());
    generate(host, function)
}

/// Stops with a word if a condition is not zero.
fn stop_if(b: &mut FunctionBuilder<'_>, host: &Host, condition: Value, runtime: Value, callee: Value, word: u64) {
    let (stop, next) = (b.create_block(), b.create_block());
    b.set_cold_block(stop);
    b.ins().brif(condition, stop, &[], next, &[]);
    b.switch_to_block(stop);
    let code = b.ins().load(types::I64, flags(), runtime, offset_of!(abi::Runtime, stop) as i32);
    let signature = b.import_signature(runtime_signature(&*host.0, &[types::I64; 3], None));
    let word = b.ins().iconst(types::I64, word as i64);
    b.ins().call_indirect(signature, code, &[runtime, callee, word]);
    b.ins().trap(faults::never());
    b.switch_to_block(next);
}
