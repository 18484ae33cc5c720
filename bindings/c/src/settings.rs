//! Settings of a compilation.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::sync::Arc;

use planish::{IncludeResolver, Settings};

use crate::output::planish_output;
use crate::text::{bytes, guarded, owned, text};

/// Settings, by the names of the options of `planish compile`, and files for `#include`. Opaque.
#[allow(non_camel_case_types, reason = "as in C")]
pub struct planish_settings {
    pub(crate) settings: Settings,
    files: BTreeMap<String, Arc<str>>,
    include: (planish_include, *mut c_void),
    message: CString,
}

impl Default for planish_settings {
    fn default() -> Self {
        planish_settings {
            settings: Settings::default(),
            files: BTreeMap::new(),
            include: (None, ptr::null_mut()),
            message: CString::default(),
        }
    }
}

/// Finds a file of `#include`: returns its text as made by `planish_text`, or NULL if there is none. `name` is that of the directive, `from`
/// the file that it is in; `system` is true for `<name>`.
#[allow(non_camel_case_types, reason = "as in C")]
pub type planish_include = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        name: *const c_char,
        from: *const c_char,
        system: bool,
    ) -> *mut planish_output,
>;

/// A text for `planish_include` to return, which takes it; a copy. `size` is in bytes.
///
/// # Safety
/// `data` is NULL, or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_text(data: *const c_void, size: usize) -> *mut planish_output {
    // SAFETY: the contract of this function.
    planish_output::new(unsafe { bytes(data, size) }.to_vec(), None).into_raw()
}

/// New settings, as the command has them.
#[unsafe(no_mangle)]
pub extern "C" fn planish_settings_new() -> *mut planish_settings {
    Box::into_raw(Box::new(planish_settings::default()))
}

/// Sets a setting: `level`, `define`, `minify`, `glsl-version`, … with a text as its option takes it, `true` or `false` for one that takes
/// none. Returns NULL, or the reason why not, which belongs to the settings and lives until the next call.
///
/// # Safety
/// `settings` is NULL, or comes from this library and has not been freed; no other thread uses it. The texts are NULL or end in a NUL byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_settings_set(
    settings: *mut planish_settings,
    name: *const c_char,
    value: *const c_char,
) -> *const c_char {
    // SAFETY: NULL, or one of ours that no other thread uses.
    let Some(settings) = (unsafe { settings.as_mut() }) else { return c"the settings are NULL".as_ptr() };
    // SAFETY: the contract of this function.
    let texts = unsafe { (text(name), text(value)) };
    let (Some(name), Some(value)) = texts else {
        return c"the name or the value of a setting is NULL, or is not UTF-8".as_ptr();
    };
    match guarded(|| settings.settings.set(name, value)) {
        Ok(Ok(())) => ptr::null(),
        Ok(Err(message)) | Err(message) => {
            settings.message = owned(&message);
            settings.message.as_ptr()
        }
    }
}

/// Adds a file that `#include` finds by its name; a copy. Returns false if it is not UTF-8.
///
/// # Safety
/// As of `planish_settings_set`; `data` points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_settings_add_file(
    settings: *mut planish_settings,
    name: *const c_char,
    data: *const c_void,
    size: usize,
) -> bool {
    // SAFETY: NULL, or one of ours that no other thread uses; and the contract of this function.
    let (settings, name, bytes) = unsafe { (settings.as_mut(), text(name), bytes(data, size)) };
    let (Some(settings), Some(name), Ok(source)) = (settings, name, std::str::from_utf8(bytes)) else { return false };
    settings.files.insert(name.to_owned(), source.into());
    true
}

/// Sets the function that finds the files of `#include` that have not been added. It is called on the thread of the compilation, with
/// `user`, and must not use these settings. NULL is none.
///
/// # Safety
/// As of `planish_settings_set`; `include` may be called with `user` as long as the settings are used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_settings_set_include(
    settings: *mut planish_settings,
    include: planish_include,
    user: *mut c_void,
) {
    // SAFETY: NULL, or one of ours that no other thread uses.
    if let Some(settings) = unsafe { settings.as_mut() } {
        settings.include = (include, user);
    }
}

/// Frees settings.
///
/// # Safety
/// `settings` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_settings_free(settings: *mut planish_settings) {
    if !settings.is_null() {
        // SAFETY: made by `planish_settings_new`, and not freed before.
        drop(unsafe { Box::from_raw(settings) });
    }
}

/// The files of some settings.
pub(crate) struct Includes<'s>(pub(crate) &'s planish_settings);

impl IncludeResolver for Includes<'_> {
    fn resolve(&mut self, name: &str, from: &str, system: bool) -> Option<(String, Arc<str>)> {
        if let Some(text) = self.0.files.get(name) {
            return Some((name.to_owned(), text.clone()));
        }
        let (include, user) = (self.0.include.0?, self.0.include.1);
        let (name_in_c, from) = (owned(name), owned(from));
        // SAFETY: the contract of `planish_settings_set_include`.
        let found = unsafe { include(user, name_in_c.as_ptr(), from.as_ptr(), system) };
        if found.is_null() {
            return None;
        }
        // SAFETY: made by `planish_text`, and given away by the function.
        let found = unsafe { Box::from_raw(found) };
        Some((name.to_owned(), String::from_utf8_lossy(found.bytes()).into()))
    }
}
