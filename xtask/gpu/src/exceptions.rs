//! The shaders whose two pictures differ, and why that is no error of ours.

/// Name and reason. A reason says which operation differs, and what the GLSL specification leaves open about it.
pub(crate) const EXCEPTIONS: &[(&str, &str)] = &[];

/// Why a shader may differ.
pub(crate) fn reason(name: &str) -> Option<&'static str> {
    EXCEPTIONS.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason)
}
