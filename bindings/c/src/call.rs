//! Calls of functions in VL and WebAssembly.

use std::ffi::{CString, c_char};
use std::ptr;

use planish::vm::{Val, ValType};

use crate::message::{planish_messages, run};
use crate::program::planish_program;
use crate::text::{owned, text};

/// An instance of a program in VL or WebAssembly: its functions, with their memories and variables. Opaque.
#[allow(non_camel_case_types, reason = "as in C")]
pub struct planish_functions {
    functions: planish::Functions,
    names: Vec<CString>,
}

/// The type of a value.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(non_camel_case_types, reason = "as in C")]
pub enum planish_type {
    /// An integer of 32 bits; the truth values of VL are 0 and 1.
    I32,
    /// An integer of 64 bits.
    I64,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
    /// Something that C cannot hold here: 128 bits, or a reference.
    Other,
}

/// A value, of the type that the function has at its place.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "as in C")]
pub union planish_value {
    /// An integer of 32 bits.
    pub i32: i32,
    /// An integer of 64 bits.
    pub i64: i64,
    /// A float of 32 bits.
    pub f32: f32,
    /// A float of 64 bits.
    pub f64: f64,
}

fn type_of(ty: ValType) -> planish_type {
    match ty {
        ValType::I32 => planish_type::I32,
        ValType::I64 => planish_type::I64,
        ValType::F32 => planish_type::F32,
        ValType::F64 => planish_type::F64,
        _ => planish_type::Other,
    }
}

/// An instance of a program, which runs its start function. It runs as machine code where the host has it. NULL if it cannot be made.
///
/// # Safety
/// `program` is NULL, or comes from this library and has not been freed; `messages` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_functions_new(
    program: *const planish_program,
    messages: *mut *mut planish_messages,
) -> *mut planish_functions {
    let instantiate = || {
        // SAFETY: NULL, or one of ours.
        let Some(program) = (unsafe { program.as_ref() }) else {
            return Err(planish_messages::of_text("the program is NULL"));
        };
        let functions = program.0.instance()?;
        let names = functions.exports().iter().map(|(name, _)| owned(name)).collect();
        Ok((planish_functions { functions, names }, None))
    };
    // SAFETY: the contract of this function.
    unsafe { run(messages, instantiate) }.map_or(ptr::null_mut(), |functions| Box::into_raw(Box::new(functions)))
}

/// Number of functions; 0 of NULL.
///
/// # Safety
/// `functions` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_function_count(functions: *const planish_functions) -> usize {
    // SAFETY: NULL, or one of ours.
    unsafe { functions.as_ref() }.map_or(0, |functions| functions.names.len())
}

/// The name of a function, from 0 on; NULL behind the last.
///
/// # Safety
/// As of `planish_function_count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_function_name(functions: *const planish_functions, index: usize) -> *const c_char {
    // SAFETY: NULL, or one of ours.
    let name = unsafe { functions.as_ref() }.and_then(|functions| functions.names.get(index));
    name.map_or(ptr::null(), |name| name.as_ptr())
}

/// The numbers of parameters and results of a function; their types, for as many as there is room for. `types` has the parameters first,
/// then the results. Returns false if there is no function of this number.
///
/// # Safety
/// As of `planish_function_count`; `params` and `results` are NULL or may be written; `types` has room for `room` types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_function_type(
    functions: *const planish_functions,
    index: usize,
    params: *mut usize,
    results: *mut usize,
    types: *mut planish_type,
    room: usize,
) -> bool {
    // SAFETY: NULL, or one of ours.
    let Some((_, ty)) = unsafe { functions.as_ref() }.and_then(|of| of.functions.exports().get(index)) else {
        return false;
    };
    for (out, count) in [(params, ty.params().len()), (results, ty.results().len())] {
        if !out.is_null() {
            // SAFETY: not NULL, and by the contract of this function it may be written.
            unsafe { *out = count };
        }
    }
    let room = if types.is_null() { 0 } else { room };
    for (at, &ty) in ty.params().iter().chain(ty.results()).take(room).enumerate() {
        // SAFETY: not NULL, and by the contract of this function there is room.
        unsafe { *types.add(at) = type_of(ty) };
    }
    true
}

/// Calls a function by its name with `count` arguments, and writes its results to `results`, which has room for `room` of them. Returns
/// false if there is no such function, the numbers of arguments or results are others, or the program trapped; then nothing is written.
///
/// # Safety
/// `functions` is NULL, or comes from this library and has not been freed; no other thread uses it. There are `count` arguments, and there
/// is room for `room` results; `messages` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_call(
    functions: *mut planish_functions,
    name: *const c_char,
    arguments: *const planish_value,
    count: usize,
    results: *mut planish_value,
    room: usize,
    messages: *mut *mut planish_messages,
) -> bool {
    let call = || {
        // SAFETY: NULL, or one of ours that no other thread uses; and the contract of this function.
        let (Some(of), Some(name)) = (unsafe { (functions.as_mut(), text(name)) }) else {
            return Err(planish_messages::of_text("the functions, or the name, are NULL, or the name is not UTF-8"));
        };
        let exports = of.functions.exports();
        let Some((_, ty)) = exports.iter().find(|(known, _)| known == name) else {
            // The message lists those that there are.
            return Err(of.functions.call(name, &[]).err().map_or_else(|| planish_messages::of_text(""), Into::into));
        };
        let wrong = |what: &str, wanted: usize, given: usize| {
            planish_messages::of_text(&format!("`{name}` has {wanted} {what}, not {given}"))
        };
        if ty.params().len() != count || (count > 0 && arguments.is_null()) {
            return Err(wrong("parameters", ty.params().len(), if arguments.is_null() { 0 } else { count }));
        }
        if ty.results().len() > room || (!ty.results().is_empty() && results.is_null()) {
            return Err(wrong("results", ty.results().len(), if results.is_null() { 0 } else { room }));
        }
        let all = || ty.params().iter().chain(ty.results());
        if all().any(|&ty| type_of(ty) == planish_type::Other) {
            return Err(planish_messages::of_text(&format!("`{name}` has values that C cannot hold here")));
        }
        let argument = |(at, &ty): (usize, &ValType)| {
            // SAFETY: not NULL, and there are as many; all bits are values of these types.
            let value = unsafe { *arguments.add(at) };
            // SAFETY: as above; which of the members is meant is the caller's.
            unsafe {
                match ty {
                    ValType::I32 => Val::I32(value.i32),
                    ValType::I64 => Val::I64(value.i64),
                    ValType::F32 => Val::F32(value.f32.to_bits()),
                    _ => Val::F64(value.f64.to_bits()),
                }
            }
        };
        let values: Vec<Val> = ty.params().iter().enumerate().map(argument).collect();
        Ok((of.functions.call(name, &values)?, None))
    };
    // SAFETY: the contract of this function.
    let Some(values) = (unsafe { run(messages, call) }) else { return false };
    for (at, value) in values.into_iter().enumerate() {
        let value = match value {
            Val::I32(value) => planish_value { i32: value },
            Val::I64(value) => planish_value { i64: value },
            Val::F32(bits) => planish_value { f32: f32::from_bits(bits) },
            Val::F64(bits) => planish_value { f64: f64::from_bits(bits) },
            _ => continue,
        };
        // SAFETY: not NULL, and there is room for as many.
        unsafe { *results.add(at) = value };
    }
    true
}

/// Frees an instance.
///
/// # Safety
/// `functions` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_functions_free(functions: *mut planish_functions) {
    if !functions.is_null() {
        // SAFETY: made by `planish_functions_new`, and not freed before.
        drop(unsafe { Box::from_raw(functions) });
    }
}
