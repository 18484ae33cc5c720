//! Shaders over batches of invocations, called from C: the bits of the evaluator.

use std::fmt::Write as _;
use std::sync::Arc;

use object::{Object as _, ObjectSymbol as _};
use planish::eval::shade::{Compute, DrawOptions, TextureBinding, VertexOptions, draw, run_vertex};
use planish::eval::texture::{SamplerState, Texture, TextureData, Wrap};
use planish::ir::types::AddressSpace;
use planish::{EmitOptions, Target, emit};

use super::{Form, Project, Source, compile};

const SIZE: [u32; 2] = [32, 16];

/// Puts an object, or a source, in the place of all others: its header.
pub(super) fn add(project: &mut Project, name: &str, source: &Source, lanes: Option<u8>) -> String {
    let options = EmitOptions { prefix: name.to_owned(), lanes, ..EmitOptions::default() };
    let target = if project.form == Form::C { Target::C } else { Target::Object };
    let artifact = emit(&source.module, target, &options).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
    let header = artifact.header.clone().expect("an object has a header");
    project.objects.clear();
    project.link(name, artifact);
    header
}

/// The texels of all levels as an array of C.
pub(super) fn texels(name: &str, texture: &dyn Texture) -> String {
    let mut text = format!("static const uint32_t {name}[] = {{\n");
    for level in 0..texture.levels() {
        let [width, height, depth] = texture.size(level);
        for (z, y, x) in (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (z, y, x)))) {
            let words = texture.texel([x, y, z], level).map(|word| format!("{word:#x}"));
            let _ = writeln!(text, "    {},", words.join(", "));
        }
    }
    text + "};\n"
}

/// A fragment shader with its resources, for the evaluator and for C.
struct Fragments {
    declarations: &'static str,
    statements: &'static str,
    textures: Vec<(&'static str, TextureData, SamplerState)>,
    /// Initializers of members of the uniforms in C, but for textures.
    uniforms: &'static str,
    /// The same for the evaluator.
    values: &'static [(&'static str, &'static [f64])],
}

/// Draws all fragments from C, and compares them with the evaluator's.
fn compare_fragments(test: &str, shader: &Fragments) {
    for project in Project::in_each_form(test) {
        compare_fragments_in(project, test, shader);
    }
}

fn compare_fragments_in(mut project: Project, test: &str, shader: &Fragments) {
    let text = format!(
        "#version 320 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2DShadow;\n\
         precision highp sampler2DArray;\nprecision highp sampler3D;\nprecision highp usampler2D;\nin vec2 uv;\n\
         layout(location = 0) out vec4 color;\n{}\nvoid main() {{\n{}\n}}\n",
        shader.declarations, shader.statements
    );
    let textures = shader.textures.iter().map(|(name, texture, sampler)| TextureBinding {
        name: (*name).to_owned(),
        texture: Arc::new(texture.clone()),
        sampler: *sampler,
    });
    let uniforms = shader.values.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())).collect();
    let options = DrawOptions { size: SIZE, textures: textures.collect(), uniforms, ..DrawOptions::default() };
    for (level, lanes) in [("0", 4), ("1", 8), ("2", 16)] {
        let source = compile("s.frag", &text, level);
        let picture = draw(&source.module, &options).expect("it can be drawn");
        let header = add(&mut project, "s", &source, Some(lanes));
        let (mut data, mut set) = (String::new(), String::new());
        for (name, texture, sampler) in &shader.textures {
            let plain = name.replace(['[', ']'], "_");
            data += &texels(&format!("texels_{plain}"), texture);
            let [width, height, depth] = texture.size(0);
            let levels = texture.levels();
            let wrap = sampler.wrap.map(|wrap| match wrap {
                Wrap::Repeat => 0,
                Wrap::Clamp => 1,
                Wrap::Mirror => 2,
                Wrap::Border => 3,
            });
            let _ = writeln!(
                set,
                "    planish_texture of_{plain} = {{ .texels = texels_{plain}, .width = {width}, .height = {height},\
                 .depth = {depth}, .levels = {levels}, .sampler = {{ .wrap = {{ {}, {}, {} }} }} }};\n    u.{name} = &of_{plain};",
                wrap[0], wrap[1], wrap[2]
            );
        }
        let has_uniforms = header.contains("s_main_uniforms");
        let (declared, given) = match has_uniforms {
            true => (format!("    s_main_uniforms u = {{ {} }};\n", shader.uniforms), "&u, "),
            false => (String::new(), ""),
        };
        let discards = header.contains("discarded;");
        let is_kept = if discards { "!(out[i].discarded >> l & 1)" } else { "1" };
        let coordinate = if header.contains("gl_FragCoord[") {
            "in[i].gl_FragCoord[0][l] = x + 0.5f; in[i].gl_FragCoord[1][l] = y + 0.5f;"
        } else {
            ""
        };
        let program = format!(
            "#include \"s.h\"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
enum {{ W = {}, H = {}, N = {lanes}, BATCHES = W * H / N }};
{data}static s_main_inputs in[BATCHES];
static s_main_outputs out[BATCHES];
static uint32_t picture[H][W][4];
int main(void) {{
{declared}{set}
    for (int pass = 0; pass < 2; pass++) {{
        for (int i = 0; i < BATCHES; i++) for (int l = 0; l < N; l++) {{
            int quad = i * (N / 4) + l / 4;
            int x = quad % (W / 2) * 2 + l % 2, y = quad / (W / 2) * 2 + l % 4 / 2;
            if (pass == 0) {{
                in[i].uv[0][l] = (x + 0.5f) / W; in[i].uv[1][l] = (y + 0.5f) / H;
                {coordinate}
            }} else if ({is_kept}) for (int c = 0; c < 4; c++) memcpy(&picture[y][x][c], &out[i].color[c][l], 4);
        }}
        if (pass == 0) s_main({given}in, out, BATCHES);
    }}
    for (int y = 0; y < H; y++) for (int x = 0; x < W; x++)
        printf(\"%d %d %08\" PRIx32 \" %08\" PRIx32 \" %08\" PRIx32 \" %08\" PRIx32 \"\\n\", x, y, picture[y][x][0], picture[y][x][1],
            picture[y][x][2], picture[y][x][3]);
    return 0;
}}
",
            SIZE[0], SIZE[1]
        );
        let mut want = String::new();
        for y in 0..SIZE[1] {
            for x in 0..SIZE[0] {
                let [r, g, b, a] = picture.float[((SIZE[1] - 1 - y) * SIZE[0] + x) as usize].map(f32::to_bits);
                let _ = writeln!(want, "{x} {y} {r:08x} {g:08x} {b:08x} {a:08x}");
            }
        }
        let found = project.run(&program, true);
        let differs = found.lines().zip(want.lines()).find(|(found, want)| found != want);
        assert_eq!(differs, None, "{test} on {lanes} lanes, -O{level}: found, expected");
        assert_eq!(found.lines().count(), want.lines().count());
    }
}

/// Approximated functions differ by a few units of the last place.
#[test]
fn approximated_functions_are_of_batches() {
    let Some(mut project) = Project::new("batch-approximate") else { return };
    let text = "#version 300 es\nprecision highp float;\nin vec2 uv; out vec4 c;\nvoid main() { c = vec4(sin(uv.x * 9.0), pow(uv.y, 1.7), exp(uv.x), 1.0); }";
    let source = compile("a.frag", text, "1");
    let options = EmitOptions { prefix: "a".to_owned(), lanes: Some(4), approximate: true, ..EmitOptions::default() };
    let artifact = emit(&source.module, Target::Object, &options).expect("it can be compiled");
    let file = object::File::parse(&*artifact.bytes).expect("it is an object file");
    let undefined: Vec<_> = file.symbols().filter(|symbol| symbol.is_undefined()).flat_map(|s| s.name()).collect();
    assert!(
        undefined.iter().all(|name| name.is_empty() || *name == "planish_sin_f32" || *name == "planish_trap"),
        "{undefined:?}"
    );
    project.write("a.o", &artifact.bytes);
    project.write("a.h", artifact.header.expect("an object has a header"));
    project.objects = vec!["a.o".to_owned()];
    let program = r#"#include "a.h"
#include <stdio.h>
#include <math.h>
int main(void) {
    a_main_inputs in = { .uv = { { 0.1f, 0.2f, 0.5f, 0.75f }, { 0.9f, 0.5f, 1, 0.125f } } };
    a_main_outputs out;
    a_main(&in, &out, 1);
    for (int l = 0; l < 4; l++) {
        float want[3] = { sinf(in.uv[0][l] * 9), powf(in.uv[1][l], 1.7f), expf(in.uv[0][l]) };
        for (int c = 0; c < 3; c++) if (!(fabsf(out.c[c][l] - want[c]) < 4e-6f)) printf("%d %d %g\n", l, c, out.c[c][l]);
    }
    return 0;
}
"#;
    assert_eq!(project.run(program, true), "");
}

fn checks(width: u32, height: u32, depth: u32) -> TextureData {
    TextureData::from_fn([width, height, depth], |x, y, z| {
        [((x * 7 + y * 3 + z) % 11) as f32 / 11.0, ((x ^ y) % 4) as f32 / 4.0, (x + z) as f32 / 64.0, 1.0]
    })
}

#[test]
fn fragments_with_derivatives_and_discard() {
    compare_fragments(
        "batch-discard",
        &Fragments {
            declarations:
                "uniform vec3 tint; uniform float level; struct Light { vec3 dir; bool on; }; uniform Light light;
                uniform Block { mat3 turn; float weights[3]; vec2 shift; };",
            statements: "vec2 p = (turn * vec3(uv, 1.0)).xy + shift;
                float d = length(p - 0.5);
                if (d > level) discard;
                vec2 change = vec2(dFdx(d), dFdy(p.y * p.x));
                for (int i = 0; i < 3; i++) { if (p.x * float(i) > 0.7) break; d += weights[i] * fwidth(p.x); }
                color = vec4(tint * d, 1.0) + vec4(change, light.on ? light.dir.xy : gl_FragCoord.xy * 0.01);",
            textures: vec![],
            uniforms: ".tint = { 0.5f, 0.25f, 2 }, .level = 0.45f, .light = { { 1, -2, 3 }, 1 }, .Block = { { { { 0.8f, 0.5f, 0 }, \
                { -0.5f, 0.75f, 0 }, { 0.25f, 0, 1 } } }, { 0.5f, 0.125f, 3 }, { 0.125f, -0.0625f } }",
            values: &[
                ("tint", &[0.5, 0.25, 2.0]),
                ("level", &[0.45]),
                ("light.dir", &[1.0, -2.0, 3.0]),
                ("light.on", &[1.0]),
                ("turn", &[0.8, 0.5, 0.0, -0.5, 0.75, 0.0, 0.25, 0.0, 1.0]),
                ("weights", &[0.5, 0.125, 3.0]),
                ("shift", &[0.125, -0.0625]),
            ],
        },
    );
}

#[test]
fn fragments_with_textures() {
    let default = SamplerState::default();
    let mirrored = SamplerState { wrap: [Wrap::Mirror, Wrap::Clamp, Wrap::Border], ..default };
    let whole = TextureData::from_bits([5, 3, 1], |x, y, _| [x, y * 100, 7, x << y]);
    compare_fragments(
        "batch-textures",
        &Fragments {
            declarations: "uniform sampler2D picture, pair[2]; uniform sampler3D volume; uniform samplerCube sky;
                uniform sampler2DArray layers; uniform sampler2DShadow depth; uniform usampler2D whole;",
            statements: "vec2 p = uv * 3.0 - 1.0;
                color = texture(picture, p * 4.0) + texture(picture, p, 1.5) * 0.5 + textureLod(picture, p.yx, 1.25);
                color += texture(volume, vec3(p, uv.x)) * 0.25 + texture(sky, vec3(p, 0.5)) + texture(layers, vec3(p, uv.y * 3.0));
                if (uv.x > 0.3) color += textureGrad(pair[1], p, vec2(0.1, 0.0), vec2(0.02, 0.3)) - texture(pair[0], p);
                color.x += texture(depth, vec3(p, 0.5)) + float(texelFetch(whole, ivec2(gl_FragCoord.xy) % 5, 0).y);
                color.y += float(textureSize(picture, 1).x) + textureGather(picture, p, 2).z;
                color.z += textureProj(picture, vec3(p, 2.0)).x + textureOffset(picture, p, ivec2(2, -1)).y;",
            textures: vec![
                ("picture", checks(16, 8, 1).with_mipmaps(false), default),
                ("pair[0]", checks(5, 7, 1), mirrored),
                ("pair[1]", checks(8, 8, 1).with_mipmaps(false), mirrored),
                ("volume", checks(4, 4, 4).with_mipmaps(true), mirrored),
                ("sky", checks(8, 8, 6).with_mipmaps(false), default),
                ("layers", checks(4, 8, 3).with_mipmaps(false), default),
                ("depth", checks(8, 8, 1), mirrored),
                ("whole", whole, default),
            ],
            uniforms: "0",
            values: &[],
        },
    );
}

const GROUPS: &str = "#version 310 es
layout(local_size_x = 9, local_size_y = 3) in;
precision highp float;
layout(std430, binding = 0) buffer Data { uint total; vec3 pad; uint data[]; };
layout(std430, binding = 1) readonly buffer Table { vec4 rows[4]; } table;
uniform uint factor;
shared uint part[27];
shared uint sum;
void main() {
    uint i = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * 27u + i;
    part[i] = data[g] * factor + gl_GlobalInvocationID.y;
    barrier();
    uint x = part[(i + 5u) % 27u] + uint(table.rows[i % 4u].y) + gl_NumWorkGroups.x * gl_LocalInvocationID.x;
    atomicAdd(sum, x);
    barrier();
    data[g] = x ^ sum;
    if (i == 0u) total += sum + uint(data.length());
    data[g + 1000u] = 3u;
}
";

#[test]
fn work_groups_are_run_from_c() {
    Project::in_each_form("batch-groups").for_each(work_groups_are_run);
}

fn work_groups_are_run(mut project: Project) {
    let groups = [3, 1, 1];
    for (level, lanes) in [("0", Some(16)), ("2", None), ("1", Some(4))] {
        let source = compile("g.comp", GROUPS, level);
        let module = &source.module;
        let uniforms = vec![("factor".to_owned(), vec![3.0])];
        let mut compute = Compute::new(module, &DrawOptions { uniforms, ..DrawOptions::default() }).expect("it is one");
        let count = 81 + 4;
        let storage: Vec<_> = module.vars.iter().filter(|(_, data)| data.space == AddressSpace::Storage).collect();
        let [(data, _), (table, _)] = storage[..] else { panic!("there are two buffers") };
        compute.evaluator().set_buffer(data, (0..count).map(|i| i * 7 % 31).collect());
        compute.evaluator().set_buffer(table, (0..16u32).map(|i| (i as f32 * 1.5).to_bits().into()).collect());
        compute.dispatch(groups).expect("it ends");
        let words = compute.evaluator().get(data, 0);
        let mut want = format!("{}\n", words[0]);
        want.extend(words[4..].iter().map(|word| format!("{word}\n")));
        add(&mut project, "g", &source, lanes);
        let program = r#"#include "g.h"
#include <stdio.h>
static struct { uint32_t total, before[3]; float pad[3]; uint32_t data[81]; } data;
static float rows[4][4];
int main(void) {
    data.total = 0;
    for (uint32_t i = 0; i < 81; i++) data.data[i] = (i + 4) * 7 % 31;
    for (int i = 0; i < 16; i++) rows[i / 4][i % 4] = i * 1.5f;
    g_main_uniforms u = { .factor = 3 };
    u.DATA = (planish_buffer){ &data, sizeof data };
    u.table = (planish_buffer){ rows, sizeof rows };
    for (uint32_t x = 0; x < 3; x++) g_main(&u, (uint32_t[]){ x, 0, 0 }, (uint32_t[]){ 3, 1, 1 });
    printf("%u\n", data.total);
    for (int i = 0; i < 81; i++) printf("%u\n", data.data[i]);
    return 0;
}
"#;
        let name = if add(&mut project, "g", &source, lanes).contains(" Data;") { "Data" } else { "data" };
        assert_eq!(project.run(&program.replace("DATA", name), true), want, "-O{level}, {lanes:?}");
    }
}

#[test]
fn a_buffer_that_is_too_small_traps() {
    Project::in_each_form("batch-trap").for_each(too_small_a_buffer);
}

fn too_small_a_buffer(mut project: Project) {
    let text = "#version 310 es\nlayout(local_size_x = 4) in;\nlayout(std430) buffer B { uint fixed_part[8]; uint rest[]; } b;\n\
        void main() { b.rest[gl_LocalInvocationIndex] = b.fixed_part[7]; }\n";
    add(&mut project, "t", &compile("t.comp", text, "1"), None);
    let program = r#"#include "t.h"
#include <setjmp.h>
#include <stdio.h>
static jmp_buf here;
void planish_trap(int code, const char *function, uint32_t line, uint32_t column) {
    (void)function; (void)line; (void)column;
    printf("trap %d\n", code == PLANISH_TRAP_OUT_OF_BOUNDS_MEMORY);
    longjmp(here, 1);
}
int main(void) {
    static uint32_t words[12] = { [7] = 5 };
    static const uint32_t one[3] = { 1, 1, 1 }, zero[3];
    for (volatile int n = 12; n > 7; n -= 2) {
        t_main_uniforms u = { .b = { words, n * 4 } };
        if (!setjmp(here)) { t_main(&u, zero, one); printf("%u %u\n", words[8], words[11]); }
        words[11] = 0;
    }
    return 0;
}
"#;
    assert_eq!(project.run(program, true), "5 5\n5 0\ntrap 1\n");
}

#[test]
fn vertices_are_computed_from_c() {
    Project::in_each_form("batch-vertices").for_each(vertices_are_computed);
}

fn vertices_are_computed(mut project: Project) {
    let text = "#version 300 es\nin vec3 position; in vec2 at; uniform mat4 view; out vec2 place;\n\
        void main() { gl_Position = view * vec4(position, 1.0); place = at * sin(position.x) + float(gl_VertexID); }\n";
    let source = compile("v.vert", text, "1");
    let (count, lanes) = (8, 4);
    let matrix: Vec<f64> = (0..16).map(|i| f64::from(i) * 0.25 - 1.0).collect();
    let attribute = |name: &str, size: usize| {
        (name.to_owned(), (0..count * size).map(|i| i as f64 * 0.375 - 2.0).collect::<Vec<f64>>())
    };
    let mut options = VertexOptions { count: count as u32, ..VertexOptions::default() };
    options.attributes = vec![attribute("position", 3), attribute("at", 2)];
    options.common.uniforms = vec![("view".to_owned(), matrix)];
    let expected = run_vertex(&source.module, &options).expect("it ends");
    add(&mut project, "v", &source, Some(lanes));
    let mut want = String::new();
    for outputs in &expected {
        for name in ["gl_Position", "place"] {
            let output = outputs.iter().find(|output| output.name == name).expect("an output");
            want.extend(output.value.bits.iter().map(|bits| format!("{bits:08x}\n")));
        }
    }
    let program = r#"#include "v.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
static void show(float x) { uint32_t bits; memcpy(&bits, &x, 4); printf("%08" PRIx32 "\n", bits); }
int main(void) {
    v_main_uniforms u;
    v_main_inputs in[2];
    v_main_outputs out[2];
    for (int i = 0; i < 16; i++) u.view.columns[i / 4][i % 4] = i * 0.25f - 1;
    for (int v = 0; v < 8; v++) {
        for (int c = 0; c < 3; c++) in[v / 4].position[c][v % 4] = (3 * v + c) * 0.375f - 2;
        for (int c = 0; c < 2; c++) in[v / 4].at[c][v % 4] = (2 * v + c) * 0.375f - 2;
        in[v / 4].gl_VertexID[v % 4] = v;
    }
    v_main(&u, in, out, 2);
    for (int v = 0; v < 8; v++) {
        for (int c = 0; c < 4; c++) show(out[v / 4].gl_Position[c][v % 4]);
        for (int c = 0; c < 2; c++) show(out[v / 4].place[c][v % 4]);
    }
    return 0;
}
"#;
    assert_eq!(project.run(program, true), want);
}

#[test]
fn what_an_object_has_no_resources_for_is_named() {
    let refused = [
        (
            "i.comp",
            "layout(local_size_x = 1) in; layout(rgba8) uniform writeonly highp image2D picture;
            void main() { imageStore(picture, ivec2(0), vec4(1)); }",
            "storage images (`picture`)",
        ),
        (
            "a.comp",
            "layout(local_size_x = 1) in; layout(binding = 0) uniform atomic_uint hits;
            void main() { atomicCounterIncrement(hits); }",
            "atomic counters outside of buffers (`hits`)",
        ),
        (
            "s.frag",
            "precision highp float; struct S { sampler2D map; }; uniform S s; out vec4 c; void main() { c = texture(s.map, vec2(0)); }",
            "textures in structures (`s`)",
        ),
    ];
    let large = "precision highp float; in vec2 uv; out vec4 c; void main() { float t[50000]; for (int i = 0; i < 50000; i++) t[i] = uv.x * float(i);
        c = vec4(dFdx(t[int(uv.y * 50000.0)])); }";
    let refused = refused.into_iter().chain([("l.frag", large, "of which an object has 1048576 in a frame")]);
    for (file, text, reason) in refused {
        let source = compile(file, &format!("#version 310 es\n{text}\n"), "1");
        let options = EmitOptions { prefix: "x".to_owned(), ..EmitOptions::default() };
        let errors = emit(&source.module, Target::Object, &options).expect_err("it is refused");
        assert!(errors.iter().any(|error| error.message.ends_with(reason)), "{errors:#?}");
    }
}
