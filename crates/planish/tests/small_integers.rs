//! Integers of 8 and 16 bits through the whole compiler: every way out and back in, and every engine, draws what the evaluator draws; targets
//! without them get 32-bit integers that are wrapped, or say what they cannot hold.

use std::process::{Command, Stdio};

use planish::eval::shade::DrawOptions;
use planish::ir::types::Scalar;
use planish::lanes::LaneOptions;
use planish::module::Module;
use planish::vm::{Config, Engine, Strategy};
use planish::{EmitOptions, Optimizer, ShaderModel, Target, Version, emit};

use crate::common::{compile, picture};
use crate::halves::{complaint, desktop, text};
use crate::spirv::{objection, versions};

const HEAD: &str = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n";

const FRAGMENT: &str = "\
layout(location = 0) out vec4 color;
struct Cell { i8vec3 at; uint16_t scale; };
const int16_t STEPS[4] = int16_t[](-32768s, 32767s, 700s, -3s);
const u8vec4 MASK = u8vec4(1, 255, 128, 77);
int8_t noise(i8vec2 p) {
  i8vec3 q = p.xyx * i8vec3(31, -97, 113) + int8_t(5);
  q ^= q.yzx >> int8_t(3);
  q /= i8vec3(7, -1, p.y);
  return q.x + q.y * q.z - (q.z << 2);
}
uint16_t bits(uint16_t x, int16_t y) {
  uint16_t sum = uint16_t(bitCount(x)) + uint16_t(findMSB(x)) * 17us + uint16_t(findLSB(y)) + uint16_t(findMSB(y));
  sum += uint16_t(bitCount(int8_t(y))) * 1000us;
  return sum + uint16_t(abs(y)) % (x | 1us) - min(x, 1000us) + uint16_t(sign(y) * max(y, -5s));
}
void main() {
  ivec2 place = ivec2(gl_FragCoord.xy);
  i8vec2 p = i8vec2(place * 37 - 90);
  Cell cell = Cell(i8vec3(p, int8_t(3)), 60000us);
  int16_t sum = 0s;
  for (uint8_t i = uint8_t(0); i < 4; i++) {
    sum += STEPS[i] * int16_t(noise(cell.at.xy)) + int16_t(cell.scale % 77us);
    cell.at = clamp(cell.at.yzx - int8_t(100), int8_t(-128), int8_t(90));
    cell.scale *= cell.at.x < cell.at.y ? 90us : 7us;
    cell.scale -= bits(cell.scale, sum);
    sum /= -sum == sum ? -1s : 1s;
  }
  u8vec4 bytes = unpack8(uint(cell.scale) * 77777u) & MASK;
  bytes = mix(bytes, ~bytes, lessThan(bytes.wxyz, bytes));
  uint word = pack32(bytes) ^ pack32(u16vec2(cell.scale, uint16_t(sum)));
  i16vec4 parts = i16vec4(unpack16(int(word)), p);
  float16_t half_of_word = uint16BitsToFloat16(uint16_t(word) & 0x3fffus);
  int8_t saturated = int8_t(clamp(float(place.x) * 100.0, -128.0, 127.0));
  --parts.x;
  color = vec4(bytes) + vec4(parts) * float(saturated) + vec4(float(half_of_word), float(sum), p);
  switch (int(cell.at.z)) { case -3: color.x = 1.0; break; default: color.y += float(cell.at[uint8_t(place.x & 1)]); }
}
";

const SIZE: [u32; 2] = [16, 16];

fn source() -> String {
    format!("{HEAD}{FRAGMENT}")
}

/// The module at every level of optimization.
fn levels() -> Vec<(&'static str, Module)> {
    let module = compile("integers.frag", source()).expect("valid");
    let at = |level: &&'static str| {
        let mut module = module.clone();
        Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
        (*level, module)
    };
    planish::LEVELS.iter().map(at).collect()
}

fn holds_small_integers(module: &Module) -> bool {
    module.types.iter().any(|(ty, _)| module.types.scalar_of(ty).is_some_and(Scalar::is_small_integer))
}

#[test]
fn the_judge_accepts_the_program() {
    assert_eq!(complaint("frag", &source()), None);
}

/// SPIR-V of another compiler: with `FindILsb` of 16 bits, and casts between vectors and words.
#[test]
fn what_glslang_makes_of_it_draws_the_same() {
    let path = std::env::temp_dir().join(format!("planish-small-integers-{}", std::process::id()));
    let (from, to) = (path.with_extension("frag"), path.with_extension("spv"));
    std::fs::write(&from, source()).expect("it is written");
    let command = Command::new("glslangValidator")
        .args(["-V", "--target-env", "vulkan1.2", "-o"])
        .args([&to, &from])
        .stdout(Stdio::null())
        .status();
    let Ok(status) = command else {
        eprintln!("skipped: there is no glslangValidator");
        return;
    };
    assert!(status.success());
    let bytes = std::fs::read(&to).expect("it is there");
    let removed = std::fs::remove_file(&from).and_then(|()| std::fs::remove_file(&to));
    let module = compile("again.spv", bytes).expect("is read");
    removed.expect("they are there");
    assert!(holds_small_integers(&module));
    let expected = picture(&compile("integers.frag", source()).expect("valid"), SIZE).expect("is drawn");
    assert_eq!(picture(&module, SIZE).expect("is drawn"), expected);
}

#[test]
fn every_way_out_and_back_draws_the_same() {
    let levels = levels();
    let expected = picture(&levels[0].1, SIZE).expect("is drawn");
    let differing = expected.iter().map(|pixel| pixel[2]).collect::<std::collections::BTreeSet<_>>();
    assert!(differing.len() > SIZE[0] as usize, "the picture has too few values");
    for (level, module) in &levels {
        assert_eq!(picture(module, SIZE).expect("is drawn"), expected, "level {level}");
        for (name, target, options, keeps) in [
            ("again.spv", Target::Spirv, EmitOptions::default(), true),
            ("again.frag", Target::Glsl, desktop(450), true),
            // By 32-bit integers.
            ("again.frag", Target::Glsl, desktop(420), false),
        ] {
            let output = emit(module, target, &options).unwrap_or_else(|e| panic!("{name} at level {level}: {e:#?}"));
            let said = match target {
                Target::Spirv => objection(&output.bytes, "vulkan1.1"),
                _ => complaint("frag", &String::from_utf8_lossy(&output.bytes)),
            };
            assert_eq!(said, None, "{name} at level {level}: {}", String::from_utf8_lossy(&output.bytes));
            let again = compile(name, &output.bytes)
                .unwrap_or_else(|e| panic!("{name} at level {level}: {e}\n{}", String::from_utf8_lossy(&output.bytes)));
            assert_eq!(holds_small_integers(&again), keeps, "{name}");
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
fn targets_without_them_draw_the_same() {
    let module = compile("integers.frag", source()).expect("valid");
    let expected = picture(&module, SIZE).expect("is drawn");
    for (name, target, options) in [
        ("again.wgsl", Target::Wgsl, EmitOptions::default()),
        ("again.frag", Target::Glsl, EmitOptions { version: Some(Version::es(300)), ..EmitOptions::default() }),
    ] {
        let output = text(&module, target, &options);
        let again = compile(name, output.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}\n{output}"));
        assert!(!holds_small_integers(&again), "{name}");
        assert_eq!(picture(&again, SIZE).expect("is drawn"), expected, "{name}");
    }
    for target in [Target::Hlsl, Target::C, Target::Rust, Target::Js, Target::Wasm] {
        emit(&module, target, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{target:?}: {errors:#?}"));
    }
}

/// `cargo xtask msl` runs those of Metal.
#[test]
fn metal_and_hlsl_have_words_for_them() {
    let module = compile("integers.frag", source()).expect("valid");
    let model = ShaderModel::parse("6.2").expect("a model");
    let output = text(&module, Target::Hlsl, &EmitOptions { shader_model: model, ..EmitOptions::default() });
    for part in ["uint16_t scale;", "int3 at;", "asfloat16(", "int16_t("] {
        assert!(output.contains(part), "without {part}:\n{output}");
    }
    let output = text(&module, Target::Msl, &EmitOptions::default());
    for part in ["char3 at;", "ushort scale;", "short4", "as_type<half>(", "short(", "-32768, 32767"] {
        assert!(output.contains(part), "without {part}:\n{output}");
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

const COMPUTE: &str = "\
layout(local_size_x = 8) in;
struct Cell { int8_t depth; u8vec3 color; int16_t height; };
layout(std430, binding = 0) buffer B { u16vec2 corner; Cell cells[4]; uint8_t bytes[]; } b;
void main() {
  uint i = gl_LocalInvocationIndex;
  b.cells[i].height = int16_t(int(b.cells[i].depth) * 3);
  b.corner = u16vec2(uvec2(b.cells[i].color.xy));
  b.bytes[i] = b.bytes[i + 1u];
}
";

const STORAGE: &str =
    "#extension GL_EXT_shader_8bit_storage : require\n#extension GL_EXT_shader_16bit_storage : require\n";

#[test]
fn blocks_of_small_integers_have_their_layout() {
    let source = format!("#version 450\n{STORAGE}{}", COMPUTE.replace("b.cells[i].color.xy", "b.corner"));
    assert_eq!(complaint("comp", &source), None);
    let module = compile("blocks.comp", &source).expect("valid");
    let reflected = text(&module, Target::Reflect, &EmitOptions::default());
    for part in ["int8_t", "u8vec3", "uint8_t[]", "\"offset\": 52", "\"stride\": 12", "\"stride\": 1"] {
        assert!(reflected.contains(part), "without {part}: {reflected}");
    }
    for (version, environment) in versions() {
        let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
        let bytes = emit(&module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{version:?}: {e:#?}")).bytes;
        assert_eq!(objection(&bytes, environment), None);
        // It stores and converts alone: a device need not compute with them.
        let words: Vec<u32> = bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("four"))).collect();
        let computes = words.windows(2).any(|w| w[0] == 2 << 16 | 17 && [22, 39].contains(&w[1]));
        assert!(!computes, "{version:?} has the capability Int8 or Int16");
        let again = compile("again.spv", &bytes).expect("is read");
        assert_eq!(
            text(&again, Target::Reflect, &EmitOptions::default()).matches("int8_t").count(),
            reflected.matches("int8_t").count()
        );
    }
    let output = text(&module, Target::Glsl, &desktop(450));
    assert_eq!(complaint("comp", &output), None, "{output}");
}

#[test]
fn a_block_of_bytes_is_refused_by_targets_without_them() {
    let module = compile("blocks.comp", format!("{HEAD}{COMPUTE}")).expect("valid");
    for (target, options) in [
        (Target::Glsl, EmitOptions { version: Some(Version::es(310)), ..EmitOptions::default() }),
        (Target::Wgsl, EmitOptions::default()),
        (Target::Hlsl, EmitOptions::default()),
        (Target::C, EmitOptions::default()),
        (Target::Js, EmitOptions::default()),
    ] {
        let errors = emit(&module, target, &options).expect_err("it has no bytes");
        let is_told = |e: &planish::ir::diagnostic::Diagnostic| {
            e.code.0 == "E0602" && e.message.contains("8-bit integer") && !e.help.is_empty()
        };
        assert!(errors.iter().any(is_told), "{target:?}: {errors:#?}");
    }
}

/// Between conversions they are no more than a type, which needs a capability as well.
#[test]
fn numbers_that_are_only_converted_have_a_capability() {
    for value in
        ["uint8_t(x)", "int8_t(x)", "float16_t(x)", "uint16_t(int(x))", "uint8_t(uint(x))", "int16_t(int8_t(x))"]
    {
        let source = format!(
            "{HEAD}layout(location = 0) out vec4 color;\nvoid main() {{ float x = gl_FragCoord.x; color = vec4({value}); }}\n"
        );
        let module = compile("converted.frag", source).expect("valid");
        for (version, environment) in versions() {
            let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
            let output = emit(&module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{value}: {e:#?}"));
            assert_eq!(objection(&output.bytes, environment), None, "{value}");
        }
    }
}

#[test]
fn outputs_that_are_only_stored_need_no_constants() {
    let source = "#version 450\n\
        #extension GL_AMD_gpu_shader_int16 : require\n#extension GL_AMD_gpu_shader_half_float : require\n\
        layout(location = 0) in i16vec2 a;\nlayout(location = 0) out i16vec2 b;\n\
        layout(location = 1) in float16_t c;\nlayout(location = 1) out float16_t d;\n\
        void main() { b = a; d = c; gl_Position = vec4(0.0); }\n";
    for level in ["0", "2"] {
        let mut module = compile("stored.vert", source).expect("valid");
        Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
        let output = emit(&module, Target::Spirv, &EmitOptions::default()).expect("SPIR-V has them");
        assert_eq!(objection(&output.bytes, "vulkan1.1"), None, "-O{level}");
    }
}
