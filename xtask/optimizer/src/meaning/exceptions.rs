//! Accepted shortfalls of the optimizer, with reasons.

use super::Fault;

/// A known fault: the end of the program's name, the kind of fault, and the reason why it is accepted.
pub(super) const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "postprocessing/selective-bloom-87fec108.frag",
    "changed",
    "it samples a texture where a quad's neighbours may have gone another way (the other arm discards), so that GLSL \
     leaves the level of detail open; afterwards it samples behind the `if`, where discarded neighbours help",
)];

/// The reason why a fault is accepted; `None` if it is not.
pub(super) fn reason(name: &str, fault: &Fault) -> Option<&'static str> {
    let known = EXCEPTIONS.iter().find(|(end, kind, _)| name.ends_with(end) && *kind == fault.kind);
    known.map(|(_, _, reason)| *reason)
}
