//! What the optimizer may leave undone, and why.

use super::Fault;

/// A fault that is known: the end of the program's name, the kind of the fault, and why it stands.
pub(super) const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Why a fault may stand; `None` if it may not.
pub(super) fn reason(name: &str, fault: &Fault) -> Option<&'static str> {
    let known = EXCEPTIONS.iter().find(|(end, kind, _)| name.ends_with(end) && *kind == fault.kind);
    known.map(|(_, _, reason)| *reason)
}
