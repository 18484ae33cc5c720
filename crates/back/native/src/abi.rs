//! The memory that code and its runtime share.
//!
//! # Calls
//!
//! A function of a module has the calling convention `tail` of Cranelift, with the [`Context`] of its instance before its
//! arguments. A reference to a function is the address of a [`Callee`], whose code takes the callee's own context. The
//! host enters by an adapter with the convention of C ([`crate::Adapters::enter`]), which takes arguments from words and
//! puts results there; code calls a function of the host by another ([`crate::Adapters::leave`]).
//!
//! # Promises of the runtime
//!
//! - All pointers of a [`Context`] lead to what they say while code runs, and nothing but code and the runtime's own
//!   functions changes it meanwhile.
//! - Code runs on a stack with at least [`RESERVE`] bytes, and the largest frame of a function, below [`Runtime::stack_limit`].
//! - [`Runtime::stop`] does not return.
//! - Where memories have guard pages, a memory does not move, and a fault at an instruction of [`crate::Unit::faults`]
//!   stops code as its word says.

use std::ffi::c_void;

/// Bytes of the stack below its limit: for functions that call no other, for the runtime and for functions of the host.
pub const RESERVE: usize = 1 << 18;

/// Bytes beyond the largest memory that cannot be accessed, where memories have guard pages
/// ([`crate::Options::guard_pages`]): accesses at larger offsets are compared with the size.
pub const GUARD: u32 = 32 << 20;

/// Bytes of addresses of a memory with guard pages: of those beyond its size none can be accessed.
pub const RESERVATION: usize = (1 << 32) + GUARD as usize;

/// An instance, as its code sees it.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    /// That of the store.
    pub runtime: *mut Runtime,
    /// Addresses of the words of its variables.
    pub globals: *const *mut u64,
    /// Its memories.
    pub memories: *const *mut Bytes,
    /// Its tables.
    pub tables: *const *mut Items,
    /// References to its functions, by number.
    pub functions: *const *mut Callee,
    /// Numbers of the function types, which are equal for equal types of all modules, by type of the module.
    pub types: *const u32,
    /// The operations of its unit: addresses of definitions on scalars, or what the runtime wants.
    pub operations: *const usize,
    /// The first byte of memory 0, where memories have guard pages.
    pub memory: *mut u8,
    /// The runtime's own.
    pub instance: *mut c_void,
}

/// The state that the instances of a store share.
#[repr(C)]
#[derive(Debug)]
pub struct Runtime {
    /// The stack pointer to which [`Runtime::stop`] returns.
    pub entry: usize,
    /// The stop: the function of the unit in the upper half, and the number of its [`crate::Stop`].
    pub stopped: u64,
    /// The unit of the function: its address is its name.
    pub stopped_in: *mut Context,
    /// The context of the code that called another instance or the host last.
    pub caller: *mut Context,
    /// Calls do not begin below this address.
    pub stack_limit: usize,
    /// Remaining fuel.
    pub fuel: i64,
    /// Leads to a number that is not zero if code is to stop. Another thread may write it.
    pub interrupt: *const u32,
    /// `extern "C" fn(runtime, context, stop) -> !`
    pub stop: *const c_void,
    /// `extern "C" fn(context, number, words) -> u32`: does operation `number`, with operands and results in words. Not
    /// zero if it fails.
    pub operate: *const c_void,
    /// `extern "C" fn(callee, words) -> u32`: calls a function of the host, with arguments and results in words.
    pub call: *const c_void,
    /// `extern "C" fn(definition, word, …) -> word`: calls a definition with one, two or three operands.
    pub define: [*const c_void; 3],
    /// `extern "C" fn(to, from, count)`: copies bytes, which may overlap.
    pub copy: *const c_void,
    /// `extern "C" fn(to, byte, count)`: sets bytes.
    pub fill: *const c_void,
    /// Bytes of the largest frame of all functions; the runtime's own.
    pub largest_frame: usize,
    /// The runtime's own.
    pub store: *mut c_void,
    /// The runtime's own: where code may trap by a fault.
    pub faults: *const c_void,
}

/// The target of a function reference.
#[repr(C)]
#[derive(Debug)]
pub struct Callee {
    /// That of the store: first, as in a [`Context`].
    pub runtime: *mut Runtime,
    /// Its code; an adapter for functions of the host.
    pub code: *const c_void,
    /// The first argument of its code: a [`Context`], or, for functions of the host, the callee itself.
    pub context: *mut c_void,
    /// The number of its type.
    pub ty: u32,
}

/// A byte memory.
#[repr(C)]
#[derive(Debug)]
pub struct Bytes {
    /// Its first byte.
    pub start: *mut u8,
    /// Number of bytes.
    pub size: usize,
}

/// A table.
#[repr(C)]
#[derive(Debug)]
pub struct Items {
    /// Its first element.
    pub start: *mut u64,
    /// Number of elements.
    pub len: usize,
}
