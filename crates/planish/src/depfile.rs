//! Dependencies as Make and Ninja read them.

/// Outputs, and the files that they are made from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rule {
    /// Files that are written.
    pub outputs: Vec<String>,
    /// Files that are read.
    pub inputs: Vec<String>,
}

/// The rules in the syntax of Make that Ninja reads (`depfile`).
///
/// # Errors
/// A name with a line break, which the syntax cannot hold.
///
/// # Example
/// ```
/// use planish::{Rule, depfile};
/// let rule = Rule { outputs: vec!["a b.wgsl".into()], inputs: vec!["a b.frag".into(), "lib.glsl".into()] };
/// assert_eq!(depfile(&[rule]).unwrap(), "a\\ b.wgsl: \\\n  a\\ b.frag \\\n  lib.glsl\n");
/// ```
pub fn depfile(rules: &[Rule]) -> Result<String, String> {
    let mut text = String::new();
    for rule in rules {
        let outputs = rule.outputs.iter().map(|name| escaped(name)).collect::<Result<Vec<_>, _>>()?;
        text += &format!("{}:", outputs.join(" "));
        for input in &rule.inputs {
            text += &format!(" \\\n  {}", escaped(input)?);
        }
        text.push('\n');
    }
    Ok(text)
}

/// A name: a space, `#` and `$` are not themselves, and a backslash is one unless a space or `#` follows.
fn escaped(name: &str) -> Result<String, String> {
    let mut text = String::with_capacity(name.len());
    let mut backslashes = 0;
    for c in name.chars() {
        match c {
            '\n' | '\r' => return Err(name.to_owned()),
            ' ' | '#' | '\t' => {
                // Those before it would escape each other.
                text.extend(std::iter::repeat_n('\\', backslashes + 1));
            }
            '$' => text.push('$'),
            _ => {}
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        text.push(c);
    }
    Ok(text)
}
