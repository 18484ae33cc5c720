//! Outputs of compilations.

use std::ffi::{CString, c_char};
use std::ptr;

use crate::text::owned;

/// Bytes or text that a compilation has written. Opaque.
#[allow(non_camel_case_types, reason = "as in C")]
pub struct planish_output {
    /// With a NUL byte at the end, which is not counted.
    data: Vec<u8>,
    header: Option<CString>,
}

impl planish_output {
    pub(crate) fn new(mut data: Vec<u8>, header: Option<&str>) -> Self {
        data.push(0);
        planish_output { data, header: header.map(owned) }
    }

    pub(crate) fn of_artifact(artifact: planish::Artifact) -> Self {
        Self::new(artifact.bytes, artifact.header.as_deref())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.data[..self.data.len() - 1]
    }

    pub(crate) fn into_raw(self) -> *mut Self {
        Box::into_raw(Box::new(self))
    }
}

/// The bytes. A NUL byte follows them, so that a text is one of C. NULL of NULL.
///
/// # Safety
/// `output` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_output_data(output: *const planish_output) -> *const c_char {
    // SAFETY: NULL, or one of ours.
    unsafe { output.as_ref() }.map_or(ptr::null(), |output| output.data.as_ptr().cast())
}

/// Number of the bytes.
///
/// # Safety
/// As of `planish_output_data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_output_size(output: *const planish_output) -> usize {
    // SAFETY: NULL, or one of ours.
    unsafe { output.as_ref() }.map_or(0, |output| output.bytes().len())
}

/// The header of an object file or of a program in C; NULL if there is none.
///
/// # Safety
/// As of `planish_output_data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_output_header(output: *const planish_output) -> *const c_char {
    // SAFETY: NULL, or one of ours.
    let header = unsafe { output.as_ref() }.and_then(|output| output.header.as_ref());
    header.map_or(ptr::null(), |header| header.as_ptr())
}

/// Frees an output.
///
/// # Safety
/// `output` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_output_free(output: *mut planish_output) {
    if !output.is_null() {
        // SAFETY: made by `into_raw`, and not freed before.
        drop(unsafe { Box::from_raw(output) });
    }
}
