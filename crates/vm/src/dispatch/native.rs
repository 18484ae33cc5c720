//! Calls of machine code, and what it calls.
//!
//! # Soundness
//!
//! - Code is that of [`planish_back_native`], which addresses only what [`abi::Context`] leads to: every index of a memory
//!   or table is compared with its size, or ends in pages that cannot be accessed ([`super::faults`]), every callee's type with the type that the call expects. All of it is owned by the
//!   world (and the modules of its instances), whose store is borrowed while code runs.
//! - [`enter`] keeps the registers that the convention of C requires to be kept, whether code returns or stops.
//!   [`stop`] leaves frames of code behind, none of Rust: a function of this module that code calls has returned before
//!   code decides to stop.
//! - No panic unwinds through code: [`call`] catches those of functions of the host, and they go on in [`run_code`].
//! - The stack has [`abi::RESERVE`] bytes and the largest frame below the limit that every function with calls compares the
//!   stack pointer with, after its prologue; functions without calls take less than that reserve. A function of the host may
//!   add an instance with a larger frame: [`call`] raises the limit before code goes on. Where the thread's stack is too
//!   small, code runs on one of its own (`stacker`).

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use planish_back_native::{FAILED, OVERFLOW, abi};
use planish_ir::entity::Type;
use planish_ir::function::TrapKind;
use smallvec::SmallVec;

use super::faults::{self, Faults};
use super::instance::{Entry, InstanceData};
use super::owned::Owned;
use super::storage::{MemoryData, TableData};
use super::{Cx, Fp, Stop};
use crate::error::Error;
use crate::native::{self, NativeCode};

/// A context, and the code that gets it.
#[repr(C)]
pub(crate) struct View {
    context: abi::Context,
    code: *const NativeCode,
}

/// An instance in the view of code, with the tables that it leads to.
pub(crate) struct NativeInstance {
    view: Owned<View>,
    #[allow(dead_code)]
    memories: Vec<*mut abi::Bytes>,
    #[allow(dead_code)]
    tables: Vec<*mut abi::Items>,
    #[allow(dead_code)]
    types: Vec<u32>,
}

impl NativeInstance {
    /// For an instance of a module, and code of the module that lives as long.
    pub(super) fn new(
        runtime: *mut abi::Runtime,
        code: &NativeCode,
        instance: *mut InstanceData,
        data: &InstanceData,
    ) -> Self {
        // SAFETY: memories and tables are live; their views are first.
        let view = |&memory: &*mut MemoryData| unsafe { &raw mut (*memory).view };
        let memories: Vec<_> = data.memories.iter().map(view).collect();
        // SAFETY: as above.
        let view = |&table: &*mut TableData| unsafe { &raw mut (*table).view };
        let tables: Vec<_> = data.tables.iter().map(view).collect();
        let type_ids = &data.module.type_ids;
        let types: Vec<u32> = (0..data.module.types.len()).map(|i| type_ids[Type::from_u32(i as u32)]).collect();
        let context = abi::Context {
            runtime,
            globals: data.globals.as_ptr(),
            memories: memories.as_ptr(),
            tables: tables.as_ptr(),
            functions: data.entries.as_ptr().cast(),
            types: types.as_ptr(),
            memory: data.first_memory_start(),
            operations: code.definitions(),
            instance: instance.cast(),
        };
        NativeInstance { view: Owned::new(Box::new(View { context, code })), memories, tables, types }
    }

    /// The context that its code gets.
    pub(super) fn context(&self) -> *mut abi::Context {
        self.view.pointer().cast()
    }

    /// The code that gets it.
    pub(super) fn code(&self) -> *const NativeCode {
        self.view.get().code
    }

    /// Has the runtime know how large the frames of its code are, and where it may fault.
    ///
    /// # Safety
    /// The runtime is that of its world, in which no code runs that has not called what calls this.
    pub(super) unsafe fn make_known(&self, runtime: *mut abi::Runtime) {
        let code = self.view.get().code;
        let largest = &mut (*runtime).largest_frame;
        *largest = (*code).largest_frame().max(*largest);
        let faults: *mut Faults = (*runtime).faults.cast_mut().cast();
        if !faults.is_null() {
            (*faults).add_code(code, self.context());
        }
    }
}

/// The runtime of a world.
pub(super) fn runtime(interrupt: *const u32, faults: *mut Faults) -> abi::Runtime {
    abi::Runtime {
        entry: 0,
        stopped: 0,
        stopped_in: std::ptr::null_mut(),
        caller: std::ptr::null_mut(),
        stack_limit: 0,
        fuel: 0,
        interrupt,
        stop: stop as *const c_void,
        operate: operate as *const c_void,
        call: call as *const c_void,
        copy: copy as *const c_void,
        fill: fill as *const c_void,
        largest_frame: 0,
        define: [define1 as *const c_void, define2 as *const c_void, define3 as *const c_void],
        store: std::ptr::null_mut(),
        faults: faults.cast_const().cast(),
    }
}

/// The end of [`enter`] and of [`stop`]: restores what `enter` has kept, and returns to its caller.
#[cfg(target_arch = "x86_64")]
macro_rules! leave {
    () => {
        "
        add rsp, 8
        pop rdx
        pop rcx
        mov qword ptr [rcx], rdx
        pop r15
        pop r14
        pop r13
        pop r12
        pop rbx
        pop rbp
        ret
        "
    };
}

/// As above.
#[cfg(target_arch = "aarch64")]
macro_rules! leave {
    () => {
        "
        ldp x10, x11, [sp, #160]
        str x11, [x10]
        ldp x19, x20, [sp, #16]
        ldp x21, x22, [sp, #32]
        ldp x23, x24, [sp, #48]
        ldp x25, x26, [sp, #64]
        ldp x27, x28, [sp, #80]
        ldp d8, d9, [sp, #96]
        ldp d10, d11, [sp, #112]
        ldp d12, d13, [sp, #128]
        ldp d14, d15, [sp, #144]
        ldp x29, x30, [sp], #176
        ret
        "
    };
}

/// Calls code: `adapter(context, words, code)`; 1 if it has stopped.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn enter(
    runtime: *mut abi::Runtime,
    adapter: *const c_void,
    context: *mut c_void,
    words: *mut u64,
    code: *const c_void,
) -> u32 {
    std::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdi",
        "push qword ptr [rdi]",
        "sub rsp, 8",
        "mov qword ptr [rdi], rsp",
        "mov rax, rsi",
        "mov rdi, rdx",
        "mov rsi, rcx",
        "mov rdx, r8",
        "call rax",
        "xor eax, eax",
        leave!(),
    )
}

/// Leaves code: returns from the last [`enter`]. [`abi::Runtime::stop`].
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn stop(runtime: *mut abi::Runtime, context: *mut abi::Context, word: u64) -> ! {
    std::arch::naked_asm!(
        "mov qword ptr [rdi + {stopped}], rdx",
        "mov qword ptr [rdi + {stopped_in}], rsi",
        "mov rsp, qword ptr [rdi]",
        "mov eax, 1",
        leave!(),
        stopped = const std::mem::offset_of!(abi::Runtime, stopped),
        stopped_in = const std::mem::offset_of!(abi::Runtime, stopped_in),
    )
}

/// As above.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn enter(
    runtime: *mut abi::Runtime,
    adapter: *const c_void,
    context: *mut c_void,
    words: *mut u64,
    code: *const c_void,
) -> u32 {
    std::arch::naked_asm!(
        "stp x29, x30, [sp, #-176]!",
        "mov x29, sp",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]",
        "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "ldr x9, [x0]",
        "stp x0, x9, [sp, #160]",
        "mov x10, sp",
        "str x10, [x0]",
        "mov x9, x1",
        "mov x0, x2",
        "mov x1, x3",
        "mov x2, x4",
        "blr x9",
        "mov w0, #0",
        leave!(),
    )
}

/// As above.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn stop(runtime: *mut abi::Runtime, context: *mut abi::Context, word: u64) -> ! {
    std::arch::naked_asm!(
        "str x2, [x0, #{stopped}]",
        "str x1, [x0, #{stopped_in}]",
        "ldr x9, [x0]",
        "mov sp, x9",
        "mov w0, #1",
        leave!(),
        stopped = const std::mem::offset_of!(abi::Runtime, stopped),
        stopped_in = const std::mem::offset_of!(abi::Runtime, stopped_in),
    )
}

/// The address of [`stop`], at which code goes on after a fault.
pub(super) fn stop_code() -> *const c_void {
    stop as *const c_void
}

/// Stands for the code of a function of the host that has no adapter.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn refuse(callee: *mut abi::Callee) -> ! {
    std::arch::naked_asm!(
        "mov rsi, rdi",
        "mov rdi, qword ptr [rdi]",
        "mov rdx, {word}",
        "sub rsp, 8",
        "jmp {stop}",
        word = const REFUSED as i64,
        stop = sym stop,
    )
}

/// As above.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn refuse(callee: *mut abi::Callee) -> ! {
    std::arch::naked_asm!(
        "mov x1, x0",
        "ldr x0, [x0]",
        "mov x2, #{word}",
        "b {stop}",
        word = const REFUSED as i64,
        stop = sym stop,
    )
}

/// The word of a stop in [`refuse`].
const REFUSED: u64 = u64::MAX - 2;

/// The code of a function of the host for which there is no memory: calls of it fail.
pub(crate) fn refusal() -> *const c_void {
    refuse as *const c_void
}

/// Bytes of the largest stack of code.
const MAX_STACK: usize = 1 << 28;

/// An address near the end of the stack in use.
#[inline(never)]
fn here() -> usize {
    let mark = 0u8;
    (&raw const mark).addr()
}

/// Calls the code of an entry, with its arguments in words and its results there afterwards.
///
/// # Safety
/// The entry has code, of the world that `cx` runs in. `words` has room for arguments and results, and belongs to the
/// world's stack, free from `base` on.
pub(super) unsafe fn run(cx: *mut Cx, entry: *mut Entry, words: Fp, stack_bytes: usize) -> Result<(), Stop> {
    with_stack(cx, (*entry).callee.runtime, stack_bytes, || run_entry(cx, entry, words))
}

/// Does what calls code, on a stack with room for so many bytes of it.
///
/// # Safety
/// The runtime is that of the world that `cx` runs in.
pub(super) unsafe fn with_stack<R>(
    cx: *mut Cx,
    runtime: *mut abi::Runtime,
    stack_bytes: usize,
    f: impl FnOnce() -> R,
) -> R {
    let stack_bytes = stack_bytes.min(MAX_STACK);
    let room = stack_bytes + abi::RESERVE + below_limit(runtime);
    let f = || {
        (*cx).lowest = here().saturating_sub(stack_bytes + below_limit(runtime));
        f()
    };
    // Not every system tells the end of a thread's stack.
    if stacker::remaining_stack().is_some_and(|rest| rest < room) {
        return stacker::grow(room, f);
    }
    f()
}

/// Calls the code of an entry, on the stack of `cx`.
///
/// # Safety
/// As [`run`]; within [`with_stack`].
pub(super) unsafe fn run_entry(cx: *mut Cx, entry: *mut Entry, words: Fp) -> Result<(), Stop> {
    let callee = &(*entry).callee;
    run_code(cx, callee.runtime, (*entry).enter, callee.context, words, callee.code)
}

/// Calls `adapter(context, words, code)`, which has the convention of C.
///
/// # Safety
/// As [`run_entry`], for code that is no entry's.
pub(super) unsafe fn run_code(
    cx: *mut Cx,
    runtime: *mut abi::Runtime,
    adapter: *const c_void,
    context: *mut c_void,
    words: Fp,
    code: *const c_void,
) -> Result<(), Stop> {
    let limit = (*cx).lowest + below_limit(runtime);
    if here() < limit {
        return Err(Stop::Trap(TrapKind::StackOverflow));
    }
    let outside = ((*runtime).store, (*runtime).stack_limit, (*runtime).caller);
    (*runtime).store = cx.cast();
    (*runtime).stack_limit = limit;
    (*runtime).fuel = (*cx).fuel;
    let around = faults::run(runtime);
    let stopped = enter(runtime, adapter, context, words, code);
    faults::run(around);
    (*cx).fuel = (*runtime).fuel;
    ((*runtime).store, (*runtime).stack_limit, (*runtime).caller) = outside;
    if stopped == 0 {
        return Ok(());
    }
    if let Some(panic) = (*cx).panic.take() {
        resume_unwind(panic);
    }
    Err(why(cx, runtime))
}

/// Bytes of the stack that code may take below its limit.
unsafe fn below_limit(runtime: *mut abi::Runtime) -> usize {
    abi::RESERVE + (*runtime).largest_frame
}

/// The reason for which code has stopped.
unsafe fn why(cx: *mut Cx, runtime: *mut abi::Runtime) -> Stop {
    let noted = (*cx).stop.take();
    match (*runtime).stopped {
        FAILED => noted.unwrap_or(Stop::Trap(TrapKind::Unreachable)),
        OVERFLOW => Stop::Trap(TrapKind::StackOverflow),
        REFUSED => Stop::Error(Error::Limit("there is no memory for code that calls the host".into())),
        word => {
            let view: *mut View = (*runtime).stopped_in.cast();
            let instance: *mut InstanceData = (*view).context.instance.cast();
            let module = &(*instance).module;
            match (*(*view).code).stop_at(word) {
                Some(at) => Stop::Error(native::error_of(module, at, noted)),
                None => Stop::Trap(TrapKind::Unreachable),
            }
        }
    }
}

/// [`abi::Runtime::operate`].
unsafe extern "C" fn operate(context: *mut abi::Context, number: u32, words: *mut u64) -> u32 {
    let instance: *mut InstanceData = (*context).instance.cast();
    let view: *mut View = context.cast();
    let Some((rare, count)) = (*(*view).code).rare(number) else { return 1 };
    let args: SmallVec<[u64; 8]> = (0..count).map(|i| *words.add(i)).collect();
    let mut results = SmallVec::<[u64; 4]>::new();
    if let Err(stop) = (*instance).rare(rare, &args, &mut results) {
        let cx: *mut Cx = (*(*context).runtime).store.cast();
        (*cx).stop = Some(stop);
        return 1;
    }
    results.iter().enumerate().for_each(|(i, &word)| *words.add(i) = word);
    0
}

/// [`abi::Runtime::call`]: a function of the host, or one that the virtual machine runs.
unsafe extern "C" fn call(callee: *mut abi::Callee, words: *mut u64) -> u32 {
    // The callee is the first part of its entry.
    let entry: *mut Entry = callee.cast();
    let runtime = (*callee).runtime;
    let cx: *mut Cx = (*runtime).store.cast();
    if !(*entry).is_host() {
        let called = catch_unwind(AssertUnwindSafe(|| super::tiers::call_machine(entry, words, cx)));
        (*runtime).stack_limit = (*cx).lowest + below_limit(runtime);
        return match called {
            Ok(done) => u32::from(!done),
            Err(panic) => {
                (*cx).panic = Some(panic);
                1
            }
        };
    }
    let fp = (*cx).free;
    let room = (*entry).host_words();
    if (*cx).limit.offset_from_unsigned(fp) < room {
        (*cx).stop = Some(Stop::Trap(TrapKind::StackOverflow));
        return 1;
    }
    (*cx).instance = match (*runtime).caller {
        caller if caller.is_null() => std::ptr::null_mut(),
        caller => (*caller).instance.cast(),
    };
    (*cx).fuel = (*runtime).fuel;
    (0..(*entry).words.0 as usize).for_each(|i| *fp.add(i) = *words.add(i));
    (*cx).free = fp.add(room);
    let called = catch_unwind(AssertUnwindSafe(|| ((*cx).host)(cx, entry, fp)));
    (*cx).free = fp;
    (*runtime).fuel = (*cx).fuel;
    (*runtime).stack_limit = (*cx).lowest + below_limit(runtime);
    match called {
        Ok(Ok(())) => {
            (0..(*entry).words.1 as usize).for_each(|i| *words.add(i) = *fp.add(i));
            0
        }
        Ok(Err(stop)) => {
            (*cx).stop = Some(stop);
            1
        }
        Err(panic) => {
            (*cx).panic = Some(panic);
            1
        }
    }
}

/// [`abi::Runtime::copy`]: code has compared both places with the sizes of their memories.
unsafe extern "C" fn copy(to: *mut u8, from: *const u8, count: usize) {
    std::ptr::copy(from, to, count);
}

/// [`abi::Runtime::fill`]: as above.
unsafe extern "C" fn fill(to: *mut u8, byte: u64, count: usize) {
    std::ptr::write_bytes(to, byte as u8, count);
}

/// [`abi::Runtime::define`], with one operand.
unsafe extern "C" fn define1(definition: usize, x: u64) -> u64 {
    let f = std::mem::transmute::<*const (), fn(u64) -> u64>(std::ptr::with_exposed_provenance(definition));
    f(x)
}

/// With two operands.
unsafe extern "C" fn define2(definition: usize, x: u64, y: u64) -> u64 {
    let f = std::mem::transmute::<*const (), fn(u64, u64) -> u64>(std::ptr::with_exposed_provenance(definition));
    f(x, y)
}

/// With three operands.
unsafe extern "C" fn define3(definition: usize, x: u64, y: u64, z: u64) -> u64 {
    let f = std::mem::transmute::<*const (), fn(u64, u64, u64) -> u64>(std::ptr::with_exposed_provenance(definition));
    f(x, y, z)
}

/// A panic of a function of the host, until code has been left.
pub(crate) type Panic = Option<Box<dyn Any + Send>>;

/// The adapters of an entry's type, noted at its first call from outside.
pub(super) unsafe fn prepare(entry: *mut Entry, module: &crate::module::ModuleInner) -> Result<(), Error> {
    if (*entry).enter.is_null()
        && let Some(native) = module.engine.native()
        && let Some(ty) = module.engine.func_type((*entry).callee.ty)
    {
        (*entry).enter = native.adapters(&ty)?.enter();
    }
    Ok(())
}
