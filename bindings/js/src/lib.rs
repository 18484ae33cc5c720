//! Planish for JavaScript: a module of WebAssembly that answers messages. The package in `package` makes an interface of it.
//!
//! A *message* is a JSON object, and blocks of bytes that are too large for it: sources, outputs, pixels ([`message`]). JavaScript sends one
//! request at a time, and gets one answer ([`Session::answer`]); the module calls it for files of `#include` only. So the border is five
//! functions (`exports`), the same for both modules of the package, and needs no generated code.
//!
//! A panic is a trap in WebAssembly, after which the module is not used any more: JavaScript makes a new one.

#[cfg(feature = "programs")]
mod draw;
#[cfg(target_family = "wasm")]
mod exports;
#[cfg(feature = "programs")]
mod functions;
pub mod message;
mod options;
mod session;

pub use message::Message;
pub use session::Session;
