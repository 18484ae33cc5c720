//! Textures that code samples give the evaluator's texels, bit for bit: every kind, with every filter and wrapping.

use std::sync::Arc;

use planish::eval::shade::{DrawOptions, TextureBinding, VertexOptions, draw, run_vertex};
use planish::eval::texture::{Comparison, Filter, SamplerState, TextureData, Wrap};
use planish::ir::ops::Class;
use planish::ir::types::{AddressSpace, TypeKind};
use planish::lanes::{LaneOptions, draw_on, run_vertex_on};
use planish::module::Module;
use planish::opt::sample_textures::{self, Texels};
use planish::vm::{Config, Engine, Strategy};
use planish::{Compiler, Optimizer};
use planish_generate::Choices;
use planish_testkit::runs_all;

const HEAD: &str = "#version 320 es
precision highp float; precision highp int; precision highp sampler3D; precision highp sampler2DArray; precision highp samplerCubeArray;
precision highp isampler2D; precision highp usampler2DArray; precision highp isamplerCube; precision highp sampler2DShadow;
precision highp samplerCubeShadow; precision highp sampler2DArrayShadow; precision highp isampler3D;
uniform sampler2D picture; uniform sampler2D pair[2]; uniform sampler3D volume; uniform samplerCube sky; uniform samplerCubeArray skies;
uniform sampler2DArray layers; uniform isampler2D whole; uniform usampler2DArray bare; uniform isamplerCube signs; uniform isampler3D cells;
uniform sampler2DShadow depth; uniform samplerCubeShadow around; uniform sampler2DArrayShadow slices;
";

/// Expressions of a color at `p` (about -1 to 2), `d` (a direction) and `i` (texels).
const SAMPLES: [&str; 22] = [
    "texture(picture, p)",
    "texture(picture, p * 9.0, -1.5) + textureOffset(picture, p, ivec2(-3, 2))",
    "texture(pair[1], p.yx * 2.0) - texture(pair[0], p)",
    "textureLod(picture, p, 5.0 * p.x) + textureGrad(pair[0], p, p * 0.3, vec2(0.1, d.z))",
    "textureProj(picture, vec3(p, d.x)) + textureProjLod(picture, vec4(p, 1.0, 2.0), p.y)",
    "texture(volume, vec3(p, d.x)) + textureLod(volume, d * 2.0, p.x * 3.0)",
    "textureGrad(volume, d, d * 0.1, vec3(p, 0.5)) + textureOffset(volume, d, ivec3(1, -2, 3))",
    "texture(sky, d) + textureLod(sky, d.zxy, 2.0 * p.x)",
    "texture(sky, d * vec3(1.0, 1.0, 3.0)) + textureGrad(sky, d, d.yzx * 0.2, d.zxy * 0.1)",
    "texture(skies, vec4(d, p.x * 3.0)) + textureLod(skies, vec4(d.yxz, 1.0), p.y)",
    "texture(layers, vec3(p, p.x * 4.0)) + textureLod(layers, vec3(p, d.z), p.y * 3.0)",
    "vec4(texture(whole, p)) + vec4(texture(bare, vec3(p, 1.0))) + vec4(textureLod(signs, d, p.x)) + vec4(texture(cells, d))",
    "vec4(texture(depth, vec3(p, d.x)), textureLod(depth, vec3(p, 0.5), p.x), textureProj(depth, vec4(p, 0.8, 2.0)), textureGrad(depth, vec3(p, 0.4), p, p.yx))",
    "vec4(texture(around, vec4(d, p.x)), texture(slices, vec4(p, p.y * 3.0, 0.5)), 0.0, 1.0)",
    "textureGather(picture, p, 1) + textureGatherOffset(picture, p, ivec2(2, -1), 3) + textureGather(sky, d, 2)",
    "textureGather(layers, vec3(p, 1.0)) + vec4(textureGather(whole, p, 2)) + vec4(textureGather(bare, vec3(p, 2.0)))",
    "textureGather(depth, p, d.x) + textureGather(around, d, 0.5) + textureGather(slices, vec3(p, 1.0), 0.6)",
    "textureGatherOffsets(picture, p, ivec2[4](ivec2(0), ivec2(3, 1), ivec2(-2, 0), ivec2(1, -4)), 0)",
    "texelFetch(picture, i.xy, i.x & 3) + texelFetch(layers, ivec3(i.xy, i.z), 1) + texelFetch(volume, i, 0) + texelFetchOffset(picture, i.xy, 0, ivec2(1, -2))",
    "vec4(texelFetch(whole, i.xy, 0)) + vec4(texelFetch(bare, i, 0)) + vec4(texelFetch(cells, i.zxy, 1))",
    "vec4(textureSize(picture, i.x & 7), textureSize(volume, i.y & 3).z, textureSize(skies, 0).z) + vec4(textureSize(layers, 1), textureSize(sky, i.z).x)",
    "vec4(textureSize(depth, 0), textureSize(around, 1)) + textureLod(picture, p / (p.x - p.x), 1.0) + textureLod(picture, p, 1.0 / (p.y - p.y))",
];

fn compile(name: &str, source: &str) -> Module {
    let compilation = Compiler::default().compile(name, source);
    let errors = compilation.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n");
    compilation.module.unwrap_or_else(|| panic!("{errors}\n{source}"))
}

fn fragment(sample: &str) -> Module {
    let body = "vec2 p = uv * 3.0 - 1.0; vec3 d = vec3(uv * 2.0 - 1.0, uv.x - uv.y * 0.7); ivec3 i = ivec3(uv * 12.0 - 2.0, uv.x * 5.0 - 1.0);";
    compile("t.frag", &format!("{HEAD}in vec2 uv; out vec4 color;\nvoid main() {{ {body} color = {sample}; }}\n"))
}

/// Textures of odd and even sizes, with and without levels, and samplers of all kinds.
fn textures(random: &mut Choices) -> Vec<TextureBinding> {
    let mut all = Vec::new();
    let mut add = |name: &str, sizes: [u32; 3], is_whole: bool| {
        let filter = |random: &mut Choices| [Filter::Nearest, Filter::Linear][random.below(2)];
        let size = sizes.map(|size| if size == 0 { [1, 4, 5, 8, 13][random.below(5)] } else { size });
        let cube = matches!(name, "sky" | "skies" | "signs" | "around");
        let size = if cube { [size[0], size[0], size[2]] } else { size };
        let data = if is_whole {
            TextureData::from_bits(size, |x, y, z| [x * 7 + y, y << z, x ^ y, z.wrapping_sub(x)])
        } else {
            TextureData::from_fn(size, |x, y, z| {
                [((x * 7 + y * 3 + z) % 11) as f32 / 11.0, ((x ^ y) % 4) as f32 / 4.0, (x + z) as f32 / 64.0, 1.0]
            })
        };
        let texture = if random.below(4) > 0 && !is_whole { data.with_mipmaps(name == "volume") } else { data };
        let sampler = SamplerState {
            magnify: filter(random),
            minify: filter(random),
            mipmap: [None, Some(Filter::Nearest), Some(Filter::Linear)][random.below(3)],
            wrap: [(); 3].map(|()| [Wrap::Clamp, Wrap::Repeat, Wrap::Mirror, Wrap::Border][random.below(4)]),
            compare: [
                Comparison::Never,
                Comparison::Less,
                Comparison::LessEqual,
                Comparison::Greater,
                Comparison::GreaterEqual,
                Comparison::Equal,
                Comparison::NotEqual,
                Comparison::Always,
            ][random.below(8)],
        };
        all.push(TextureBinding { name: name.to_owned(), texture: Arc::new(texture), sampler });
    };
    for (name, sizes) in [("picture", [0, 0, 1]), ("pair[0]", [0, 0, 1]), ("pair[1]", [0, 0, 1]), ("volume", [0; 3])] {
        add(name, sizes, false);
    }
    for (name, layers) in [("sky", 6), ("skies", 12), ("layers", 3), ("depth", 1), ("around", 6), ("slices", 3)] {
        add(name, [0, 0, layers], false);
    }
    for (name, layers) in [("whole", 1), ("bare", 3), ("signs", 6), ("cells", 3)] {
        add(name, [0, 0, layers], true);
    }
    all
}

/// The textures of those that a module has.
fn used(module: &Module, all: &[TextureBinding]) -> Vec<TextureBinding> {
    let named = |name: &str| module.vars.values().any(|var| &*var.name.text == name.split('[').next().unwrap_or(name));
    all.iter().filter(|of| named(&of.name)).cloned().collect()
}

#[test]
fn every_kind_of_texture_has_the_same_texels() {
    for seed in planish_testkit::seeds(0..3) {
        for (i, sample) in SAMPLES.iter().enumerate() {
            // Each kind once, or with every seed.
            if !runs_all() && !(i as u64 + seed).is_multiple_of(3) {
                continue;
            }
            let mut random = Choices::from_seed(1000 * seed + i as u64);
            let all = textures(&mut random);
            let module = fragment(sample);
            let textures = used(&module, &all);
            let options = DrawOptions { size: [24, 10], textures, threads: 1, ..DrawOptions::default() };
            let expected = draw(&module, &options).expect("it can be drawn");
            let strategy = [Strategy::Vm, Strategy::Native][random.below(2)];
            let lanes = [4, 8, 16][random.below(3)];
            let engine = Engine::new(Config::default().strategy(strategy).consume_fuel(true));
            let found =
                draw_on(&engine, &module, &options, &LaneOptions { lanes, exact: true }).expect("it can be widened");
            for (at, (x, y)) in expected.float.iter().zip(&found.float).enumerate() {
                let same = x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan());
                let samplers: Vec<_> =
                    options.textures.iter().map(|of| (&of.name, of.texture.size(0), of.sampler)).collect();
                assert!(same, "seed {seed}, {sample}: {y:?}, not {x:?} at {at}, {lanes} lanes\n{samplers:#?}");
            }
        }
    }
}

/// None of these kinds is left to the host.
#[test]
fn no_kind_of_texture_is_left() {
    for sample in SAMPLES {
        let mut module = fragment(sample);
        let mut optimizer = Optimizer::level("2").expect("a level");
        optimizer.options.inline_all = true;
        optimizer.run(&mut module, &mut |_, _| {});
        let mut options = sample_textures::Options { has_implicit_levels: true, ..Default::default() };
        let handles: Vec<_> = module.vars.iter().filter(|(_, data)| data.space == AddressSpace::Handle).collect();
        let handles: Vec<_> = handles.into_iter().map(|(var, data)| (var, data.ty)).collect();
        for (var, ty) in handles {
            let (of, count) = match module.types[ty] {
                TypeKind::Array { element, len } => (element, len),
                _ => (ty, 1),
            };
            let image = module.types.as_image(of).expect("a texture");
            let vector = module.types.vector(image.sampled, 4);
            let array = module.types.array(vector, 64);
            for element in 0..count {
                let name = planish::ir::decoration::Name::temporary("texels");
                let texels = module.add_var(name, array, AddressSpace::Uniform);
                let (sizes, sampler) = (vec![[4, 4, 6], [2, 2, 6]], SamplerState::default());
                options.textures.push(Texels { var, element, image, texels, sizes, sampler });
            }
        }
        sample_textures::run(&mut module, &options);
        assert_eq!(planish::ir::verify::verify(&module), [], "{sample}");
        let bodies = module.funcs.values().filter_map(|function| function.body.as_ref());
        let left: Vec<_> = bodies.flat_map(|body| body.nodes().map(|(_, data)| data.op)).collect();
        let left: Vec<_> = left.into_iter().filter(|op| op.info().class == Class::Texture).collect();
        assert_eq!(left, [], "{sample}");
    }
}

#[test]
fn vertices_sample_by_code() {
    let source = format!(
        "{HEAD}in vec3 at; out vec4 c;\nvoid main() {{ c = texture(picture, at.xy) + textureLod(sky, at, at.x) + texture(volume, at);
         gl_Position = textureGather(layers, at) + vec4(textureSize(picture, 1), 0, texture(depth, at)); }}\n"
    );
    let module = compile("t.vert", &source);
    for seed in 0..4 {
        let mut random = Choices::from_seed(seed);
        let all = textures(&mut random);
        let mut options = VertexOptions { count: 21, ..VertexOptions::default() };
        options.common.textures = used(&module, &all);
        options.attributes = vec![("at".to_owned(), (0..63).map(|i| f64::from(i * 37 % 23) / 7.0 - 1.5).collect())];
        let expected = run_vertex(&module, &options).expect("it ends");
        for strategy in [Strategy::Vm, Strategy::Native] {
            let engine = Engine::new(Config::default().strategy(strategy).consume_fuel(true));
            let found = run_vertex_on(&engine, &module, &options, &LaneOptions::default()).expect("it can be widened");
            assert_eq!(found, expected, "seed {seed}, {strategy:?}");
        }
    }
}
