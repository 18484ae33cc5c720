//! Random programs draw the same pixels before and after they are written as GLSL and read again.

use planish_back_glsl::Options;
use planish_eval::shade::{DrawOptions, Image, draw};
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_generate::{Choices, glsl};
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;

use crate::legal::write;

fn read(text: &str) -> Result<Module, String> {
    let mut map = SourceMap::new();
    let file = map.add("test.frag", text).map_err(|_| "too large".to_owned())?;
    let output = compile(&mut map, &file, &mut FrontOptions::new(Stage::Fragment));
    let errors: Vec<String> = output
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| {
            let at = map.line_column(d.span.start).map_or((0, 0), |l| (l.line, l.column));
            format!("{}:{}: {}", at.0, at.1, d.message)
        })
        .collect();
    match output.module {
        Some(module) if errors.is_empty() => Ok(module),
        _ => Err(errors.join("\n")),
    }
}

fn picture(module: &Module) -> Result<Image, String> {
    let options = DrawOptions { size: [8, 8], time: 1.25, threads: 1, ..DrawOptions::default() };
    draw(module, &options).map_err(|e| format!("{e:?}"))
}

fn bits(image: &Image) -> Vec<u32> {
    // A NaN is as good as any other.
    image.float.iter().flatten().map(|f| if f.is_nan() { 0x7fc0_0000 } else { f.to_bits() }).collect()
}

/// Compares the pictures of `text` and of the output for `options`; the output is in the message.
fn check(text: &str, options: &Options) -> Result<(), String> {
    let before = read(text).map_err(|e| format!("the program is not accepted: {e}"))?;
    let expected = picture(&before)?;
    let written = write(&before, options).map_err(|e| format!("{:?}: {}", e[0].code, e[0].message))?;
    let after = read(&written.text).map_err(|e| format!("{}\n{e}", written.text))?;
    let actual = picture(&after).map_err(|e| format!("{}\n{e}", written.text))?;
    if bits(&expected) == bits(&actual) { Ok(()) } else { Err(format!("{}\nthe pictures differ", written.text)) }
}

#[test]
fn random_programs_mean_the_same_afterwards() {
    let readable = Options::es(300);
    let minified = Options { minify: true, ..Options::es(300) };
    let desktop = Options::desktop(450);
    for seed in 0..2000 {
        let program = glsl(&mut Choices::from_seed(seed)).to_string();
        let options = match seed % 4 {
            0 => &minified,
            1 => &desktop,
            _ => &readable,
        };
        if let Err(message) = check(&program, options) {
            panic!("seed {seed}: {program}\n----\n{message}");
        }
    }
}

#[test]
fn what_a_version_lacks_is_refused_in_order() {
    let targets = [
        Options::es(100),
        Options::desktop(120),
        Options::desktop(330),
        Options { vulkan: true, ..Options::desktop(450) },
    ];
    let mut refused = 0;
    for seed in 0..300 {
        let module = read(&glsl(&mut Choices::from_seed(seed)).to_string()).expect("valid");
        for options in &targets {
            if let Err(errors) = write(&module, options) {
                refused += 1;
                assert!(!errors.is_empty());
                for error in errors {
                    assert_ne!(error.code.0, "E0699", "seed {seed}, {options:?}: {}", error.message);
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// ES 1.00 leaves it to the implementation which samplers an index may choose; ES 3.00 and 3.10 take constants, 3.20 any.
#[test]
fn samplers_are_indexed_as_the_version_allows() {
    let source = "precision mediump float; uniform sampler2D t[2]; uniform int n;
        void main() { gl_FragColor = texture2D(t[n], vec2(0.0)); }";
    let module = read(source).expect("valid");
    for (version, code) in [(100, None), (300, Some("E0605")), (310, Some("E0605")), (320, None)] {
        let errors = write(&module, &Options::es(version)).err().unwrap_or_default();
        assert_eq!(errors.first().map(|error| error.code.0), code, "ES {version}");
    }
}

/// Optimized code makes a pointer where it is first used: after the call, which then cannot take it.
#[test]
fn a_pointer_is_not_passed_before_it_is_made() {
    let program = "module glsl 300 es
var output interface @color: vec4 highp
var private @both: vec4 highp = vec4{0.1, 0.2, 0.3, 0.4}
fn @swap(out %0 p: *function vec3 highp) {
b0:
  %1 = load @both highp
  store @both, vec4{1.0, 1.0, 1.0, 0.5} highp
  %2 = extract_vector_component_multi[zyx] %1 highp
  store %0, %2 highp
  return
}
fn @main() {
b0:
  var @t: vec3 highp
  call @swap, @t
  %0 = load @t highp
  %1 = access_vector_component_multi[zyx] @both highp
  store %1, %0 highp
  %2 = load @both highp
  store @color, %2 highp
  return
}
entry fragment @main \"main\"
";
    let before = planish_ir::text::parse_str(program).unwrap_or_else(|e| panic!("{e:#?}"));
    let written = write(&before, &Options::es(300)).unwrap_or_else(|e| panic!("{e:#?}")).text;
    let after = read(&written).unwrap_or_else(|e| panic!("{written}\n{e}"));
    let [before, after] = [&before, &after].map(|m| picture(m).expect("can be drawn"));
    assert_eq!(bits(&before), bits(&after), "{written}");
    assert_eq!(before.float[0], [0.1, 0.2, 0.3, 0.5]);
}

/// GLSL before 1.30 and ES 3.00 has `min`, `max`, `clamp`, `abs` and `sign` of floats only.
#[test]
fn integers_of_old_versions_are_compared() {
    let before = read(
        "#version 300 es\nprecision highp float;\nprecision highp int;\nout vec4 c;\nvoid main() {\n\
         ivec3 v = ivec3(gl_FragCoord.xyx) - ivec3(2, 1, 3);\nint i = v.x + 1;\n\
         int a = max(i, 3) * 2 + min(v.y, i) * 3 + clamp(i, -2, v.y) * 5 + abs(v.z) * 7 + sign(i) * 11;\n\
         ivec3 w = max(v, i) * 2 + min(v, ivec3(4, i, 2)) * 3 + clamp(v, ivec3(0), ivec3(i)) * 5 + abs(v) * 7 + sign(v) * 11;\n\
         c = vec4(float(a), vec3(w)) / 256.0; }",
    )
    .unwrap_or_else(|e| panic!("{e}"));
    for options in [Options::es(100), Options::desktop(120)] {
        let written = write(&before, &options).unwrap_or_else(|e| panic!("{e:#?}")).text;
        let after = read(&written).unwrap_or_else(|e| panic!("{written}\n{e}"));
        let [before, after] = [&before, &after].map(|m| picture(m).expect("can be drawn"));
        assert_eq!(bits(&before), bits(&after), "{written}");
    }
}

/// GLSL before 1.40 and ES 3.00 has no `inverse` and `determinant`: the output has the sequence of `docs/numerics.md`,
/// bit for bit.
#[test]
fn inverses_of_old_versions_are_divided_by_the_determinant() {
    for n in 2..=4 {
        let mut module = read(&format!(
            "#version 300 es\nprecision highp float;\nuniform mat{n} m;\nout vec4 c;\nfloat f(mat{n} a) {{ return determinant(a); }}\n\
             mat{n} g(mat{n} a) {{ return inverse(a); }}\nvoid main() {{ c = vec4(f(m), g(m)[0][0], 0.0, 1.0); }}"
        ))
        .unwrap_or_else(|e| panic!("{e}"));
        let written = write(&module, &Options::es(100)).unwrap_or_else(|e| panic!("{e:#?}")).text;
        let mut again = read(&written).unwrap_or_else(|e| panic!("{written}\n{e}"));
        let functions = [format!("inverse_{n}x{n}("), format!("determinant_{n}x{n}(")];
        assert!(functions.iter().all(|name| written.contains(name)), "{written}");
        let mut choices = 0x2545_f491_4f6c_dd1d_u64;
        for _ in 0..200 {
            let numbers: Vec<u64> = (0..n * n)
                .map(|_| {
                    choices ^= choices << 13;
                    choices ^= choices >> 7;
                    choices ^= choices << 17;
                    u64::from((((choices >> 16) as i32 % 4000) as f32 / 300.0).to_bits())
                })
                .collect();
            let [before, after] = [&mut module, &mut again].map(|module| results(module, n, &numbers));
            assert_eq!(before, after, "{written}");
        }
    }
}

/// The words that `f` and `g` give for a matrix.
fn results(module: &mut Module, n: usize, numbers: &[u64]) -> Vec<u64> {
    let ty = module.types.matrix(planish_ir::types::Scalar::F32, n as u8, n as u8);
    let arg = planish_eval::EvalValue { ty, bits: numbers.to_vec() };
    let mut evaluator = planish_eval::Evaluator::new(module, planish_eval::Limits::default()).expect("no memory");
    let mut words = Vec::new();
    for name in ["f", "g"] {
        let (func, _) = module.funcs.iter().find(|(_, data)| *data.name.text == *name).expect("it is there");
        let results = evaluator.call(func, std::slice::from_ref(&arg)).unwrap_or_else(|stop| panic!("{stop}"));
        words.extend(results.into_iter().flat_map(|r| r.bits));
    }
    words
}
