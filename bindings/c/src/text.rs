//! Text and bytes across the border.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A text for C: without the NUL bytes that it may have.
pub(crate) fn owned(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("no NUL bytes are left")
}

/// A text from C; `None` for NULL and for what is no UTF-8.
///
/// # Safety
/// `text` is NULL, or ends in a NUL byte and lives as long as it is used.
pub(crate) unsafe fn text<'t>(text: *const c_char) -> Option<&'t str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not NULL, and by the contract of this function it ends in a NUL byte and lives long enough.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

/// Bytes from C; NULL is none.
///
/// # Safety
/// `data` is NULL, or points to `size` bytes that live, and do not change, as long as they are used.
pub(crate) unsafe fn bytes<'t>(data: *const c_void, size: usize) -> &'t [u8] {
    if data.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: not NULL, and by the contract of this function there are as many bytes.
    unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }
}

/// Runs what may have a mistake of ours; the message of a panic.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        format!("internal error of Planish: {text}")
    })
}
