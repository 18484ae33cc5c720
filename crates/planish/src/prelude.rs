//! Preludes: GLSL or WGSL that is read before a program, of the user's own, or what a host such as three.js declares.

use std::sync::Arc;

use crate::kind::InputKind;

#[cfg(feature = "shaders")]
use planish_ir::module::Stage;

/// GLSL that is read before the first line of a program, after its `#version` and `#extension`; or WGSL, if its name ends in `.wgsl`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Prelude {
    /// A text, and its name for messages.
    Text {
        /// The name, such as that of its file.
        name: Arc<str>,
        /// The text.
        text: Arc<str>,
    },
    /// The attributes, uniforms and macros that three.js declares for a `ShaderMaterial`. `#include <chunk>` needs no extension, and a shader
    /// without `#version` is in GLSL ES 3.00.
    Three,
    /// The uniforms of Shadertoy, and the call of `mainImage` if there is no `main`. A shader without `#version` is in GLSL ES 3.00.
    Shadertoy,
}

/// Names of the preludes that are there, and what they declare.
pub const PRELUDES: &[(&str, &str)] = &[
    (
        "three",
        "attributes, uniforms and macros of a ShaderMaterial of three.js; #include <chunk> from -I, without an extension",
    ),
    ("shadertoy", "uniforms of Shadertoy, and the call of mainImage"),
];

impl Prelude {
    /// One of [`PRELUDES`].
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "three" => Some(Prelude::Three),
            "shadertoy" => Some(Prelude::Shadertoy),
            _ => None,
        }
    }

    /// The language of the programs that it is for.
    pub(crate) fn language(&self) -> InputKind {
        match self {
            Prelude::Text { name, .. } if name.ends_with(".wgsl") => InputKind::Wgsl,
            _ => InputKind::Glsl,
        }
    }

    /// Name and text for a stage; `None` if nothing is read.
    #[cfg(feature = "shaders")]
    pub(crate) fn text(&self, stage: Stage) -> Option<(Arc<str>, Arc<str>)> {
        match self {
            Prelude::Text { name, text } => Some((name.clone(), text.clone())),
            Prelude::Three => {
                let text = match stage {
                    Stage::Vertex => concat!(include_str!("prelude/three.glsl"), include_str!("prelude/three.vert")),
                    Stage::Fragment => concat!(include_str!("prelude/three.glsl"), include_str!("prelude/three.frag")),
                    _ => return None,
                };
                Some(("<prelude three>".into(), text.into()))
            }
            Prelude::Shadertoy => None,
        }
    }
}

/// The GLSL of a module of JavaScript whose default export is one template string, as the chunks of three.js are; `None` if it is none.
/// Places in the result are those in the module.
///
/// # Example
/// ```
/// let chunk = planish::text_of_chunk("export default /* glsl */`\nfloat x;\n`;\n").unwrap();
/// assert_eq!(chunk.lines().nth(1), Some("float x;"));
/// ```
pub fn text_of_chunk(module: &str) -> Option<String> {
    let (before, rest) = module.split_once('`')?;
    let (text, after) = rest.rsplit_once('`')?;
    let is_export = before.contains("export default") && after.trim().trim_end_matches(';').is_empty();
    // A substitution would need JavaScript.
    if !is_export || text.contains("${") {
        return None;
    }
    let blank = |c: char| if c == '\n' || c == '\r' { c } else { ' ' };
    // As many bytes, so that columns are the same.
    let blanks: String = before.chars().flat_map(|c| std::iter::repeat_n(blank(c), c.len_utf8())).collect();
    Some(format!("{blanks} {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_templates_are_chunks() {
        assert_eq!(text_of_chunk("export default `a`;").as_deref(), Some("                a"));
        assert_eq!(text_of_chunk("export default `a${b}`;"), None);
        assert_eq!(text_of_chunk("const a = `a`; b"), None);
    }
}
