//! 16-bit floats through the whole compiler: every way out and back in, and every engine, draws what the evaluator draws; targets
//! without them get 32-bit floats that are rounded, or say what they cannot hold.

use std::io::Write as _;
use std::process::{Command, Stdio};

use planish::eval::shade::DrawOptions;
use planish::ir::types::Scalar;
use planish::lanes::LaneOptions;
use planish::module::Module;
use planish::vm::{Config, Engine, Strategy};
use planish::{EmitOptions, Optimizer, ShaderModel, Target, Version, emit};

use crate::common::{compile, picture};
use crate::spirv::{objection, versions};

const EXTENSIONS: &str = "#version 450\n\
    #extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n\
    #extension GL_EXT_shader_16bit_storage : require\n";

const FRAGMENT: &str = "\
layout(location = 0) out vec4 color;
struct Ray { f16vec3 at; float16_t scale; };
const float16_t STEPS[4] = float16_t[](0.1hf, 0.25hf, 3.0hf, 700.0hf);
float16_t noise(f16vec2 p) {
  f16vec3 q = fract(p.xyx * f16vec3(0.1031hf, 0.103hf, 0.0973hf));
  q += dot(q, q.yzx + 33.33hf);
  return fract((q.x + q.y) * q.z);
}
void main() {
  f16vec2 p = f16vec2(gl_FragCoord.xy) * 0.37hf - 2.0hf;
  Ray ray = Ray(f16vec3(p, 1.0hf), 0.001hf);
  float16_t sum = 0.0hf;
  for (int i = 0; i < 4; i++) {
    sum += noise(ray.at.xy) * STEPS[i] / (ray.scale + 0.3hf);
    ray.at = normalize(ray.at) * ray.scale - f16vec3(p.yx, 0.5hf);
    ray.scale *= ray.at.x < ray.at.y ? 90.0hf : -7.0hf;
    if (isinf(ray.scale)) ray.scale = 1.0hf;
  }
  f16mat2 m = f16mat2(p, sqrt(abs(p.yx)));
  m = m * transpose(m) + 0.5hf;
  vec2 wide = m * p + vec2(fma(p, p, p).x, clamp(sum, -5.0hf, 60000.0hf));
  uint bits = packFloat2x16(f16vec2(sum, ray.scale));
  color = vec4(wide, float(sum), mix(p.x, p.y, 0.3hf) + float(int(sum)) + unpackFloat2x16(bits ^ 0x8000u).x);
}
";

fn source() -> String {
    format!("{EXTENSIONS}{FRAGMENT}")
}

const SIZE: [u32; 2] = [16, 16];

/// The module at every level of optimization.
fn levels() -> Vec<(&'static str, Module)> {
    let module = compile("halves.frag", source()).expect("valid");
    let at = |level: &&'static str| {
        let mut module = module.clone();
        Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
        (*level, module)
    };
    planish::LEVELS.iter().map(at).collect()
}

pub(crate) fn text(module: &Module, target: Target, options: &EmitOptions) -> String {
    let output = emit(module, target, options).unwrap_or_else(|errors| panic!("{target:?}: {errors:#?}"));
    String::from_utf8(output.bytes).expect("text")
}

pub(crate) fn desktop(number: u16) -> EmitOptions {
    EmitOptions { version: Some(Version::desktop(number)), ..EmitOptions::default() }
}

/// The complaints of `glslangValidator` about a shader; `None` if it accepts it or is not installed.
pub(crate) fn complaint(stage: &str, text: &str) -> Option<String> {
    let command = Command::new("glslangValidator")
        .args(["--stdin", "-S", stage])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = command else {
        eprintln!("skipped: there is no glslangValidator");
        return None;
    };
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn every_way_out_and_back_draws_the_same() {
    let levels = levels();
    let expected = picture(&levels[0].1, SIZE).expect("is drawn");
    let differing = expected.iter().map(|pixel| pixel[2]).collect::<std::collections::BTreeSet<_>>();
    assert!(differing.len() > SIZE[0] as usize, "the picture has too few values");
    for (level, module) in &levels {
        assert_eq!(picture(module, SIZE).expect("is drawn"), expected, "level {level}");
        for (name, target, options) in [
            ("again.spv", Target::Spirv, EmitOptions::default()),
            ("again.wgsl", Target::Wgsl, EmitOptions::default()),
            ("again.frag", Target::Glsl, desktop(450)),
            // By 32-bit floats.
            ("again.frag", Target::Glsl, desktop(420)),
            ("again.frag", Target::Glsl, EmitOptions { version: Some(Version::es(300)), ..EmitOptions::default() }),
        ] {
            let output = emit(module, target, &options).unwrap_or_else(|e| panic!("{name} at level {level}: {e:#?}"));
            let said = match target {
                Target::Spirv => objection(&output.bytes, "vulkan1.1"),
                Target::Glsl => complaint("frag", &String::from_utf8_lossy(&output.bytes)),
                _ => None,
            };
            assert_eq!(said, None, "{name} at level {level}: {}", String::from_utf8_lossy(&output.bytes));
            let again = compile(name, &output.bytes)
                .unwrap_or_else(|e| panic!("{name} at level {level}: {e}\n{}", String::from_utf8_lossy(&output.bytes)));
            let has = again.types.iter().any(|(ty, _)| again.types.scalar_of(ty) == Some(Scalar::F16));
            let lacks = options.version.is_some_and(|v| v != Version::desktop(450));
            assert_eq!(has, !lacks, "{name}");
            assert_eq!(
                picture(&again, SIZE).expect("is drawn"),
                expected,
                "{name} {:?} at level {level}",
                options.version
            );
        }
    }
}

#[test]
fn every_engine_draws_the_same() {
    let (_, module) = levels().pop().expect("a level");
    let expected = picture(&module, SIZE).expect("is drawn");
    let options = DrawOptions { size: SIZE, threads: 1, time: 0.7, ..DrawOptions::default() };
    for strategy in [Strategy::Vm, Strategy::Native] {
        let engine = Engine::new(Config::default().strategy(strategy).consume_fuel(true));
        let image = planish::lanes::draw_on(&engine, &module, &options, &LaneOptions { lanes: 8, exact: true })
            .expect("is drawn");
        let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
        let found: Vec<_> = image.float.iter().map(|p| p.map(bits)).collect();
        assert_eq!(found, expected, "{strategy:?}");
    }
}

#[test]
fn languages_with_halves_have_their_words() {
    let (_, module) = levels().remove(0);
    let model =
        |name: &str| EmitOptions { shader_model: ShaderModel::parse(name).expect("a model"), ..EmitOptions::default() };
    for (target, options, words) in [
        (Target::Wgsl, EmitOptions::default(), &["enable f16;", "vec2h", "0.5h"][..]),
        (Target::Msl, EmitOptions::default(), &["half3", "half2x2"]),
        (Target::Hlsl, model("6.2"), &["float16_t", "float16_t3"]),
        (
            Target::Glsl,
            desktop(450),
            &["float16_t", "f16vec3", "hf", "GL_EXT_shader_explicit_arithmetic_types_float16"],
        ),
    ] {
        let text = text(&module, target, &options);
        for word in words {
            assert!(text.contains(word), "{target:?} without `{word}`:\n{text}");
        }
    }
    // Older ones have 32-bit floats, rounded.
    for (target, options) in
        [(Target::Hlsl, model("6.0")), (Target::Glsl, desktop(420)), (Target::C, EmitOptions::default())]
    {
        let text = text(&module, target, &options);
        assert!(!text.contains("float16_t") && !text.contains("f16vec"), "{target:?}:\n{text}");
    }
}

const COMPUTE: &str = "\
layout(local_size_x = 8) in;
struct Cell { float16_t depth; f16vec3 normal; };
layout(std430, binding = 0) buffer B { f16vec2 color; Cell cells[]; } b;
void main() {
  uint i = gl_LocalInvocationIndex;
  b.cells[i].depth = float16_t(float(b.cells[i].depth) * 2.0);
  b.color = f16vec2(vec3(b.cells[i].normal).xy);
}
";

#[test]
fn blocks_of_halves_have_their_layout() {
    let source = format!("#version 450\n#extension GL_EXT_shader_16bit_storage : require\n{COMPUTE}");
    let module = compile("blocks.comp", &source).expect("valid");
    let reflected = text(&module, Target::Reflect, &EmitOptions::default());
    for part in ["float16_t", "\"offset\": 8", "\"stride\": 16"] {
        assert!(reflected.contains(part), "without {part}: {reflected}");
    }
    for (version, environment) in versions() {
        let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
        let bytes = emit(&module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{version:?}: {e:#?}")).bytes;
        assert_eq!(objection(&bytes, environment), None);
        // It stores and converts alone: a device need not compute with halves.
        let words: Vec<u32> = bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("four"))).collect();
        let float16 = words.windows(2).any(|w| w == [2 << 16 | 17, 9]);
        assert!(!float16, "{version:?} has the capability Float16");
        let again = compile("again.spv", &bytes).expect("is read");
        assert_eq!(
            text(&again, Target::Reflect, &EmitOptions::default()).matches("float16_t").count(),
            reflected.matches("float16_t").count()
        );
    }
    let output = text(&module, Target::Glsl, &desktop(450));
    assert_eq!(complaint("comp", &output), None, "{output}");
}

#[test]
fn a_block_of_halves_is_refused_by_targets_without_them() {
    let source = format!("{EXTENSIONS}{COMPUTE}");
    let module = compile("blocks.comp", &source).expect("valid");
    for (target, options) in [
        (Target::Glsl, EmitOptions { version: Some(Version::es(310)), ..EmitOptions::default() }),
        (Target::Hlsl, EmitOptions { shader_model: ShaderModel::V6_0, ..EmitOptions::default() }),
        (Target::C, EmitOptions::default()),
        (Target::Js, EmitOptions::default()),
    ] {
        let errors = emit(&module, target, &options).expect_err("it has no halves");
        assert!(
            errors.iter().any(|e| e.code.0 == "E0602" && e.message.contains("16-bit float")),
            "{target:?}: {errors:#?}"
        );
    }
}
