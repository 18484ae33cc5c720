//! Fragment shaders on lanes draw what the evaluator draws, bit for bit.

use std::path::{Path, PathBuf};

use planish::eval::shade::{DrawOptions, Image, draw};
use planish::lanes::{DrawError, Drawing, LaneOptions};
use planish::module::Module;
use planish::opt::widen::LANES;
use planish::vm::{Config, Engine, Strategy, WideVectors};
use planish_generate::{Choices, glsl};
use planish_testkit::{runs_all, share};

use crate::common::seeds::compile;

/// The bits of a picture; the optimizer may give any NaN for another.
fn bits(image: &Image) -> Vec<[u32; 4]> {
    image.float.iter().map(|pixel| pixel.map(|x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() })).collect()
}

/// Draws a shader both ways; `None` if it cannot be widened.
pub(crate) fn compare(name: &str, module: &Module, options: &DrawOptions<'_>) -> Option<()> {
    compare_on(name, module, options, &LANES)
}

/// As [`compare`], on these numbers of lanes.
fn compare_on(name: &str, module: &Module, options: &DrawOptions<'_>, lanes: &[u8]) -> Option<()> {
    let expected = draw(module, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    // Machine code takes longer to compile than to run here: with vectors of 256 bits and without on 8 lanes alone.
    let machine = |n: u8| if n == 8 { vec![WideVectors::OnLanes, WideVectors::Never] } else { vec![] };
    let engines = lanes.iter().flat_map(|&n| {
        let machine = machine(n).into_iter().map(|wide| (Strategy::Native, wide));
        [(Strategy::Vm, WideVectors::Never)].into_iter().chain(machine).map(move |(strategy, wide)| (n, strategy, wide))
    });
    for (n, strategy, wide) in engines {
        let engine = Engine::new(Config::default().strategy(strategy).wide_vectors(wide).consume_fuel(true));
        let found = match planish::lanes::draw_on(&engine, module, options, &LaneOptions { lanes: n, exact: true }) {
            Ok(found) => found,
            Err(DrawError::Unsupported(_)) => return None,
            Err(error) => panic!("{name}, {n} lanes, {strategy:?}, {wide:?}: {error}"),
        };
        let same_bytes = expected.rgba8 == found.rgba8;
        let (expected, found) = (bits(&expected), bits(&found));
        if let Some(at) = (0..expected.len()).find(|&at| expected[at] != found[at]) {
            let show = |pixel: [u32; 4]| pixel.map(f32::from_bits);
            let width = options.size[0] as usize;
            panic!(
                "{name}, {n} lanes, {strategy:?}, {wide:?}, pixel {}, {} from the upper left: {:?}, not {:?}",
                at % width,
                at / width,
                show(found[at]),
                show(expected[at])
            );
        }
        assert!(same_bytes, "{name}, {n} lanes, {strategy:?}, {wide:?}: the bytes differ");
    }
    Some(())
}

/// The sizes in which the shader of a number is drawn: both, or one of them, in turn.
fn sizes(shader: usize) -> impl Iterator<Item = [u32; 2]> {
    [[32, 8], [19, 7]]
        .into_iter()
        .enumerate()
        .filter(move |(i, _)| runs_all() || shader % 2 == *i)
        .map(|(_, size)| size)
}

pub(crate) fn options(size: [u32; 2]) -> DrawOptions<'static> {
    DrawOptions { size, time: 1.5, threads: 1, ..DrawOptions::default() }
}

/// A shader with these statements, which set `color` at `uv`.
fn shader(statements: &str) -> Module {
    let source = format!(
        "#version 310 es\nprecision highp float;\nprecision highp int;\nin vec2 uv;\nout vec4 color;\n\
         uniform float iTime;\nuniform float weights[5];\nuniform int count;\nuniform sampler2D picture;\n\
         void main() {{\n{statements}\n}}\n"
    );
    compile(&source).unwrap_or_else(|errors| panic!("{errors}\n{source}"))
}

const SHADERS: &[(&str, &str)] = &[
    ("straight", "color = vec4(uv, sin(uv.x * 40.0), pow(uv.y, 2.5));"),
    ("branch", "float x = 0.25; if (uv.x > uv.y) { x = sqrt(uv.x) * exp(uv.y) - cos(uv.x * 9.0); } color = vec4(x);"),
    ("trip counts differ", "float s = 0.0; for (int i = 0; i < int(uv.x * 20.0); i++) s += fract(s * 1.7 + uv.y); color = vec4(s);"),
    (
        "break, continue and return in a nest",
        "float s = 0.0; color = vec4(0.5);
         for (int i = 0; i < 12; i++) {
           for (int j = 0; j < 9; j++) {
             if (fract(s + uv.x * float(i)) > 0.9) continue;
             s += uv.y + 0.01 * float(j);
             if (s > 7.0 * uv.x + 1.0) break;
             if (s > 9.0) { color = vec4(s, uv, 1.0); return; }
           }
           if (s > 5.0 && uv.x > 0.5) break;
         }
         color += vec4(s * 0.1);",
    ),
    (
        "switch with fall through",
        "int k = int(uv.x * 7.0); float s = uv.y;
         switch (k) { case 0: s += 1.0; case 1: case 2: s *= 2.0; if (uv.y > 0.5) break; s -= 0.25;
           case 3: s += 0.125; break; default: s = -s; case 5: s *= 0.5; }
         color = vec4(s);",
    ),
    (
        "uniform loop",
        "float s = 0.0; for (int i = 0; i < 5; i++) { s += weights[i] * uv.x; if (i > count) break; } color = vec4(s);",
    ),
    (
        "array of the function at an index that varies",
        "float a[8]; for (int i = 0; i < 8; i++) a[i] = float(i * i) * 0.1;
         int k = int(uv.x * 8.0); a[k] += uv.y; a[7 - k] = 3.0; color = vec4(a[int(uv.y * 9.0)], a[k], a[3], a[7]);",
    ),
    (
        "constant table at an index that varies",
        "const float t[12] = float[](1.0,2.0,3.5,4.0,0.5,6.0,7.0,8.0,9.0,2.5,1.5,0.0);
         color = vec4(t[int(uv.x * 12.0)], t[int(uv.y * 20.0)], 0.0, 1.0);",
    ),
    (
        "uniform array at an index that varies",
        "color = vec4(weights[int(uv.x * 5.0)], weights[int(uv.y * 9.0)], 0.0, 1.0);",
    ),
    (
        "matrices",
        "mat3 m = mat3(uv.x, 1.0, 2.0, 3.0, uv.y, 0.5, 0.25, 2.0, uv.x - uv.y);
         vec3 v = inverse(m) * vec3(uv, 1.0) + transpose(m)[1] * determinant(m); m[int(uv.x * 3.0)].y = 4.0;
         color = vec4(normalize(v + m[1]), dot(v, cross(v, m[2])));",
    ),
    (
        "swizzles of swizzles",
        "vec4 a = vec4(uv, uv.x * 3.0, 0.5); vec4 b = a.wzyx.yxwz.xxyz; a.ywxz.zyx.yx = vec2(uv.y + 5.0, 6.0);
         a.wzyx.zw += b.xy; a.wzx.y *= 2.0; color = a + b;",
    ),
    ("derivatives", "float x = sin(uv.x * 30.0) * uv.y; color = vec4(dFdx(x), dFdy(x), fwidth(uv.x * uv.y * 50.0), 1.0);"),
    (
        "derivatives in control flow that is not uniform",
        "color = vec4(0.0); if (uv.x + uv.y > 0.9) { float x = uv.x * uv.y; color = vec4(dFdx(x), dFdy(x), fwidth(x * x), 1.0); }
         for (int i = 0; i < int(uv.y * 6.0); i++) { color.a += dFdx(uv.x * color.a + float(i)); }",
    ),
    ("discard", "if (fract(uv.x * 7.0) > 0.6) discard; color = vec4(uv, dFdx(uv.y * uv.x), 1.0);"),
    (
        "discard in a loop",
        "float s = 0.0; for (int i = 0; i < 10; i++) { s += uv.x; if (s > 4.0 + uv.y) discard; } color = vec4(s);",
    ),
    (
        "integers",
        "uvec2 p = uvec2(gl_FragCoord.xy); uint h = p.x * 73856093u ^ p.y * 19349663u; h ^= h >> 13u; h *= 0x5bd1e995u; h ^= h >> (p.x & 7u);
         int q = int(h % 17u) / (int(p.x) - 5); q <<= int(p.y) & 3; color = vec4(float(h) / 4294967296.0, float(q), float(bitCount(h)), float(findMSB(q)));",
    ),
    (
        "functions of one number",
        "float x = uv.x * 4.0 - 2.0, y = uv.y * 3.0; color = vec4(tan(x) + asin(uv.x), atan(y, x) + log2(y), exp2(x) * inversesqrt(y), mod(x, 0.7) + smoothstep(-1.0, 1.0, x))
           + vec4(sign(x), step(0.5, uv.y), clamp(x, -1.0, 1.0), mix(x, y, uv.x)) + vec4(floor(x), ceil(x), round(x), trunc(x)) + vec4(min(x, y), max(x, y), abs(x), -x)
           + vec4(isnan(sqrt(x)), isinf(1.0 / floor(uv.x)), any(lessThan(uv, vec2(0.5))), all(greaterThan(uv, vec2(0.25))));",
    ),
    ("textures", "color = texture(picture, uv * 3.0) + textureLod(picture, uv, uv.x * 4.0) * 0.5 + texelFetch(picture, ivec2(uv * 100.0), 0);"),
    (
        "textures in control flow that is not uniform",
        "color = vec4(0.1); if (uv.x > 0.3 * uv.y) color = texture(picture, uv.yx * 5.0); else color += textureGrad(picture, uv, dFdx(uv), dFdy(uv));",
    ),
    (
        "packing",
        "uint p = packUnorm4x8(vec4(uv, 0.3, 1.0)) ^ packHalf2x16(uv); color = unpackUnorm4x8(p) + vec4(unpackHalf2x16(p & 0x3fff3fffu), 0.0, 0.0);",
    ),
    (
        "structs",
        "struct S { vec2 a; float b[3]; }; S s = S(uv, float[](1.0, 2.0, uv.x)); S t = s; t.a.x += 1.0; t.b[int(uv.y * 3.0)] = 9.0;
         bool same = s == t; if (uv.x > 0.5) s = t; color = vec4(s.a, s.b[1] + s.b[2], same ? 1.0 : 0.0);",
    ),
];

#[test]
fn shaders_on_lanes_draw_the_same_pictures() {
    for (i, (name, statements)) in SHADERS.iter().enumerate() {
        let module = shader(statements);
        for size in sizes(i) {
            compare(name, &module, &options(size)).unwrap_or_else(|| panic!("{name} cannot be widened"));
        }
    }
}

#[test]
fn helpers_on_lanes_know_that_they_are() {
    let source = "#version 310 es\n#extension GL_EXT_demote_to_helper_invocation : require\nprecision highp float;\nin vec2 uv;\n\
        out vec4 color;\nvoid main() {\nif (fract(uv.x * 3.0) > 0.5) demote;\n\
        float h = helperInvocationEXT() ? uv.x : -uv.y;\ncolor = vec4(h, dFdx(h), dFdy(h), 1.0);\n}\n";
    let module = compile(source).expect("valid");
    for size in [[16, 8], [13, 5]] {
        compare("helpers", &module, &options(size)).expect("it is widened");
    }
}

#[test]
fn random_shaders_on_lanes_draw_the_same_pictures() {
    let mut drawn = 0;
    // Seeds that once found something, kept for ever.
    let seeds = planish_testkit::seeds(0..150).chain([417]);
    for seed in seeds.clone() {
        let source = glsl(&mut Choices::from_seed(seed)).to_string();
        let module = compile(&source).expect("random programs are valid");
        drawn += usize::from(compare(&format!("seed {seed}"), &module, &options([16, 8])).is_some());
    }
    assert!(drawn * 3 > seeds.count() * 2, "only {drawn} were drawn");
}

/// The shaders of the gallery.
fn gallery() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["shaders", "flatten"] {
        let path = format!("{}/../../examples/{folder}", env!("CARGO_MANIFEST_DIR"));
        files.extend(std::fs::read_dir(path).expect("the gallery").map(|entry| entry.expect("readable").path()));
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "frag"));
    files.sort();
    assert!(files.len() > 50, "only {} shaders", files.len());
    files
}

/// The name of a shader, and its module.
fn compiled(file: &Path) -> (String, Module) {
    let name = file.file_name().expect("a file").to_string_lossy().into_owned();
    let source = std::fs::read_to_string(file).expect("readable");
    let module = crate::common::compile(&name, &source).unwrap_or_else(|errors| panic!("{name}: {errors}"));
    (name, module)
}

/// The shaders of the gallery, small: all can be drawn on lanes.
#[test]
fn the_gallery_on_lanes_draws_the_same_pictures() {
    for file in share(gallery()) {
        let (name, module) = compiled(&file);
        compare_on(&name, &module, &options([32, 16]), &[8]).unwrap_or_else(|| panic!("{name} cannot be widened"));
    }
}

/// Shaders whose approximate pictures differ beyond the tolerance. Each has a hash that takes the sine of large numbers and keeps the digits
/// after the third or later, as `docs/gpu.md` says of them.
const SENSITIVE: &[&str] = &["bloom_lights.frag", "planished.frag", "warped_agate.frag"];

/// Of every fourth shader of the gallery, code with vectors of 256 bits gives the bits of that with 128, with approximated functions,
/// too; and none has an operation that is missing there.
#[test]
fn the_gallery_on_wide_vectors_draws_the_same_pictures() {
    let Ok(()) = Engine::supports_native() else { return eprintln!("SKIPPED: no machine code on this host") };
    let (mut wide, mut narrow) = (0, 0);
    for (i, file) in share(gallery().into_iter().enumerate().step_by(4)) {
        let (name, module) = compiled(&file);
        let lanes = LaneOptions { lanes: if i.is_multiple_of(8) { 8 } else { 16 }, exact: false };
        let [expected, found] = [WideVectors::Never, WideVectors::OnLanes].map(|vectors| {
            let engine =
                Engine::new(Config::default().strategy(Strategy::Native).wide_vectors(vectors).consume_fuel(true));
            let mut drawing = Drawing::new(&engine, &module, &lanes);
            let picture = drawing.draw(&options([32, 16])).expect("it can be drawn");
            let pairs = drawing.wide_pairs().unwrap_or_else(|missing| panic!("{name}: {missing} is missing"));
            *(if pairs > 0 { &mut wide } else { &mut narrow }) += 1;
            bits(&picture)
        });
        assert!(expected == found, "{name}, {} lanes", lanes.lanes);
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        assert_eq!(wide, narrow, "pictures with wide vectors, and without");
    }
    assert!(narrow > 0);
}

/// With approximated functions, pictures are within the tolerance of `docs/gpu.md`: of 512 pixels, all but one within 1/255.
#[test]
fn the_gallery_approximates_its_pictures() {
    let Ok(()) = Engine::supports_native() else { return eprintln!("SKIPPED: no machine code on this host") };
    let (mut beyond, mut differing) = (Vec::new(), 0);
    let files: Vec<PathBuf> = share(gallery()).collect();
    for file in &files {
        let (name, module) = compiled(file);
        let engine = Engine::new(Config::default().strategy(Strategy::Native).consume_fuel(true));
        let options = options([32, 16]);
        let exact = draw(&module, &options).expect("it can be drawn");
        let lanes = LaneOptions { exact: false, ..LaneOptions::default() };
        let approximate = planish::lanes::draw_on(&engine, &module, &options, &lanes).expect("it can be drawn");
        differing += usize::from(bits(&exact) != bits(&approximate));
        let shown = |x: f32| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
        let pairs = exact.float.iter().zip(&approximate.float);
        let far =
            |x: &[f32; 4], y: &[f32; 4]| x.iter().zip(y).any(|(x, y)| (shown(*x) - shown(*y)).abs() > 1.0 / 255.0);
        let count = pairs.filter(|(x, y)| far(x, y)).count();
        if count > 1 && !SENSITIVE.contains(&&*name) {
            beyond.push((name, count));
        }
    }
    assert!(differing * 7 > files.len(), "only {differing} pictures have any other bit");
    assert_eq!(beyond, [], "pictures beyond the tolerance, with the number of pixels");
}

/// Declarations, and statements that set `color`.
const SHARING: &[(&str, &str, &str)] = &[
    (
        "a counter in a buffer",
        "layout(std430, binding = 0) buffer B { uint n; uint big[5]; } b;",
        "uint k = atomicAdd(b.n, 1u); color = vec4(float(k), float(atomicMax(b.big[k % 5u], k)), float(atomicExchange(b.big[4], k)), float(atomicCompSwap(b.n, 7u, 9u)));",
    ),
    (
        "a counter under conditions, with derivatives",
        "layout(std430, binding = 0) buffer B { uint n; int low; } b;",
        "color = vec4(0.0); if (uv.x > uv.y) { float k = float(atomicAdd(b.n, 3u)); color = vec4(k, dFdx(k), dFdy(k), float(atomicMin(b.low, -int(k)))); }
         else { color.x = float(atomicOr(b.n, 64u)); }",
    ),
    (
        "atomics in loops that lanes leave apart, and after a discard",
        "layout(std430, binding = 0) buffer B { uint n[4]; } b;",
        "float s = 0.0; for (int i = 0; i < int(uv.x * 9.0); i++) { s += float(atomicAdd(b.n[i & 3], 1u)); if (s > 90.0) break; }
         if (fract(uv.y * 5.0) > 0.7) discard; color = vec4(s, float(atomicXor(b.n[1], 5u)), dFdx(s), 1.0);",
    ),
    (
        "stores to buffers, by indices that vary",
        "struct S { vec3 a; float b; mat2 m; }; layout(std430, binding = 1) buffer B { S s[256]; layout(row_major) mat3 t[256]; ivec2 c[256]; } b;",
        "int k = int(gl_FragCoord.x) + 32 * int(gl_FragCoord.y); b.s[k].a = vec3(uv, 1.0); b.s[k].b += 0.5; b.s[k].m[1].x = uv.y;
         b.s[k].m[k & 1] += vec2(1.0); b.s[k].a.zx = uv; b.c[k] = ivec2(k, 7); b.c[k].y++; if (uv.x < 0.7) { b.t[k][k % 3] = vec3(uv.y); b.t[k][1][k & 1] = 2.0; }
         color = vec4(b.s[k].b, b.s[k].m[1].x + b.t[k][2][1], b.s[k].a.y + b.t[k][1][0] + b.s[k].a.x, float(b.c[k].x + b.c[k].y) + b.s[k].m[0].y);",
    ),
    (
        "atomic counters",
        "layout(binding = 0, offset = 0) uniform atomic_uint up; layout(binding = 0, offset = 4) uniform atomic_uint several[3];",
        "uint k = atomicCounterIncrement(up); uint d = atomicCounterDecrement(several[1]); color = vec4(float(k), float(d), float(atomicCounter(up)), float(atomicCounterIncrement(several[2])));",
    ),
    (
        "storage images",
        "layout(r32ui, binding = 2) uniform highp uimage2D counts; layout(rgba32f, binding = 3) writeonly uniform highp image2D written;",
        "ivec2 p = ivec2(gl_FragCoord.xy); uint k = imageAtomicAdd(counts, p / 4, 1u); imageStore(written, p, vec4(uv, 0.0, 1.0));
         if (uv.x > 0.5) imageStore(written, p / 2, vec4(float(k)));
         color = vec4(float(k), float(imageLoad(counts, p / 8).x), float(imageSize(counts).x), float(imageAtomicExchange(counts, ivec2(0), k)) + dFdx(float(k)));",
    ),
];

#[test]
fn shaders_that_share_memory_draw_the_same_pictures() {
    for (i, (name, declarations, statements)) in SHARING.iter().enumerate() {
        let source = format!(
            "#version 320 es\n#extension GL_OES_shader_image_atomic : enable\nprecision highp float;\nprecision highp int;\nin vec2 uv;\n\
             out vec4 color;\n{declarations}\nvoid main() {{\n{statements}\n}}\n"
        );
        let module = compile(&source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
        for size in sizes(i) {
            compare(name, &module, &options(size)).unwrap_or_else(|| panic!("{name} cannot be widened"));
        }
    }
}

/// Statements on memory that fragments share, whose order can be observed, and on textures.
fn shared(random: &mut Choices<'_>) -> String {
    let k = random.below(8);
    match random.below(9) {
        0 => format!("x ^= atomicAdd(count, y & {k}u);"),
        1 => format!("y += atomicMax(few[(x + {k}u) & 3u], x);"),
        2 => format!("x += atomicExchange(few[{}], y);", k & 3),
        3 => "y ^= atomicCounterIncrement(counter);".into(),
        4 => format!("x += imageAtomicAdd(image, ivec2(x & 3u, {k}), y);"),
        5 => format!("imageStore(image, ivec2({k}, y & 7u), uvec4(x)); y += imageLoad(image, ivec2(x & 7u, {k})).x;"),
        6 => format!("y += uint(texture(picture, vec2(x & 63u, y & 63u) / {k}.5).x * 255.0);"),
        7 => format!("x ^= uint(textureLod(volume, vec3(uv, float(y & 7u) / 8.0), {k}.0).y * 255.0);"),
        _ => "if ((x & 31u) == 3u) discard;".into(),
    }
}

#[test]
fn random_shaders_that_share_memory_draw_the_same_pictures() {
    for seed in planish_testkit::seeds(0..20) {
        let mut random = Choices::from_seed(seed);
        let mut statements = String::new();
        for _ in 0..6 {
            if random.below(2) == 0 {
                crate::lanes_stages::apart(&mut random, 2, &mut statements);
                continue;
            }
            let (k, one) = (random.below(7), shared(&mut random));
            statements += &match random.below(3) {
                0 => format!("if (((x + y) & 7u) > {k}u) {{ {one} }}\n"),
                1 => format!("for (uint n = 0u; n < (y & 3u); n++) {{ {one} x += n; }}\n"),
                _ => format!("{one}\n"),
            };
        }
        // A discarded fragment goes on with its batch, which is larger on the evaluator.
        let last = if statements.contains("discard") { "1.0" } else { "dFdx(float(x & 255u))" };
        let source = format!(
            "#version 320 es\nprecision highp float;\nprecision highp int;\nin vec2 uv;\nout vec4 color;\n\
             layout(std430, binding = 0) buffer B {{ uint count; uint few[4]; uint data[512]; }};\n\
             layout(binding = 1, offset = 0) uniform atomic_uint counter;\nlayout(r32ui, binding = 2) uniform highp uimage2D image;\n\
             uniform sampler2D picture; uniform highp sampler3D volume;\nvoid main() {{\n\
             uint i = uint(gl_FragCoord.x), g = i + 32u * uint(gl_FragCoord.y), x = g, y = i;\nuint a[4] = uint[](i, 2u, x, 9u);\n\
             {statements}\ncolor = vec4(x & 65535u, y & 65535u, a[i & 3u] & 65535u, {last});\n}}\n"
        );
        let module = compile(&source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
        let name = format!("seed {seed}\n{source}");
        let size = [[32, 8], [19, 7]][random.below(2)];
        compare(&name, &module, &options(size)).unwrap_or_else(|| panic!("{name} cannot be widened"));
    }
}

/// Declarations, and statements that set `color`.
const TEXTURES: &[(&str, &str, &str)] = &[
    (
        "all dimensions",
        "uniform highp sampler3D volume; uniform samplerCube cube; uniform highp sampler2DArray layers; uniform highp samplerCubeArray cubes;",
        "color = texture(volume, vec3(uv, 0.3)) + texture(cube, vec3(uv - 0.5, 0.2)) + texture(layers, vec3(uv * 2.0, 3.0 * uv.x)) + texture(cubes, vec4(0.3, uv, 1.0));",
    ),
    (
        "levels, biases and offsets",
        "uniform sampler2D picture; uniform highp sampler3D volume;",
        "color = texture(picture, uv * 3.0, 1.5) + textureLod(picture, uv, 4.0 * uv.x) + textureOffset(picture, uv, ivec2(2, -3)) + textureProj(picture, vec3(uv, 0.5 + uv.y))
         + textureProjLod(picture, vec4(uv, 0.0, 2.0), 1.0) + textureLodOffset(picture, uv, 2.5, ivec2(1, 1)) + textureGradOffset(picture, uv, dFdx(uv) * 3.0, dFdy(uv), ivec2(1))
         + textureLod(volume, vec3(uv, 0.7), 2.0 * uv.y);",
    ),
    (
        "depth comparison",
        "uniform highp sampler2DShadow shadow; uniform highp samplerCubeShadow around; uniform highp sampler2DArrayShadow layers;",
        "color = vec4(texture(shadow, vec3(uv, uv.x)), texture(around, vec4(uv - 0.5, 1.0, uv.y)), texture(layers, vec4(uv, 1.0, 0.5)), textureGather(shadow, uv, 0.4).y);",
    ),
    (
        "fetches, sizes and gathers",
        "uniform sampler2D picture; uniform highp sampler2DArray layers; uniform highp sampler3D volume; uniform highp isampler2D whole; uniform highp usampler2D bare;",
        "ivec2 p = ivec2(uv * 90.0); color = texelFetch(picture, p, p.x & 3) + texelFetch(layers, ivec3(p, p.y % 5), 1) + texelFetchOffset(volume, ivec3(p / 4, 9), 0, ivec3(1, 0, -2))
         + vec4(textureSize(picture, p.x & 1), textureSize(layers, 2).z, textureSize(volume, 1).x) + textureGather(picture, uv, 2) + textureGatherOffset(picture, uv, ivec2(1, 2))
         + vec4(texture(whole, uv)) / 255.0 + vec4(texelFetch(bare, p, 0)) / 255.0;",
    ),
    (
        "arrays of textures, in loops that lanes leave apart",
        "uniform sampler2D pictures[3]; uniform int which;",
        "color = vec4(0.0); for (int i = 0; i < int(uv.x * 5.0); i++) { color += texture(pictures[1], uv * float(i)); if (color.x > 1.5) break; }
         color += texture(pictures[which], uv.yx);",
    ),
];

#[test]
fn shaders_that_sample_draw_the_same_pictures() {
    for (i, (name, declarations, statements)) in TEXTURES.iter().enumerate() {
        let source = format!(
            "#version 320 es\nprecision highp float;\nprecision highp int;\nin vec2 uv;\nout vec4 color;\n{declarations}\nvoid main() {{\n{statements}\n}}\n"
        );
        let module = compile(&source).unwrap_or_else(|errors| panic!("{errors}\n{source}"));
        for size in sizes(i) {
            compare(name, &module, &options(size)).unwrap_or_else(|| panic!("{name} cannot be widened"));
        }
    }
}

/// With approximated functions, on every engine and for every number of lanes.
#[test]
fn approximated_functions_draw_nearly_the_same() {
    let module = shader(
        "float x = uv.x * 6.0 - 3.0, y = uv.y * 4.0; color = vec4(sin(x * 9.0) + tan(y), pow(y, x), exp(x) + log(y), atan(y, x))
         + vec4(cos(1.0e9 * y), asin(uv.x), acos(uv.y), exp2(x) * log2(y)) + vec4(tanh(x), inversesqrt(y), sin(x * 1.0e4), cos(y * 1.0e6));",
    );
    let expected = draw(&module, &options([64, 32])).expect("it can be drawn");
    for strategy in [Strategy::Vm, Strategy::Native] {
        for n in LANES {
            let lanes = LaneOptions { exact: false, lanes: n };
            let engine = Engine::new(Config::default().strategy(strategy).consume_fuel(true));
            let found = planish::lanes::draw_on(&engine, &module, &options([64, 32]), &lanes).expect("it can be drawn");
            let pairs = expected.float.iter().flatten().zip(found.float.iter().flatten());
            for (&x, &y) in pairs {
                // (Sums may cancel.)
                assert!((x - y).abs() <= x.abs() * 4e-6 + 2e-6 || x.is_nan() && y.is_nan() || x == y, "{y}, not {x}");
            }
        }
    }
}

/// Shading languages have no vectors of lanes; WebAssembly computes with their components.
/// An output that nothing writes, of which some fragments are discarded; push constants, by an index that is computed.
const WHOLE: [&str; 2] = [
    "#version 300 es\nprecision highp float;\nin vec2 uv;\nout vec4 color;\nvoid main() { if (uv.x < 0.4) discard; }",
    "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\n\
     layout(push_constant) uniform Push { vec4 tint; float steps[4]; } push;\n\
     void main() { color = push.tint * push.steps[int(uv.x * 3.9)]; }",
];

#[test]
fn whole_shaders_draw_the_same_pictures() {
    for source in WHOLE {
        let module = compile(source).expect("it is valid");
        compare(source, &module, &options([19, 6])).expect("it can be widened");
    }
}

#[test]
fn vectors_of_lanes_are_for_machines() {
    use planish::diagnostic::Code;
    use planish::{EmitOptions, Target, emit};
    let text = "module ir\n\nfn @f(%0 x: vec8) -> (vec8) {\nb0:\n  %1 = add %0, %0\n  return %1\n}\nexport @f \"f\"\n";
    let module = planish::ir::text::parse_str(text).expect("valid");
    assert_eq!(planish::ir::verify::verify(&module), []);
    for target in [Target::Glsl, Target::Spirv, Target::Wgsl, Target::Hlsl, Target::Msl] {
        let errors = emit(&module, target, &EmitOptions::default()).expect_err("there are no such vectors");
        assert!(errors.iter().any(|error| error.code == Code::E0604), "{target:?}: {errors:#?}");
    }
    assert!(emit(&module, Target::Wasm, &EmitOptions::default()).is_ok());
}
