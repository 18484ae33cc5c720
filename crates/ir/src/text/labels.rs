//! Labels of structs, variables and functions in the text form. A label is the name if that is an identifier and not
//! taken; otherwise a similar identifier with a number after a dot. Labels depend on names and order alone, so printing
//! a parsed module gives the same ones.

use rustc_hash::FxHashMap;

use super::words::is_identifier;

/// Number of labels by base.
#[derive(Default)]
pub(super) struct Taken(FxHashMap<String, u32>);

impl Taken {
    /// A new label for `name`, distinct also from those of `outer`.
    pub(super) fn label(&mut self, name: &str, outer: Option<&Taken>) -> String {
        let base = base_of(name);
        let before = self.0.get(&base).or_else(|| outer.and_then(|o| o.0.get(&base))).copied().unwrap_or(0);
        let label = if before == 0 { base.clone() } else { format!("{base}.{before}") };
        self.0.insert(base, before + 1);
        label
    }
}

fn base_of(name: &str) -> String {
    if is_identifier(name) {
        return name.to_owned();
    }
    let mut base: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
        base.insert(0, '_');
    }
    base
}
