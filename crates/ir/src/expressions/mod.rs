//! What a back end asks of a placed function to write values where they are read.
//!
//! A value that is read once, in the block that makes it, needs no variable: it is *put off* until its reader is written,
//! and then evaluated there, together with what it is made of. What has an effect is put off in a list; evaluating the list
//! in its order would always be right, and whatever would pass an entry of it, where the order of the two could be seen,
//! makes that entry be evaluated before, into a variable. [`Waiting`] keeps the list, [`Uses`] knows who reads what, and
//! [`Effects`] tell whether an order can be seen.

mod effects;
mod uses;
mod waiting;

pub use effects::Effects;
pub use uses::{Says, Uses};
pub use waiting::{Late, Waiting};
