//! The state of a rewrite, which is private to it.

use planish_ir::entity::{Const, Value};
use state::{Key, State};

#[path = "../src/restage/state.rs"]
#[allow(dead_code, reason = "what the rewrite uses of it besides")]
mod state;

#[test]
fn a_mark_brings_everything_back() {
    let value = |n| Value::from(Const::from_u32(n));
    let mut state = State::default();
    state.set(Key::Slot(0), Some(value(1)));
    let mark = state.mark();
    state.set(Key::Slot(0), Some(value(2)));
    state.set(Key::Slot(1), Some(value(3)));
    state.set(Key::Slot(0), Some(value(4)));
    assert_eq!(state.changes(mark), [(Key::Slot(0), Some(value(4))), (Key::Slot(1), Some(value(3)))]);
    state.revert(mark);
    assert_eq!((state.get(Key::Slot(0)), state.get(Key::Slot(1))), (Some(value(1)), None));
    assert_eq!(state.changes(mark), []);
}
