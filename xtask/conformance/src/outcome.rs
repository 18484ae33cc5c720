//! The results of one program: a step for each check.

use serde::Serialize;
use xtask::corpus::Program;

/// Why something did not work.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Reason {
    /// Origin of the verdict: a diagnostic's code, a tool's name, or `panic`.
    pub(crate) who: String,
    /// The first message.
    pub(crate) message: String,
    /// The line of the program (or of the output, for a tool's verdict) that it points at, if any.
    pub(crate) line: Option<u32>,
}

impl Reason {
    /// A reason without a place.
    pub(crate) fn new(who: impl Into<String>, message: impl Into<String>) -> Reason {
        Reason { who: who.into(), message: message.into(), line: None }
    }

    /// The reason without names and numbers of the one program, so that equal reasons are grouped.
    pub(crate) fn kind(&self) -> String {
        let mut kind = String::new();
        let mut quote = None;
        let mut in_number = false;
        for c in self.message.lines().next().unwrap_or_default().chars() {
            match (quote, c) {
                (Some(end), c) if c == end => {
                    quote = None;
                    kind.push('…');
                    kind.push(c);
                }
                (Some(_), _) => {}
                (None, '`' | '\'' | '"') => {
                    quote = Some(c);
                    kind.push(c);
                }
                (None, c) if c.is_ascii_digit() => {
                    if !in_number {
                        kind.push('…');
                    }
                }
                (None, c) => kind.push(c),
            }
            in_number = c.is_ascii_digit();
        }
        format!("{}: {kind}", self.who)
    }
}

/// The result of one check.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// Not run, since an earlier step failed.
    #[default]
    NotReached,
    /// It worked.
    Fine,
    /// It did not.
    Failed(Reason),
}

impl Step {
    /// Whether it passed.
    pub(crate) fn is_fine(&self) -> bool {
        matches!(self, Step::Fine)
    }

    /// Keeps the first failure.
    pub(crate) fn and(&mut self, result: Result<(), Reason>) {
        if let (Step::Fine | Step::NotReached, result) = (&*self, result) {
            *self = match result {
                Ok(()) => Step::Fine,
                Err(reason) => Step::Failed(reason),
            };
        }
    }
}

/// The results of one program.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Outcome {
    /// The program.
    #[serde(flatten)]
    pub(crate) program: Program,
    /// Whether our front end accepts it.
    pub(crate) accepted: Step,
    /// GLSL of the same version, which our front end and glslangValidator accept.
    pub(crate) glsl: Step,
    /// WGSL that naga parses and validates.
    pub(crate) wgsl: Step,
    /// SPIR-V that `spirv-val` validates.
    pub(crate) spirv: Step,
    /// MSL that naga writes.
    pub(crate) msl: Step,
    /// HLSL that naga writes.
    pub(crate) hlsl: Step,
    /// For a vertex shader: its GLSL and that of the fragment shader it was linked with, linked again.
    pub(crate) linked: Step,
    /// From text to all outputs, in microseconds.
    pub(crate) micros: u64,
}

impl Outcome {
    /// A program with no check run so far.
    pub(crate) fn new(program: Program) -> Outcome {
        let [accepted, glsl, wgsl, spirv, msl, hlsl, linked] = std::array::from_fn(|_| Step::default());
        Outcome { program, accepted, glsl, wgsl, spirv, msl, hlsl, linked, micros: 0 }
    }

    /// The targets, with their names.
    pub(crate) fn targets(&self) -> [(&'static str, &Step); 5] {
        let [glsl, wgsl, spirv] = [("GLSL", &self.glsl), ("WGSL", &self.wgsl), ("SPIR-V", &self.spirv)];
        [glsl, wgsl, spirv, ("MSL", &self.msl), ("HLSL", &self.hlsl)]
    }
}

#[cfg(test)]
mod tests {
    use super::{Reason, Step};

    #[test]
    fn like_reasons_fall_together() {
        let a = Reason::new("E0301", "unknown name `foo` in line 12");
        let b = Reason::new("E0301", "unknown name `barbaz` in line 7");
        assert_eq!(a.kind(), b.kind());
        assert_eq!(a.kind(), "E0301: unknown name `…` in line …");
    }

    #[test]
    fn the_first_failure_stays() {
        let mut step = Step::default();
        step.and(Ok(()));
        assert!(step.is_fine());
        step.and(Err(Reason::new("spirv-val", "one")));
        step.and(Ok(()));
        step.and(Err(Reason::new("naga", "two")));
        assert!(matches!(step, Step::Failed(reason) if reason.message == "one"));
    }
}
