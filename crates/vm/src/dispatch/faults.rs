//! Faults of the processor at guard pages, which are traps of the program.
//!
//! Machine code accesses a memory with guard pages ([`super::reservation`]) without a check. Beyond the memory's size the
//! processor raises a fault, and the system calls [`handle`] on the thread that runs the code. If the instruction is one of
//! those at which code may trap, the thread goes on in [`super::native::stop`], as if the code had called it; else the
//! handler that was there before is called.
//!
//! # Soundness
//!
//! - The handler is installed once, before the first code that needs it exists, and stays. It allocates nothing, takes no
//!   lock, and calls nothing but `sigaction`, `raise` and the handler that was there before.
//! - It reads a variable of the thread, which has no destructor and is initialized when the thread begins; the runtime that
//!   this names; and the lists of that runtime's world ([`Faults`]). The world is borrowed while its code runs, on the same
//!   thread, so the lists and the code they name live. They only grow, and a node is complete before it is linked.
//! - A fault that is not code's finds the variable as it is, but its instruction is not in a list, or its address is not in a
//!   reservation. Functions of the runtime and of the host, the code of other stores and other threads are thus passed on,
//!   and so is a signal that another process sends.
//! - [`super::native::stop`] needs no stack: it takes that of the last [`super::native`] `enter` on this thread, whose runtime
//!   is the one that the variable names. It is reached by returning from the handler, so that the system restores the
//!   signal mask and leaves the alternate stack. An instruction at which code may trap lies in code alone, and no frame of
//!   Rust is between it and that `enter`.
//! - The handler runs on the alternate stack of the thread, if it has one (the threads of the standard library do), so that
//!   the handler that was there before can report an overflow of the stack; else on the stack of code, which has room
//!   ([`planish_back_native::abi::RESERVE`]).

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use planish_back_native::abi;
use rustc_hash::FxHashSet;

use crate::native::NativeCode;

/// A list that a signal handler may read while it grows.
struct List<T>(AtomicPtr<Node<T>>);

struct Node<T> {
    item: T,
    next: *mut Node<T>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List(AtomicPtr::new(null_mut()))
    }
}

impl<T> List<T> {
    fn push(&mut self, item: T) {
        let next = *self.0.get_mut();
        self.0.store(Box::into_raw(Box::new(Node { item, next })), Ordering::Release);
    }

    fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<&T> {
        let mut at = self.0.load(Ordering::Acquire);
        // SAFETY: nodes are freed with the list only.
        while let Some(node) = unsafe { at.as_ref() } {
            if wanted(&node.item) {
                return Some(&node.item);
            }
            at = node.next;
        }
        None
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        let mut at = *self.0.get_mut();
        while !at.is_null() {
            // SAFETY: it comes from a box, and nothing else refers to it.
            let node = unsafe { Box::from_raw(at) };
            at = node.next;
        }
    }
}

/// The code of a world in which faults are traps, and the addresses at which they may be.
#[derive(Default)]
pub(super) struct Faults {
    codes: List<Code>,
    /// First addresses of reservations.
    memories: List<usize>,
    known: FxHashSet<*const NativeCode>,
}

/// Code of a module.
struct Code {
    code: *const NativeCode,
    /// Of an instance of the module.
    context: *mut abi::Context,
}

impl Faults {
    /// Adds the code of an instance. Both live as long as this.
    pub(super) fn add_code(&mut self, code: *const NativeCode, context: *mut abi::Context) {
        if self.known.insert(code) {
            self.codes.push(Code { code, context });
        }
    }

    /// Adds a reservation, which lives as long as this.
    pub(super) fn add_memory(&mut self, start: *const u8) {
        self.memories.push(start.addr());
    }

    /// The context and the word of the stop at an instruction that accesses an address.
    fn stop_at(&self, pc: usize, address: usize) -> Option<(*mut abi::Context, u64)> {
        // A null reference is an address below the size of a [`abi::Callee`].
        if address >= size_of::<abi::Callee>() {
            self.memories.find(|&start| address.wrapping_sub(start) < super::reservation::Reservation::SIZE)?;
        }
        // SAFETY: code lives as long as the list.
        let code = self.codes.find(|code| unsafe { (*code.code).contains(pc) })?;
        // SAFETY: as above.
        Some((code.context, unsafe { (*code.code).fault_at(pc) }?))
    }
}

thread_local! {
    /// The runtime of the code that this thread runs; null if it runs none.
    static RUNNING: Cell<*mut abi::Runtime> = const { Cell::new(null_mut()) };
}

/// Notes the runtime whose code this thread runs from now on; returns the one before.
pub(super) fn run(runtime: *mut abi::Runtime) -> *mut abi::Runtime {
    RUNNING.replace(runtime)
}

/// The signals of an access that the system does not allow.
const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// The handlers that were there before.
static BEFORE: [OnceLock<libc::sigaction>; 2] = [const { OnceLock::new() }; 2];

/// Has faults of code become traps; `false` if the system does not allow it. Once for the process.
pub(crate) fn install() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED
        .get_or_init(|| registers::KNOWN && SIGNALS.iter().zip(&BEFORE).all(|(&signal, before)| add(signal, before)))
}

fn add(signal: c_int, before: &OnceLock<libc::sigaction>) -> bool {
    // SAFETY: all bits zero is a valid `sigaction`, which `sigaction` reads and writes.
    unsafe {
        let mut old = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        // Known before the first call of the new one.
        if libc::sigaction(signal, null(), &raw mut old) != 0 || before.set(old).is_err() {
            return false;
        }
        let mut new = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        new.sa_sigaction = handle as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut new.sa_mask);
        libc::sigaction(signal, &raw const new, null_mut()) == 0
    }
}

unsafe extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let runtime = RUNNING.get();
    // Of a fault, as against a signal that a process sends, the system gives a positive code.
    if !runtime.is_null() && (*info).si_code > 0 {
        let faults: *const Faults = (*runtime).faults.cast();
        let pc = registers::pc(context);
        if let Some((instance, word)) = (*faults).stop_at(pc, (*info).si_addr().addr()) {
            let code = super::native::stop_code();
            registers::call(context, code, [runtime.addr() as u64, instance.addr() as u64, word]);
            return;
        }
    }
    pass_on(signal, info, context);
}

/// Calls the handler that was there before.
unsafe fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let sent = (*info).si_code <= 0;
    let at = usize::from(signal != SIGNALS[0]);
    let Some(before) = BEFORE[at].get() else { return };
    match before.sa_sigaction {
        libc::SIG_IGN if sent => {}
        libc::SIG_DFL | libc::SIG_IGN => {
            // The instruction is executed again when this returns, and ends the process.
            libc::sigaction(signal, before, null_mut());
            if sent {
                libc::raise(signal);
            }
        }
        handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
            let handler: unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                std::mem::transmute(handler as *const ());
            handler(signal, info, context);
        }
        handler => {
            let handler: unsafe extern "C" fn(c_int) = std::mem::transmute(handler as *const ());
            handler(signal);
        }
    }
}

/// The registers of an interrupted thread: `pc` reads the address of the instruction, `call` has the thread go on as if it
/// called a function with three arguments when the handler returns.
mod registers {
    use std::ffi::c_void;

    /// Whether this module knows the system.
    pub(super) const KNOWN: bool = cfg!(any(target_os = "linux", target_os = "android", target_vendor = "apple"));

    #[cfg(all(target_arch = "x86_64", any(target_os = "linux", target_os = "android")))]
    pub(super) unsafe fn pc(context: *mut c_void) -> usize {
        (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize
    }

    #[cfg(all(target_arch = "x86_64", any(target_os = "linux", target_os = "android")))]
    pub(super) unsafe fn call(context: *mut c_void, code: *const c_void, args: [u64; 3]) {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] = code.addr() as i64;
        for (register, arg) in [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX].into_iter().zip(args) {
            registers[register as usize] = arg as i64;
        }
    }

    #[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "android")))]
    pub(super) unsafe fn pc(context: *mut c_void) -> usize {
        (*context.cast::<libc::ucontext_t>()).uc_mcontext.pc as usize
    }

    #[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "android")))]
    pub(super) unsafe fn call(context: *mut c_void, code: *const c_void, args: [u64; 3]) {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext;
        registers.pc = code.addr() as u64;
        registers.regs[..3].copy_from_slice(&args);
    }

    #[cfg(all(target_arch = "x86_64", target_vendor = "apple"))]
    pub(super) unsafe fn pc(context: *mut c_void) -> usize {
        (*(*context.cast::<libc::ucontext_t>()).uc_mcontext).__ss.__rip as usize
    }

    #[cfg(all(target_arch = "x86_64", target_vendor = "apple"))]
    pub(super) unsafe fn call(context: *mut c_void, code: *const c_void, [first, second, third]: [u64; 3]) {
        let registers = &mut (*(*context.cast::<libc::ucontext_t>()).uc_mcontext).__ss;
        registers.__rip = code.addr() as u64;
        (registers.__rdi, registers.__rsi, registers.__rdx) = (first, second, third);
    }

    #[cfg(all(target_arch = "aarch64", target_vendor = "apple"))]
    pub(super) unsafe fn pc(context: *mut c_void) -> usize {
        (*(*context.cast::<libc::ucontext_t>()).uc_mcontext).__ss.__pc as usize
    }

    #[cfg(all(target_arch = "aarch64", target_vendor = "apple"))]
    pub(super) unsafe fn call(context: *mut c_void, code: *const c_void, args: [u64; 3]) {
        let registers = &mut (*(*context.cast::<libc::ucontext_t>()).uc_mcontext).__ss;
        registers.__pc = code.addr() as u64;
        registers.__x[..3].copy_from_slice(&args);
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    pub(super) unsafe fn pc(_: *mut c_void) -> usize {
        unreachable!("the handler is not installed")
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    pub(super) unsafe fn call(_: *mut c_void, _: *const c_void, _: [u64; 3]) {
        unreachable!("the handler is not installed")
    }
}
