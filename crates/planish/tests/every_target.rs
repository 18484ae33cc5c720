//! Every feature of GLSL in every target, optimized and not: code, or an error that names the construct. `E0699`, that a back
//! end made something invalid, and a panic are never the answer.

use planish::module::{Module, Stage};
use planish::{EmitOptions, Optimizer, TARGETS, Target, Version, emit};
use planish_testkit::{glsl_features, share};

use crate::common::{self, compile};

/// A target as the test knows it: GLSL in a version of its own.
fn options() -> Vec<(Target, String, EmitOptions)> {
    let mut all = Vec::new();
    for target in TARGETS.iter().map(|info| info.target).filter(|&t| t != Target::Glsl && t != Target::Analysis) {
        all.push((target, format!("{target:?}"), EmitOptions::default()));
    }
    for (number, es) in [(100, true), (300, true), (320, true), (120, false), (330, false), (450, false)] {
        let version = if es { Version::es(number) } else { Version::desktop(number) };
        let options = EmitOptions { version: Some(version), ..EmitOptions::default() };
        all.push((Target::Glsl, format!("GLSL {number}"), options));
    }
    all
}

/// The fault in how a target takes a module, if there is one, panics included.
fn fault(module: &Module, target: Target, options: &EmitOptions) -> Option<String> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| emit(module, target, options)));
    match caught {
        Err(_) => Some("panicked".into()),
        Ok(Ok(_)) => None,
        Ok(Err(errors)) => {
            let wrong = errors.iter().find(|e| e.code.0 == "E0699");
            wrong.map(|e| format!("{} {:?}", e.message, e.notes))
        }
    }
}

#[test]
fn no_feature_is_an_internal_error() {
    let mut faults = Vec::new();
    for (number, (stage, declarations, statements)) in share(glsl_features::all().enumerate()) {
        let ending = match stage {
            Stage::Vertex => "vert",
            Stage::Fragment => "frag",
            _ => "comp",
        };
        let text = glsl_features::shader(stage, declarations, statements);
        let module = compile(&format!("feature.{ending}"), &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let mut optimized = module.clone();
        Optimizer::level("2").expect("a level").run(&mut optimized, &mut |_, _| {});
        for (at, (target, name, options)) in options().into_iter().enumerate() {
            // Optimized or as it is, in turn: each feature is in all stages, so that each target sees both.
            let (level, module) = if (number + at) % 2 == 0 { ("-O2", &optimized) } else { ("-O0", &module) };
            let fault = fault(module, target, &options);
            faults.extend(
                fault.map(|f| format!("{} {level} to {name}: {declarations} {statements}\n    {f}", stage.name())),
            );
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// ES 1.00 passes arrays, and makes none: an argument of a call stays the variable that it is.
#[test]
fn arrays_are_arguments_in_es_1_00() {
    let text = "precision highp float; uniform vec3 u[3]; uniform int n;\n\
                vec3 f(vec3 a[3], int i) { vec3 sum = a[0]; for (int k = 0; k < 3; k++) if (k < i) sum += a[k] * sum; return sum; }\n\
                void main() { gl_FragColor = vec4(f(u, n) + f(u, n + 1) * u[1], 1.0); }";
    for level in planish::LEVELS {
        let mut module = compile("arguments.frag", text).expect("valid");
        Optimizer::level(level).expect("is a level").run(&mut module, &mut |_, _| {});
        let written = emit(&module, Target::Glsl, &EmitOptions::default());
        assert!(written.is_ok(), "-O{level}: {:?}", written.err());
    }
}

/// Inlined, an `inout` array is a value, and GLSL ES 1.00 has none: it is moved element by element.
#[test]
fn arrays_that_go_in_and_out_are_written_in_es_100() {
    let text = "#version 100\nprecision mediump float;\nuniform vec2 resolution;\nstruct S { float a[3]; };\n\
                void f(inout float a[3]) { a[1] += gl_FragCoord.x; a[0] = a[2]; }\n\
                void k(inout S s) { f(s.a); s.a[2] += 0.25; }\n\
                void main() { S s; s.a[0] = 0.5; s.a[1] = 0.0; s.a[2] = gl_FragCoord.y; k(s); k(s);\n\
                gl_FragColor = vec4(s.a[0], s.a[1], s.a[2], 1.0) * 0.1; }\n";
    let module = compile("inout.frag", text).expect("valid");
    let mut optimized = module.clone();
    Optimizer::level("2").expect("a level").run(&mut optimized, &mut |_, _| {});
    let written = emit(&optimized, Target::Glsl, &EmitOptions::default()).unwrap_or_else(|e| panic!("{e:#?}")).bytes;
    let again =
        compile("again.frag", &written).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&written)));
    let [expected, found] = [&module, &again].map(|m| common::picture(m, [4, 4]).expect("can be drawn"));
    assert_eq!(expected, found, "{}", String::from_utf8_lossy(&written));
}
