//! The functions that objects call.
//!
//! # Soundness
//!
//! Code of an object, which Planish writes, is the only caller. It passes
//! - addresses of memories and tables of an instance that its `init` has made, which nothing else accesses during the call;
//! - segments and operations of its own read-only data, with their lengths;
//! - words with room for all operands and all results of the operation, or of the texture op;
//! - the pointers to textures and samplers that the C program has put among the uniforms of the shader. That they are null or lead to
//!   textures with all their texels is a promise of the C program, as the header says.
//!
//! Everything that the program decides (places, lengths, sizes) is checked here, in safe code.

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use planish_ir::meaning::{Kernel, kernel};
use planish_ir::module::MemoryData;
use planish_ir::ops::Op;
use planish_ir::texture::{self, Call};
use planish_ir::types::{Dim, Scalar};

use crate::memory::{self, zeros};
use crate::operate::{Operation, operate};
pub use crate::texture::Sampler;
use crate::texture::{level_size, texel_number};

/// The functions on words for a row: operation, symbols for both widths, operands.
macro_rules! functions {
    ($($op:ident $single:ident $double:ident ($($x:ident),+);)*) => {
        $(
            functions!(@one $single, $op, F32, $($x),+);
            functions!(@one $double, $op, F64, $($x),+);
        )*
        /// Every function of its own, as the tests call it.
        #[cfg(test)]
        pub(crate) const FUNCTIONS: &[(Op, Scalar, crate::operate::Function)] = &[$(
            (Op::$op, Scalar::F32, functions!(@variant $single, $($x),+)),
            (Op::$op, Scalar::F64, functions!(@variant $double, $($x),+)),
        )*];
    };
    (@one $name:ident, $op:ident, $scalar:ident, $($x:ident),+) => {
        /// The operation of its name, on words.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($x: u64),+) -> u64 {
            static FUNCTION: OnceLock<functions!(@type $($x),+)> = OnceLock::new();
            let of = || match kernel(Op::$op, Scalar::$scalar) {
                Some(functions!(@kernel f $($x),+)) => f.one,
                _ => panic!("the operation has a definition"),
            };
            FUNCTION.get_or_init(of)($($x),+)
        }
    };
    (@type $x:ident) => { fn(u64) -> u64 };
    (@type $x:ident, $y:ident) => { fn(u64, u64) -> u64 };
    (@type $x:ident, $y:ident, $z:ident) => { fn(u64, u64, u64) -> u64 };
    (@kernel $f:ident $x:ident) => { Kernel::Unary($f) };
    (@kernel $f:ident $x:ident, $y:ident) => { Kernel::Binary($f) };
    (@kernel $f:ident $x:ident, $y:ident, $z:ident) => { Kernel::Ternary($f) };
    (@variant $name:ident, $x:ident) => { crate::operate::Function::Unary($name) };
    (@variant $name:ident, $x:ident, $y:ident) => { crate::operate::Function::Binary($name) };
    (@variant $name:ident, $x:ident, $y:ident, $z:ident) => { crate::operate::Function::Ternary($name) };
}

functions! {
    Radians planish_radians_f32 planish_radians_f64 (x);
    Degrees planish_degrees_f32 planish_degrees_f64 (x);
    Sin planish_sin_f32 planish_sin_f64 (x);
    Cos planish_cos_f32 planish_cos_f64 (x);
    Tan planish_tan_f32 planish_tan_f64 (x);
    Asin planish_asin_f32 planish_asin_f64 (x);
    Acos planish_acos_f32 planish_acos_f64 (x);
    Atan planish_atan_f32 planish_atan_f64 (x);
    Sinh planish_sinh_f32 planish_sinh_f64 (x);
    Cosh planish_cosh_f32 planish_cosh_f64 (x);
    Tanh planish_tanh_f32 planish_tanh_f64 (x);
    Asinh planish_asinh_f32 planish_asinh_f64 (x);
    Acosh planish_acosh_f32 planish_acosh_f64 (x);
    Atanh planish_atanh_f32 planish_atanh_f64 (x);
    Exp planish_exp_f32 planish_exp_f64 (x);
    Log planish_log_f32 planish_log_f64 (x);
    Exp2 planish_exp2_f32 planish_exp2_f64 (x);
    Log2 planish_log2_f32 planish_log2_f64 (x);
    InverseSqrt planish_inverse_sqrt_f32 planish_inverse_sqrt_f64 (x);
    Sign planish_sign_f32 planish_sign_f64 (x);
    Floor planish_floor_f32 planish_floor_f64 (x);
    Trunc planish_trunc_f32 planish_trunc_f64 (x);
    Round planish_round_f32 planish_round_f64 (x);
    RoundEven planish_round_even_f32 planish_round_even_f64 (x);
    Ceil planish_ceil_f32 planish_ceil_f64 (x);
    Fract planish_fract_f32 planish_fract_f64 (x);
    Saturate planish_saturate_f32 planish_saturate_f64 (x);
    IsInf planish_is_inf_f32 planish_is_inf_f64 (x);
    Atan2 planish_atan2_f32 planish_atan2_f64 (x, y);
    Hypot planish_hypot_f32 planish_hypot_f64 (x, y);
    Pow planish_pow_f32 planish_pow_f64 (x, y);
    Mod planish_mod_f32 planish_mod_f64 (x, y);
    Step planish_step_f32 planish_step_f64 (x, y);
    Ldexp planish_ldexp_f32 planish_ldexp_f64 (x, y);
    Mix planish_mix_f32 planish_mix_f64 (x, y, z);
    SmoothStep planish_smooth_step_f32 planish_smooth_step_f64 (x, y, z);
    Fma planish_fma_f32 planish_fma_f64 (x, y, z);
    Lerp planish_lerp_f32 planish_lerp_f64 (x, y, z);
}

/// Does any other operation, on words: operands give way to results. The version is that of the numbers of operations.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_operate_v1(operation: *const Operation, words: *mut u64) {
    // SAFETY: the operation is read-only data of the object.
    let operation = unsafe { &*operation };
    let (operands, results) = operation.words();
    // SAFETY: there is room for all operands and all results.
    let words = unsafe { std::slice::from_raw_parts_mut(words, operands.max(results)) };
    operate(operation, words);
}

/// A texture of the C program.
#[repr(C)]
#[derive(Debug)]
pub struct Texture {
    /// The texels of all levels, four words each; null: `texel` is called.
    texels: *const [u32; 4],
    texel: Option<unsafe extern "C" fn(*const Texture, u32, u32, u32, u32, *mut u32)>,
    user: *mut c_void,
    /// Width, height, and depth or layers of the first level.
    size: [u32; 3],
    levels: u32,
    sampler: Sampler,
}

/// A texture during a call.
struct View {
    texture: *const Texture,
    is_volume: bool,
}

// SAFETY: it does not leave the call, nor its thread. (Textures are shared between threads elsewhere.)
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    fn texture(&self) -> Option<&Texture> {
        // SAFETY: the C program has promised that it is null or a texture.
        unsafe { self.texture.as_ref() }
    }
}

impl texture::Texture for View {
    fn levels(&self) -> u32 {
        self.texture().map_or(1, |texture| texture.levels.max(1))
    }

    fn size(&self, level: u32) -> [u32; 3] {
        let size = self.texture().map_or([1; 3], |texture| texture.size);
        level_size(size, self.levels(), level, self.is_volume)
    }

    fn texel(&self, at: [u32; 3], level: u32) -> [u32; 4] {
        let opaque_black = [0, 0, 0, 1f32.to_bits()];
        let Some(texture) = self.texture() else { return opaque_black };
        let size = self.size(level);
        if (0..3).any(|axis| at[axis] >= size[axis]) {
            return [0; 4];
        }
        if !texture.texels.is_null() {
            let number = texel_number(texture.size, self.levels(), level, at, self.is_volume);
            // SAFETY: the place is one of the texture's, whose texels the C program has promised.
            return unsafe { *texture.texels.add(number) };
        }
        let mut words = [0; 4];
        if let Some(texel) = texture.texel {
            // SAFETY: the function is the C program's, for this.
            unsafe { texel(texture, at[0], at[1], at[2], level, words.as_mut_ptr()) };
        }
        words
    }
}

/// Does a texture op of all lanes, on columns of words: operands give way to results. The version is that of the numbers of operations.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_texture_v1(call: *const u32, resources: *const u8, words: *mut u32) {
    // SAFETY: the call is read-only data of the object, its first word the number of its words.
    let call = unsafe { std::slice::from_raw_parts(call, *call as usize) };
    let call = Call::read(call).expect("the object is of this version");
    let room = call.columns().max(call.results as usize) * call.lanes as usize;
    // SAFETY: there is room for all operands and all results.
    let words = unsafe { std::slice::from_raw_parts_mut(words, room) };
    let is_volume = call.image.dim == Dim::D3;
    call.run(words, |texture, sampler| {
        let at = call.texture.offset as usize + 8 * texture as usize;
        // SAFETY: there are as many pointers among the resources as the call has objects.
        let texture = unsafe { resources.add(at).cast::<*const Texture>().read_unaligned() };
        let view = View { texture, is_volume };
        let of_texture = view.texture().map_or(Sampler::default(), |texture| texture.sampler);
        let state = call.sampler.map_or(of_texture, |handle| {
            let at = handle.offset as usize + 8 * sampler as usize;
            // SAFETY: as above; the C program has promised that it is null or a sampler.
            unsafe { resources.add(at).cast::<*const Sampler>().read_unaligned().as_ref() }.copied().unwrap_or_default()
        });
        (Box::new(view), state.state())
    });
}

/// Items that an instance owns: the bytes of a memory, the references of a table. Code knows the first two members. Zero
/// before its allocation.
#[repr(C)]
#[derive(Debug)]
pub struct Items<T> {
    data: *mut T,
    size: usize,
    /// Items of the allocation, zero from `size` on.
    capacity: usize,
    /// The most that it may grow to: pages of a memory, items of a table.
    max: u64,
}

/// A byte memory.
pub type Memory = Items<u8>;

/// A table of references; 0 is null.
pub type Table = Items<u64>;

impl<T: Copy + Default> Items<T> {
    fn as_mut(&mut self) -> &mut [T] {
        if self.data.is_null() {
            return &mut [];
        }
        // SAFETY: `resize` has allocated them.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.size) }
    }

    /// Gets room for `size` items; those beyond the old ones are zero. `None` if there is no memory.
    fn resize(&mut self, size: usize, capacity: usize) -> Option<()> {
        if self.data.is_null() || size > self.capacity {
            let mut new = zeros(capacity).or_else(|| zeros(size))?;
            new[..self.size].copy_from_slice(self.as_mut());
            self.free();
            self.capacity = new.len();
            self.data = Box::into_raw(new).cast();
        }
        self.size = size;
        Some(())
    }

    fn free(&mut self) {
        let old = std::ptr::slice_from_raw_parts_mut(self.data, self.capacity);
        self.data = std::ptr::null_mut();
        if !old.is_null() {
            // SAFETY: `resize` has made it of a box, and it is gone from here.
            drop(unsafe { Box::from_raw(old) });
        }
    }
}

/// Makes a memory of a number of pages; not 0 if that fails.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_memory_new(memory: *mut Memory, pages: u64) -> u64 {
    let size = pages as usize * MemoryData::PAGE;
    // SAFETY: it belongs to the instance.
    failed(unsafe { (*memory).resize(size, size) })
}

/// Grows a memory by pages: the old number of pages, or -1.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_memory_grow(memory: *mut Memory, pages: u64) -> u64 {
    // SAFETY: it belongs to the instance.
    let memory = unsafe { &mut *memory };
    let old = memory.size / MemoryData::PAGE;
    let new = old as u64 + pages;
    if new > memory.max.min(MemoryData::MAX_PAGES.into()) {
        return u32::MAX.into();
    }
    let size = new as usize * MemoryData::PAGE;
    // With room to grow again.
    let capacity = (size + size / 2).min(MemoryData::MAX_PAGES as usize * MemoryData::PAGE);
    memory.resize(size, capacity).map_or(u32::MAX.into(), |()| old as u64)
}

/// Frees a memory.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_memory_free(memory: *mut Memory) {
    // SAFETY: it belongs to the instance.
    unsafe { (*memory).free() }
}

/// Makes a table of a number of items; not 0 if that fails.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_table_new(table: *mut Table, len: u64) -> u64 {
    // SAFETY: it belongs to the instance.
    failed(unsafe { (*table).resize(len as usize, len as usize) })
}

/// Grows a table by copies of an item: the old length, or -1.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_table_grow(table: *mut Table, item: u64, count: u64) -> u64 {
    // SAFETY: it belongs to the instance.
    let table = unsafe { &mut *table };
    let old = table.size;
    let new = old as u64 + count;
    if new > table.max.min(MAX_ITEMS) || table.resize(new as usize, new as usize + old / 2).is_none() {
        return u32::MAX.into();
    }
    table.as_mut()[old..].fill(item);
    old as u64
}

/// The most items of a table.
const MAX_ITEMS: u64 = 1 << 26;

/// Frees a table.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_table_free(table: *mut Table) {
    // SAFETY: it belongs to the instance.
    unsafe { (*table).free() }
}

/// Fills `len` bytes from `at` on; not 0 if that is out of bounds.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_memory_fill(memory: *mut Memory, at: u64, byte: u64, len: u64) -> u64 {
    // SAFETY: it belongs to the instance.
    failed(memory::fill(unsafe { (*memory).as_mut() }, at, byte as u8, len))
}

/// As [`planish_memory_fill`], for tables.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_table_fill(table: *mut Table, at: u64, item: u64, len: u64) -> u64 {
    // SAFETY: it belongs to the instance.
    failed(memory::fill(unsafe { (*table).as_mut() }, at, item, len))
}

/// Copies bytes between memories, which may be one; not 0 if that is out of bounds.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_memory_copy(to: *mut Memory, from: *mut Memory, at: u64, start: u64, len: u64) -> u64 {
    // SAFETY: they belong to the instance.
    failed(unsafe { copy(to, from, at, start, len) })
}

/// As [`planish_memory_copy`], for tables.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_table_copy(to: *mut Table, from: *mut Table, at: u64, start: u64, len: u64) -> u64 {
    // SAFETY: as above.
    failed(unsafe { copy(to, from, at, start, len) })
}

/// Copies items between runs, which may be one.
///
/// # Safety
/// Both are live, and nothing else accesses them.
unsafe fn copy<T: Copy + Default>(to: *mut Items<T>, from: *mut Items<T>, at: u64, start: u64, len: u64) -> Option<()> {
    if std::ptr::eq(to, from) {
        // SAFETY: as the caller promises.
        return memory::copy_within(unsafe { (*to).as_mut() }, at, start, len);
    }
    // SAFETY: as the caller promises; they are two.
    let (to, from) = unsafe { (&mut *to, &mut *from) };
    memory::copy(to.as_mut(), from.as_mut(), at, start, len)
}

/// Copies bytes of a segment, of which `size` are left; not 0 if that is out of bounds.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_memory_init(
    memory: *mut Memory,
    segment: *const u8,
    size: u64,
    at: u64,
    start: u64,
    len: u64,
) -> u64 {
    // SAFETY: the memory belongs to the instance, and the segment has `size` bytes of read-only data.
    let (memory, segment) = unsafe { (&mut *memory, std::slice::from_raw_parts(segment, size as usize)) };
    failed(memory::copy(memory.as_mut(), segment, at, start, len))
}

/// As [`planish_memory_init`], for tables.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_table_init(
    table: *mut Table,
    segment: *const u64,
    size: u64,
    at: u64,
    start: u64,
    len: u64,
) -> u64 {
    // SAFETY: the table belongs to the instance, and the segment has `size` items of read-only data.
    let (table, segment) = unsafe { (&mut *table, std::slice::from_raw_parts(segment, size as usize)) };
    failed(memory::copy(table.as_mut(), segment, at, start, len))
}

fn failed(done: Option<()>) -> u64 {
    u64::from(done.is_none())
}

/// `planish_trap` of programs that define none: prints a message and aborts.
///
/// # Safety
/// `function` is null or a string that ends with a zero byte.
unsafe extern "C" fn trap(code: i32, function: *const c_char, line: u32, column: u32) -> ! {
    // SAFETY: as the caller promises.
    let function = (!function.is_null()).then(|| unsafe { CStr::from_ptr(function) }.to_string_lossy());
    eprintln!("{}", crate::trap::message(code, function.as_deref(), line, column));
    std::process::abort()
}

/// A weak symbol, which a definition in the program replaces.
macro_rules! weak_trap {
    ($($line:literal),+) => { std::arch::global_asm!($($line),+, trap = sym trap); };
}

#[cfg(all(unix, not(target_vendor = "apple"), target_arch = "x86_64"))]
weak_trap!(
    ".pushsection .text.planish_trap,\"ax\",@progbits",
    ".weak planish_trap",
    ".type planish_trap, @function",
    "planish_trap:",
    "jmp {trap}",
    ".popsection"
);
#[cfg(all(unix, not(target_vendor = "apple"), target_arch = "aarch64"))]
weak_trap!(
    ".pushsection .text.planish_trap,\"ax\",@progbits",
    ".weak planish_trap",
    ".type planish_trap, @function",
    "planish_trap:",
    "b {trap}",
    ".popsection"
);
#[cfg(all(unix, not(target_vendor = "apple"), target_arch = "riscv64"))]
weak_trap!(
    ".pushsection .text.planish_trap,\"ax\",@progbits",
    ".weak planish_trap",
    ".type planish_trap, @function",
    "planish_trap:",
    "tail {trap}",
    ".popsection"
);
#[cfg(all(target_vendor = "apple", target_arch = "x86_64"))]
weak_trap!(".text", ".globl _planish_trap", ".weak_definition _planish_trap", "_planish_trap:", "jmp {trap}");
#[cfg(all(target_vendor = "apple", target_arch = "aarch64"))]
weak_trap!(
    ".text",
    ".globl _planish_trap",
    ".weak_definition _planish_trap",
    ".p2align 2",
    "_planish_trap:",
    "b {trap}"
);
#[cfg(all(windows, target_pointer_width = "64"))]
weak_trap!(".weak planish_trap", ".set planish_trap, {trap}");
