//! Suggestions for unknown names.

use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::source::Span;

use super::names::Entity;
use super::{Checker, Reported, builtin_variables, device_variables};
use crate::symbol::Symbol;

/// Functions of other languages, with their GLSL counterparts.
fn foreign_function(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match name {
        "lerp" => ("`mix` blends in GLSL", Some("mix")),
        "frac" => ("the fractional part is `fract` in GLSL", Some("fract")),
        "saturate" => ("write `clamp(x, 0.0, 1.0)`", None),
        "mul" => ("write `a * b`: operators multiply matrices and vectors", None),
        "rsqrt" => ("the inverse of a square root is `inversesqrt`", Some("inversesqrt")),
        "ddx" => ("the derivative along x is `dFdx`", Some("dFdx")),
        "ddy" => ("the derivative along y is `dFdy`", Some("dFdy")),
        "atan2" => ("`atan` takes two arguments: `atan(y, x)`", Some("atan")),
        "fmod" => ("the remainder is `mod`, which rounds down", Some("mod")),
        "tex2D" | "tex2Dlod" => ("textures are sampled with `texture2D` (GLSL ES 1.00) or `texture`", None),
        "clip" => ("write `if (x < 0.0) discard;`", None),
        "fabs" => ("the absolute value is `abs`", Some("abs")),
        "float1" => ("write `float(…)`", Some("float")),
        "float2" | "vec2f" | "half2" => ("write `vec2(…)`", Some("vec2")),
        "float3" | "vec3f" | "half3" => ("write `vec3(…)`", Some("vec3")),
        "float4" | "vec4f" | "half4" => ("write `vec4(…)`", Some("vec4")),
        "float2x2" => ("write `mat2(…)`", Some("mat2")),
        "float3x3" => ("write `mat3(…)`", Some("mat3")),
        "float4x4" => ("write `mat4(…)`", Some("mat4")),
        "printf" => ("shaders cannot print", None),
        _ => return None,
    })
}

impl Checker<'_, '_> {
    /// Reports an unknown name.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown_name(&mut self, symbol: Symbol, span: Span) -> Reported {
        let text = self.text(symbol);
        let mut d = Diagnostic::error(Code::E0301, span, format!("unknown name `{text}`")).label("not declared");
        let needs = device_variables::needs(text, self);
        if let Some(needs) = needs.or_else(|| builtin_variables::needs(text, self.version, self.stage())) {
            d = d.label("not here").note(needs);
        } else if let Some(near) = self.near_name(text) {
            d = d.help(format!("did you mean `{near}`?")).fix(span, near);
        }
        self.scopes_learn_error(symbol, span);
        self.error(d)
    }

    /// Reports a function that is not there.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown_function(&mut self, symbol: Symbol, span: Span) -> Reported {
        let text = self.text(symbol);
        let mut d = Diagnostic::error(Code::E0301, span, format!("unknown function `{text}`")).label("not declared");
        if let Some((help, fix)) = foreign_function(text) {
            d = d.help(help);
            if let Some(fix) = fix {
                d = d.fix(span, fix);
            }
        } else {
            if let Some(near) = self.near_function(text) {
                d = d.help(format!("did you mean `{near}`?")).fix(span, near);
            }
        }
        self.error(d)
    }

    /// The closest known name. `None` for errors past the limit: this searches all names.
    fn near_name(&self, text: &str) -> Option<String> {
        if self.error_count >= super::MAX_ERRORS {
            return None;
        }
        let interner = &self.program.interner;
        let known = self.scopes.all().filter(|b| !matches!(b.entity, Entity::Error));
        let names = known.map(|b| interner.resolve(b.symbol));
        let builtins =
            builtin_variables::names(self.version, self.stage()).chain(device_variables::names(self.stage()));
        let builtins = builtins.map(|n| n as &str);
        did_you_mean(text, names.chain(builtins)).map(str::to_owned)
    }

    fn near_function(&self, text: &str) -> Option<String> {
        if self.error_count >= super::MAX_ERRORS {
            return None;
        }
        let interner = &self.program.interner;
        let functions = self.scopes.all().filter(|b| matches!(b.entity, Entity::Functions(_)));
        let own = functions.map(|b| interner.resolve(b.symbol));
        did_you_mean(text, own.chain(self.builtin_function_names().map(|n| n as &str))).map(str::to_owned)
    }

    /// Makes an unknown name an error that is reported once a scope.
    fn scopes_learn_error(&mut self, symbol: Symbol, span: Span) {
        if self.scopes.lookup(symbol).is_none() {
            self.scopes.insert(symbol, Entity::Error, span, false);
        }
    }
}
