//! The border: buffers for a request and its answer, and what JavaScript provides.

use std::panic;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use planish::IncludeResolver;

use crate::{Message, Session};

#[link(wasm_import_module = "planish")]
unsafe extern "C" {
    /// Finds a file of `#include`: 0 if there is none, else it is in the input as a message, whose object is the file's name and whose block
    /// is its text.
    fn planish_include(name: *const u8, name_size: usize, from: *const u8, from_size: usize, angle: u32) -> u32;
    /// Takes the message of a panic.
    fn planish_panic(text: *const u8, size: usize);
}

static INPUT: Mutex<Vec<u8>> = Mutex::new(vec![]);
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(vec![]);

thread_local! {
    static SESSION: Session = Session::default();
}

fn lock(buffer: &'static Mutex<Vec<u8>>) -> MutexGuard<'static, Vec<u8>> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for an input of this size; NULL if memory does not suffice.
#[unsafe(no_mangle)]
pub extern "C" fn planish_input(size: usize) -> *mut u8 {
    let mut room = vec![];
    if room.try_reserve_exact(size).is_err() {
        return ptr::null_mut();
    }
    room.resize(size, 0);
    let mut input = lock(&INPUT);
    *input = room;
    input.as_mut_ptr()
}

/// Answers the request that is the input; the size of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn planish_answer() -> usize {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| panic::set_hook(Box::new(note_panic)));
    let request = std::mem::take(&mut *lock(&INPUT));
    let message = Message::parse(&request).expect("the package writes messages");
    drop(request);
    let answer = SESSION.with(|session| session.answer(&message, &mut Includes)).write();
    let size = answer.len();
    *lock(&OUTPUT) = answer;
    size
}

/// The answer.
#[unsafe(no_mangle)]
pub extern "C" fn planish_output() -> *const u8 {
    lock(&OUTPUT).as_ptr()
}

/// Frees the answer.
#[unsafe(no_mangle)]
pub extern "C" fn planish_clear() {
    *lock(&OUTPUT) = vec![];
}

fn note_panic(info: &panic::PanicHookInfo<'_>) {
    let text = info.payload_as_str().unwrap_or("a panic");
    let place = info.location().map(|place| format!(" ({place})")).unwrap_or_default();
    let text = format!("{text}{place}");
    // SAFETY: JavaScript reads the bytes before it returns.
    unsafe { planish_panic(text.as_ptr(), text.len()) };
}

/// The files that JavaScript has.
struct Includes;

impl IncludeResolver for Includes {
    fn resolve(&mut self, name: &str, from: &str, system: bool) -> Option<(String, Arc<str>)> {
        // SAFETY: JavaScript reads the bytes before it returns.
        let found = unsafe { planish_include(name.as_ptr(), name.len(), from.as_ptr(), from.len(), u32::from(system)) };
        if found == 0 {
            return None;
        }
        let input = std::mem::take(&mut *lock(&INPUT));
        let Message { head, blocks } = Message::parse(&input).expect("the package writes messages");
        let text = String::from_utf8_lossy(&blocks[0]);
        Some((head.as_str().unwrap_or(name).to_owned(), text.into()))
    }
}
