//! Messages: errors and warnings with their places.

use std::ffi::{CString, c_char};
use std::ptr;

use planish::diagnostic::{Diagnostic, Severity};
use planish::render::{MessageFormat, render};
use planish::source::SourceMap;

use crate::text::{guarded, owned};

/// Errors and warnings of a call. Opaque.
#[allow(non_camel_case_types, reason = "as in C")]
pub struct planish_messages {
    list: Vec<Message>,
    diagnostics: Vec<Diagnostic>,
    map: SourceMap,
    /// Of `planish_messages_text`, by format.
    texts: [Option<CString>; 5],
}

struct Message {
    severity: planish_severity,
    code: CString,
    text: CString,
    file: Option<CString>,
    /// Line and column of the begin and the end.
    place: [u32; 4],
}

/// Severity of a message.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(non_camel_case_types, reason = "as in C")]
pub enum planish_severity {
    /// The call has failed for it.
    Error,
    /// The program does something other than it seems, or has no need for something.
    Warning,
    /// Something that the optimizer did or could not do.
    Remark,
}

/// The form of `planish_messages_text`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(non_camel_case_types, reason = "as in C")]
pub enum planish_format {
    /// Several lines each, with the source.
    Human,
    /// The same in colours of a terminal.
    HumanColor,
    /// `file:line:column: severity[code]: message`.
    Short,
    /// One JSON object a line.
    Json,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// A message. The texts belong to the list of messages.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "as in C")]
pub struct planish_message {
    /// Its severity.
    pub severity: planish_severity,
    /// Its code, such as `E0301`, which `planish_explain` explains.
    pub code: *const c_char,
    /// The text, one line.
    pub message: *const c_char,
    /// The file; NULL if the message is about no place.
    pub file: *const c_char,
    /// The line, from 1; 0 if there is none.
    pub line: u32,
    /// The column, in characters from 1; 0 if there is none.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column after the end.
    pub end_column: u32,
}

impl planish_messages {
    pub(crate) fn new(diagnostics: Vec<Diagnostic>, map: SourceMap) -> Box<Self> {
        let list = diagnostics.iter().map(|diagnostic| Message::new(diagnostic, &map)).collect();
        Box::new(planish_messages { list, diagnostics, map, texts: [const { None }; 5] })
    }

    /// A message without a place.
    pub(crate) fn of_text(text: &str) -> Box<Self> {
        use planish::diagnostic::Code;
        use planish::source::Span;
        Self::new(vec![Diagnostic::error(Code::E0712, Span::NONE, text)], SourceMap::new())
    }
}

impl From<planish::Error> for Box<planish_messages> {
    fn from(error: planish::Error) -> Self {
        planish_messages::new(error.diagnostics, error.map)
    }
}

impl Message {
    fn new(diagnostic: &Diagnostic, map: &SourceMap) -> Self {
        let severity = match diagnostic.severity {
            Severity::Error => planish_severity::Error,
            Severity::Warning => planish_severity::Warning,
            Severity::Remark => planish_severity::Remark,
        };
        let ends = map.ends_of(diagnostic.span);
        let file = ends.as_ref().map(|(start, _)| owned(&start.file));
        let place = ends.map_or([0; 4], |(start, end)| [start.at.line, start.at.column, end.at.line, end.at.column]);
        Message { severity, code: owned(diagnostic.code.0), text: owned(&diagnostic.message), file, place }
    }
}

/// Hands messages to the caller, who may not want them.
///
/// # Safety
/// `out` is NULL, or points to a pointer that may be written.
pub(crate) unsafe fn give(out: *mut *mut planish_messages, messages: Option<Box<planish_messages>>) {
    if out.is_null() {
        return;
    }
    let pointer = messages.map_or(ptr::null_mut(), Box::into_raw);
    // SAFETY: not NULL, and by the contract of this function it may be written.
    unsafe { *out = pointer };
}

/// Runs a call that may fail, and gives its messages.
///
/// # Safety
/// As [`give`].
pub(crate) unsafe fn run<T>(
    out: *mut *mut planish_messages,
    call: impl FnOnce() -> Result<(T, Option<Box<planish_messages>>), Box<planish_messages>>,
) -> Option<T> {
    let (value, messages) = match guarded(call) {
        Ok(Ok((value, messages))) => (Some(value), messages),
        Ok(Err(messages)) => (None, Some(messages)),
        Err(text) => (None, Some(planish_messages::of_text(&text))),
    };
    // SAFETY: the contract of this function.
    unsafe { give(out, messages) };
    value
}

/// Number of messages; 0 of NULL.
///
/// # Safety
/// `messages` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_messages_count(messages: *const planish_messages) -> usize {
    // SAFETY: NULL, or one of ours.
    unsafe { messages.as_ref() }.map_or(0, |messages| messages.list.len())
}

/// Writes a message to `message`; returns false if there is none of this number.
///
/// # Safety
/// `messages` is NULL, or comes from this library and has not been freed; `message` is NULL, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_messages_get(
    messages: *const planish_messages,
    index: usize,
    message: *mut planish_message,
) -> bool {
    // SAFETY: NULL, or one of ours.
    let Some(found) = unsafe { messages.as_ref() }.and_then(|messages| messages.list.get(index)) else { return false };
    if message.is_null() {
        return false;
    }
    let [line, column, end_line, end_column] = found.place;
    let value = planish_message {
        severity: found.severity,
        code: found.code.as_ptr(),
        message: found.text.as_ptr(),
        file: found.file.as_ref().map_or(ptr::null(), |file| file.as_ptr()),
        line,
        column,
        end_line,
        end_column,
    };
    // SAFETY: not NULL, and by the contract of this function it may be written.
    unsafe { *message = value };
    true
}

/// All messages as text, which belongs to them; of NULL the empty text.
///
/// # Safety
/// `messages` is NULL, or comes from this library and has not been freed; no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_messages_text(messages: *mut planish_messages, format: u32) -> *const c_char {
    // SAFETY: NULL, or one of ours that no other thread uses.
    let Some(messages) = (unsafe { messages.as_mut() }) else { return c"".as_ptr() };
    let planish_messages { diagnostics, map, texts, .. } = messages;
    let (form, color) = match format {
        0 => (MessageFormat::Human, false),
        1 => (MessageFormat::Human, true),
        2 => (MessageFormat::Short, false),
        3 => (MessageFormat::Json, false),
        4 => (MessageFormat::Github, false),
        _ => return c"".as_ptr(),
    };
    let text = || {
        let all = || diagnostics.iter().map(|diagnostic| render(diagnostic, map, form, color)).collect::<String>();
        owned(&guarded(all).unwrap_or_else(|text| text))
    };
    texts[format as usize].get_or_insert_with(text).as_ptr()
}

/// Frees messages.
///
/// # Safety
/// `messages` is NULL, or comes from this library and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn planish_messages_free(messages: *mut planish_messages) {
    if !messages.is_null() {
        // SAFETY: made by `Box::into_raw` in `give`, and not freed before.
        drop(unsafe { Box::from_raw(messages) });
    }
}
