//! Facts about the program that a module holds, which passes and back ends ask for: properties of the source language's
//! semantics, by name, so that nothing after a front end asks for the language itself.

use crate::module::Language;

macro_rules! facts {
    ($($(#[doc = $about:literal])+ $name:ident,)*) => {
        /// Facts about a program. Those of its language ([`Language::facts`]) are the default; a front end changes those that
        /// differ for its program.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct Facts {
            $($(#[doc = $about])+ pub $name: bool,)*
        }

        impl Facts {
            /// Names of all facts, in the order of the fields.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Each fact: name and value, in the order of the fields.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, bool)> {
                [$((stringify!($name), self.$name)),*].into_iter()
            }

            /// The fact of a name; `None` if there is no such fact.
            pub fn get_mut(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

facts! {
    /// Values may have a precision (`lowp`, `mediump`, `highp`).
    precisions,
    /// The program can tell NaNs of different bits apart, so that no rule may replace one by another.
    nan_bits,
    /// Nobody tells NaNs of vectors apart: engines leave those that the processor makes.
    any_nan,
    /// Conversions of floats to integers on vectors may give anything for NaN, and for floats that the integer type cannot hold.
    open_conversions,
    /// Functions compute several invocations at a time.
    on_lanes,
    /// Nodes are where they are best computed: what a loop repeats is out of it. Back ends keep their places.
    scheduled,
    /// The program runs on a processor rather than on a graphics unit, and costs are counted for one.
    processor,
    /// Calls without end exhaust the stack, which the program can tell from a loop without end.
    bounded_stack,
    /// The source language has `min`, `max` and `abs` of integers.
    integer_functions,
    /// Values of `f64` are real numbers: a target without doubles may compute them as `f32`.
    reals,
}

impl Language {
    /// The facts about programs in the language.
    pub fn facts(self) -> Facts {
        let is_wasm = self == Language::Wasm;
        Facts {
            precisions: !is_wasm,
            nan_bits: is_wasm,
            any_nan: false,
            open_conversions: false,
            on_lanes: false,
            scheduled: false,
            processor: is_wasm,
            bounded_stack: is_wasm,
            // GLSL ES before 3.00 and GLSL before 1.30 are without them.
            integer_functions: !matches!(self, Language::Glsl { version, es } if version < if es { 300 } else { 130 }),
            reals: self == Language::Vl,
        }
    }
}

impl Default for Facts {
    fn default() -> Self {
        Language::default().facts()
    }
}
