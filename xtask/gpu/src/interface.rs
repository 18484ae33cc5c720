//! Inputs and outputs of all kinds on the device of wgpu: the gallery has few of them.

use planish::eval::shade::{Compute, DrawOptions, draw, fragment_outputs};
use planish::gpu::{self, Gpu};
use planish::ir::entity::Var;
use planish::module::{Module, Stage};
use planish::{Compiler, InputKind};

/// Largest difference of a component, whatever its range.
const TOLERANCE: f32 = 2e-3;

/// Varyings of all shapes, and outputs of all types.
const OUTPUTS: &str = "#version 300 es
precision highp float;
precision highp int;
in vec3 normal; in vec3 viewDir; flat in int kind; in mat3 tbn; in vec2 uvs[2];
layout(location = 0) out vec4 a;
layout(location = 1) out ivec2 b;
layout(location = 2) out uint c;
layout(location = 3) out float d;
void main() {
    a = vec4(normalize(viewDir), normal.z + dFdx(uvs[0].x) - dFdy(gl_FragCoord.y));
    b = ivec2(gl_FragCoord.xy) - kind - 7;
    c = uint(gl_FragCoord.x) * 3u;
    d = uvs[1].x + tbn[1][1];
    gl_FragDepth = uvs[0].y;
    if (gl_FragCoord.y < 3.0 || !gl_FrontFacing) discard;
}";

/// Loose uniforms of all types, blocks, and all kinds of textures.
const UNIFORMS: &str = "#version 310 es
precision highp float;
precision highp int;
precision highp sampler2DShadow;
precision highp samplerCubeShadow;
precision highp sampler3D;
precision highp sampler2DArray;
precision highp isampler2D;
struct Light { vec3 color; float power; bool on; };
uniform Light lights[3];
uniform mat3 m;
uniform mat2x3 narrow;
uniform bool flag;
uniform float weights[5];
uniform ivec3 whole;
layout(std140) uniform Block { mat4 world; vec3 tint; float parts[3]; bvec2 bits; layout(row_major) mat3 rows; } block;
layout(std140, binding = 3) uniform Several { vec4 value; } several[2];
uniform sampler2DShadow shadow;
uniform samplerCubeShadow around;
uniform samplerCube cube;
uniform sampler3D volume;
uniform sampler2DArray layers;
uniform isampler2D numbers;
uniform sampler2D pair[2];
in vec2 uv;
layout(location = 0) out vec4 numeric;
layout(location = 1) out vec4 textured;
layout(location = 2) out vec4 shadowed;
void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 3; i++) if (lights[i].on) sum += lights[i].color * lights[i].power * weights[i + 1];
    sum = m * sum + block.rows * block.tint * block.parts[2] + (block.world * vec4(1.0, 2.0, 3.0, 4.0)).xyz;
    sum += narrow * vec2(0.5, 0.25) + vec3(whole) + several[1].value.rgb * several[0].value.a;
    numeric = vec4(sum * (flag || block.bits.y ? 2.0 : 1.0), 0.5);
    textured = textureLod(cube, vec3(uv - 0.5, 1.0), 0.0) + textureLod(volume, vec3(uv, 0.3), 0.5) * textureLod(layers, vec3(uv, 1.0), 0.0);
    textured += vec4(texelFetch(numbers, ivec2(uv * 100.0), 0)) + textureLod(pair[1], uv, 1.0);
    shadowed = vec4(texture(shadow, vec3(uv, 0.5)), texture(around, vec4(0.2, -1.0, 0.1, 2.0)), vec2(textureSize(pair[0], 1)));
}";

/// Another origin, groups that the source names, textures apart from samplers.
const WGSL: &str = "@group(2) @binding(1) var t: texture_2d<f32>;
@group(0) @binding(4) var s: sampler;
struct Scale { by: vec2f, times: f32 };
@group(0) @binding(1) var<uniform> scale: Scale;
@vertex fn v() -> @builtin(position) vec4f { return vec4f(0); }
@fragment fn f(@builtin(position) p: vec4f, @builtin(front_facing) front: bool, @location(3) uv: vec2f) -> @location(0) vec4f {
    let texel = textureSampleLevel(t, s, uv * scale.by, 0.0);
    return vec4f(p.xy / 64.0 * scale.times, p.z, select(0.0, 1.0, front)) * texel;
}";

const COMPUTE: &str = "#version 310 es
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { uint count; float unused[3]; vec3 items[]; } data;
layout(std430, binding = 1) readonly buffer Settings { float scale; bool negative; } settings;
uniform float add;
shared float line[8];
void main() {
    uint i = gl_GlobalInvocationID.x;
    line[gl_LocalInvocationIndex] = float(i);
    barrier();
    float sign = settings.negative ? -1.0 : 1.0;
    data.items[i] = vec3(float(i) * settings.scale + add, line[7u - gl_LocalInvocationIndex], sign);
    atomicAdd(data.count, 1u);
}";

/// Two sources of blending, a constant of the host's, and push constants.
const VULKAN: &str = "#version 450
layout(push_constant) uniform Push { vec4 tint; float parts[2]; mat2 turn; } push;
layout(constant_id = 0) const int COUNT = 3;
layout(location = 0) in vec2 uv;
layout(location = 0, index = 0) out vec4 first;
layout(location = 0, index = 1) out vec4 second;
void main() {
    first = push.tint * push.parts[1] * float(COUNT) + vec4(push.turn * uv, 0.0, 0.0);
    second = vec4(1.0, uv, 1.0);
}";

/// Shaders that are refused, and a part of the reason.
const REFUSED: [(&str, &str); 3] = [
    (
        "#version 310 es
precision highp float;
layout(std430, binding = 0) buffer B { float x[]; };
out vec4 color;
void main() { x[0] = 1.0; color = vec4(x[1]); }",
        "an order that only the device knows",
    ),
    (
        "#version 450
layout(set = 40, binding = 0) uniform B { float x; };
layout(location = 0) out vec4 color;
void main() { color = vec4(x); }",
        "names group 40",
    ),
    (
        "#version 450
uniform sampler1D line;
out vec4 color;
void main() { color = texture(line, 0.5); }",
        "several levels of detail",
    ),
];

/// Compares each output of each shader with the evaluator's; returns the number of comparisons.
pub(crate) fn check(device: &Gpu) -> Result<usize, String> {
    let mut count = 0;
    let glsl = [OUTPUTS, UNIFORMS, VULKAN].map(|source| (InputKind::Glsl, source));
    for (from, source) in glsl.into_iter().chain([(InputKind::Wgsl, WGSL)]) {
        let module = compile(from, Stage::Fragment, source)?;
        for output in fragment_outputs(&module) {
            for sample in [None, Some(2)] {
                check_output(device, &module, &output, sample)?;
                count += 1;
            }
        }
    }
    for (source, reason) in REFUSED {
        let module = compile(InputKind::Glsl, Stage::Fragment, source)?;
        match gpu::draw(device, &module, &DrawOptions::default()) {
            Err(error) if error.to_string().contains(reason) => count += 1,
            Err(error) => return Err(format!("refused for another reason than `{reason}`: {error}")),
            Ok(_) => return Err(format!("not refused, although it {reason}")),
        }
    }
    check_compute(device)?;
    Ok(count + 1)
}

fn compile(from: InputKind, stage: Stage, source: &str) -> Result<Module, String> {
    let mut compiler = Compiler::default();
    (compiler.options.from, compiler.options.stage) = (Some(from), Some(stage));
    let compilation = compiler.compile("interface", source);
    compilation.module.ok_or_else(|| format!("{:?}", compilation.diagnostics))
}

fn check_output(device: &Gpu, module: &Module, output: &str, sample: Option<usize>) -> Result<(), String> {
    let known = |name: &str| module.vars.values().any(|v| &*v.name.text == name);
    let uniforms: [(&str, &[f64]); 4] = [
        ("lights[2].on", &[1.0]),
        ("lights[2].power", &[0.3]),
        ("whole", &[3.0, -4.0, 5.0]),
        ("block.bits", &[0.0, 1.0]),
    ];
    let uniforms = uniforms.iter().filter(|(name, _)| known(name.split(['[', '.']).next().unwrap_or(name)));
    let options = DrawOptions {
        // Neither side is a whole number of quads.
        size: [37, 21],
        sample,
        output: Some(output.to_owned()),
        uniforms: uniforms.map(|(name, value)| (name.to_string(), value.to_vec())).collect(),
        ..DrawOptions::default()
    };
    let ours = draw(module, &options).map_err(|error| error.to_string())?;
    let theirs = gpu::draw(device, module, &options).map_err(|error| format!("`{output}`: {error}"))?;
    let pairs = ours.float.iter().flatten().zip(theirs.float.iter().flatten());
    let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    // NaN is no small difference.
    if worst <= TOLERANCE { Ok(()) } else { Err(format!("`{output}`, sample {sample:?}: a difference of {worst}")) }
}

fn check_compute(device: &Gpu) -> Result<(), String> {
    let module = compile(InputKind::Glsl, Stage::Compute, COMPUTE)?;
    let options = DrawOptions { uniforms: vec![("add".into(), vec![0.25])], ..DrawOptions::default() };
    let var = |name: &str| module.vars.iter().find(|(_, v)| &*v.name.text == name).map(|(var, _)| var);
    let (Some(data), Some(settings)) = (var("data"), var("settings")) else {
        return Err("there are no buffers".into());
    };
    let before = [(data, vec![0; 4 + 16 * 3]), (settings, vec![2.5f32.to_bits().into(), 1])];
    let mut theirs: Vec<(Var, Vec<u64>)> = before.to_vec();
    gpu::dispatch(device, &module, &options, &mut theirs, [2, 1, 1]).map_err(|error| error.to_string())?;
    let mut compute = Compute::new(&module, &options).map_err(|error| error.to_string())?;
    for (var, words) in before {
        compute.evaluator().set_buffer(var, words);
    }
    compute.dispatch([2, 1, 1]).map_err(|error| error.to_string())?;
    for (var, words) in theirs {
        if compute.evaluator().get(var, 0) != words {
            return Err(format!("the buffer `{}` is another one", module.vars[var].name.text));
        }
    }
    Ok(())
}
