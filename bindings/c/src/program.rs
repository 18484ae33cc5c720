//! Programs: read once, written for as many targets as one likes.

use std::ffi::{c_char, c_void};
use std::ptr;

use planish::{IncludeResolver, Program, Source, TARGETS, Target};

use crate::message::{planish_messages, run};
use crate::output::planish_output;
use crate::settings::{Includes, planish_settings};
use crate::text::{bytes, text};

/// A program that was read and optimized, or a stage of one. It never changes. Opaque.
#[allow(non_camel_case_types, reason = "as in C")]
pub struct planish_program(pub(crate) Program);

/// The source of a program, or of a stage of one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "as in C")]
pub struct planish_source {
    /// Its name in messages. The extension, as in `sky.frag`, selects the language and the stage unless the settings do.
    pub name: *const c_char,
    /// Text, or the bytes of SPIR-V or WebAssembly.
    pub data: *const c_void,
    /// Number of bytes.
    pub size: usize,
}

/// A source of the caller's.
///
/// # Safety
/// The name ends in a NUL byte, the data has as many bytes.
unsafe fn source<'s>(of: planish_source) -> Result<Source<'s>, Box<planish_messages>> {
    // SAFETY: the contract of this function.
    let (name, bytes) = unsafe { (text(of.name), bytes(of.data, of.size)) };
    match name {
        Some(name) if !of.data.is_null() || of.size == 0 => Ok(Source { name, bytes }),
        Some(_) => Err(planish_messages::of_text("the source is NULL")),
        None => Err(planish_messages::of_text("the name of a source is NULL, or is not UTF-8")),
    }
}

/// Settings of the caller's, where NULL stands for the default.
///
/// # Safety
/// `settings` is NULL, or comes from this library and has not been freed.
unsafe fn with_settings<T>(settings: *const planish_settings, call: impl FnOnce(&planish_settings) -> T) -> T {
    // SAFETY: NULL, or one of ours.
    match unsafe { settings.as_ref() } {
        Some(settings) => call(settings),
        None => {
            let own = planish_settings::default();
            call(&own)
        }
    }
}

/// The target of this name.
///
/// # Safety
/// The name is NULL, or ends in a NUL byte.
unsafe fn target(name: *const c_char) -> Result<Target, Box<planish_messages>> {
    // SAFETY: the contract of this function.
    let Some(name) = (unsafe { text(name) }) else {
        return Err(planish_messages::of_text("the name of the target is NULL, or is not UTF-8"));
    };
    name.parse().map_err(|message: String| planish_messages::of_text(&message))
}

/// Reads and optimizes a program. NULL settings are the default. Returns NULL if it has errors. `messages`, if it is not NULL, gets its
/// errors and warnings, or NULL if there are none.
///
/// # Safety
/// The pointers are NULL, or as their types say; `messages` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_program_new(
    settings: *const planish_settings,
    of: planish_source,
    messages: *mut *mut planish_messages,
) -> *mut planish_program {
    let mut program = ptr::null_mut();
    // SAFETY: the contract of this function; there is one source, and room for one program.
    unsafe { planish_stages_new(settings, &raw const of, 1, &raw mut program, messages) };
    program
}

/// The same for all stages of a program, whose varyings get the same locations. Writes a program for each to `programs`, and returns true;
/// if one has errors it writes NULLs, and returns false.
///
/// # Safety
/// As of `planish_program_new`; there are `count` sources, and `programs` has room for as many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_stages_new(
    settings: *const planish_settings,
    sources: *const planish_source,
    count: usize,
    programs: *mut *mut planish_program,
    messages: *mut *mut planish_messages,
) -> bool {
    let read = || {
        if count > 0 && (sources.is_null() || programs.is_null()) {
            return Err(planish_messages::of_text("the sources, or the programs, are NULL"));
        }
        // SAFETY: the contract of this function.
        let all: Vec<Source<'_>> =
            (0..count).map(|at| unsafe { source(*sources.add(at)) }).collect::<Result<_, _>>()?;
        let stages = |settings: &planish_settings| {
            let mut includes = Includes(settings);
            Program::stages(&all, &settings.settings, Some(&mut includes as &mut dyn IncludeResolver))
        };
        // SAFETY: the contract of this function.
        let stages = unsafe { with_settings(settings, stages) }?;
        let warnings = stages.first().filter(|stage| !stage.warnings.is_empty());
        let warnings = warnings.map(|stage| planish_messages::new(stage.warnings.clone(), stage.map.clone()));
        Ok((stages, warnings))
    };
    // SAFETY: the contract of this function.
    let stages = unsafe { run(messages, read) };
    let is_read = stages.is_some();
    let mut stages = stages.unwrap_or_default().into_iter();
    for at in 0..if programs.is_null() { 0 } else { count } {
        let program = stages.next().map_or(ptr::null_mut(), |stage| Box::into_raw(Box::new(planish_program(stage))));
        // SAFETY: not NULL, and there is room for as many as there are sources.
        unsafe { *programs.add(at) = program };
    }
    is_read
}

/// Writes a program for a target: `glsl`, `wgsl`, `spirv`, `msl`, `hlsl`, `wasm`, `js`, `c`, `rust`, `object`, `reflect` (JSON), … Returns
/// NULL if it cannot hold the program.
///
/// # Safety
/// As of `planish_program_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_program_emit(
    program: *const planish_program,
    target_name: *const c_char,
    messages: *mut *mut planish_messages,
) -> *mut planish_output {
    let emit = || {
        // SAFETY: NULL, or one of ours.
        let Some(program) = (unsafe { program.as_ref() }) else {
            return Err(planish_messages::of_text("the program is NULL"));
        };
        // SAFETY: the contract of this function.
        let mut artifact = program.0.emit(unsafe { target(target_name) }?)?;
        let warnings = std::mem::take(&mut artifact.diagnostics);
        let warnings = (!warnings.is_empty()).then(|| planish_messages::new(warnings, program.0.map.clone()));
        Ok((planish_output::of_artifact(artifact), warnings))
    };
    // SAFETY: the contract of this function.
    unsafe { run(messages, emit) }.map_or(ptr::null_mut(), planish_output::into_raw)
}

/// Reads a program and writes it for one target, with the settings for it: a graph is made of the operations that graphs have.
///
/// # Safety
/// As of `planish_program_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_compile(
    settings: *const planish_settings,
    of: planish_source,
    target_name: *const c_char,
    messages: *mut *mut planish_messages,
) -> *mut planish_output {
    let compile = || {
        // SAFETY: the contract of this function.
        let (source, target) = unsafe { (source(of)?, target(target_name)?) };
        let compile = |settings: &planish_settings| {
            let mut includes = Includes(settings);
            planish::compile_with(source, target, &settings.settings, Some(&mut includes as &mut dyn IncludeResolver))
        };
        // SAFETY: the contract of this function.
        let (artifact, warnings) = unsafe { with_settings(settings, compile) }?;
        let warnings = (!warnings.diagnostics.is_empty()).then(|| Box::<planish_messages>::from(warnings));
        Ok((planish_output::of_artifact(artifact), warnings))
    };
    // SAFETY: the contract of this function.
    unsafe { run(messages, compile) }.map_or(ptr::null_mut(), planish_output::into_raw)
}

/// Errors and warnings of a program, which is not optimized; NULL if there are none.
///
/// # Safety
/// As of `planish_program_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_check(settings: *const planish_settings, of: planish_source) -> *mut planish_messages {
    let mut messages = ptr::null_mut();
    let check = || {
        // SAFETY: the contract of this function.
        let source = unsafe { source(of) }?;
        let check = |settings: &planish_settings| {
            let mut includes = Includes(settings);
            Program::check(source, &settings.settings, Some(&mut includes as &mut dyn IncludeResolver))
        };
        // SAFETY: the contract of this function.
        let (diagnostics, map) = unsafe { with_settings(settings, check) };
        Ok(((), (!diagnostics.is_empty()).then(|| planish_messages::new(diagnostics, map))))
    };
    // SAFETY: a place of our own.
    unsafe { run(&raw mut messages, check) };
    messages
}

/// Frees a program.
///
/// # Safety
/// `program` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_program_free(program: *mut planish_program) {
    if !program.is_null() {
        // SAFETY: made by `planish_stages_new`, and not freed before.
        drop(unsafe { Box::from_raw(program) });
    }
}

/// The explanation of a code, in Markdown; NULL if there is no such code.
///
/// # Safety
/// `code` is NULL, or ends in a NUL byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_explain(code: *const c_char) -> *mut planish_output {
    // SAFETY: the contract of this function.
    let page = unsafe { text(code) }.and_then(planish::explain);
    page.map_or(ptr::null_mut(), |page| planish_output::new(page.as_bytes().to_vec(), None).into_raw())
}

/// The name of a target, from 0 on; NULL behind the last.
#[unsafe(no_mangle)]
pub extern "C" fn planish_target_name(index: usize) -> *const c_char {
    static NAMES: std::sync::OnceLock<Vec<std::ffi::CString>> = std::sync::OnceLock::new();
    let names = NAMES.get_or_init(|| TARGETS.iter().map(|target| crate::text::owned(target.name)).collect());
    names.get(index).map_or(ptr::null(), |name| name.as_ptr())
}

/// The version of the library, as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn planish_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
