//! Messages of traps.

use planish_ir::function::TrapKind;

/// The message of a trap: reason, function, place.
pub(crate) fn message(code: i32, function: Option<&str>, line: u32, column: u32) -> String {
    let kinds = TrapKind::ALL.len() as i32;
    let reason = match code {
        _ if (1..=kinds).contains(&code) => TrapKind::ALL[code as usize - 1].name().replace('_', " "),
        _ if code == kinds + 1 => "an imported memory is too small".to_owned(),
        _ => format!("trap {code}"),
    };
    let within = function.map_or(String::new(), |name| format!(" in `{name}`"));
    let at = match (line, column) {
        (0, 0) => String::new(),
        (0, offset) => format!(" at offset {offset:#x}"),
        (line, column) => format!(" at {line}:{column}"),
    };
    format!("planish: trap: {reason}{within}{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_reason_function_and_place() {
        let text = message(2, Some("f"), 3, 5);
        assert_eq!(text, "planish: trap: division by zero in `f` at 3:5");
        assert_eq!(
            message(TrapKind::ALL.len() as i32 + 1, None, 0, 0),
            "planish: trap: an imported memory is too small"
        );
        assert_eq!(message(11, None, 0, 0), "planish: trap: out of memory");
        assert_eq!(message(1, Some("g"), 0, 0x2a), "planish: trap: unreachable in `g` at offset 0x2a");
    }
}
