//! Labels: what the text form calls structs, variables and functions. A label is the name where that is an identifier
//! nobody has taken before; otherwise something close to it with a number behind a dot. Labels follow from names and
//! order alone, so printing what was parsed gives the same ones.

use rustc_hash::FxHashMap;

use super::words::is_identifier;

/// How often each base of a label was taken.
#[derive(Default)]
pub(super) struct Taken(FxHashMap<String, u32>);

impl Taken {
    /// A new label for `name`; what `outer` has taken is not free either.
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
