//! Formatting of values in the language's syntax.

/// A real: the shortest text that reads back.
pub(crate) fn real(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        "+nan.0".into()
    } else if value.is_infinite() {
        if value > 0.0 { "+inf.0" } else { "-inf.0" }.into()
    } else if value != 0.0 && !(1e-5..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}
