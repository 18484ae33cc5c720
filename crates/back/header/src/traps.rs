//! Numbers of traps for `planish_trap`.

use planish_ir::function::TrapKind;

/// The number of a trap.
pub fn code_of(kind: TrapKind) -> u32 {
    TrapKind::ALL.iter().position(|&other| other == kind).expect("all are listed") as u32 + 1
}

/// The number of the trap of an imported memory that is too small.
pub const IMPORT_MISMATCH: u32 = TrapKind::ALL.len() as u32 + 1;
