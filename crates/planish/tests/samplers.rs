//! Separate textures and samplers become combined ones for GLSL: the picture is the same, before and after, and as GLSL.

use std::path::Path;
use std::sync::Arc;

use planish::eval::shade::{DrawOptions, TextureBinding, draw, textures};
use planish::eval::texture::{SamplerState, TextureData};
use planish::module::{Module, Stage};
use planish::{EmitOptions, Target, emit};
use planish_front_glsl::version::{Profile, Version};
use planish_ir::types::{Dim, Scalar};
use planish_opt::combine_samplers::{self, Pair};
use planish_opt::{Context, pipeline, run_passes};

use crate::common::{self, Picture};

/// Textures of two samplers, of functions, and of texels; a depth texture.
const WGSL: &str = "
@group(0) @binding(0) var albedo: texture_2d<f32>;
@group(0) @binding(1) var detail: texture_2d<f32>;
@group(0) @binding(2) var linear: sampler;
@group(0) @binding(3) var nearest: sampler;
@group(1) @binding(0) var shade: texture_depth_2d;
@group(1) @binding(1) var compare: sampler_comparison;
@group(1) @binding(2) var table: texture_2d<f32>;
@group(1) @binding(3) var unused: texture_2d<f32>;

fn twice(map: texture_2d<f32>, how: sampler, uv: vec2f) -> vec4f {
    let size = vec2f(textureDimensions(map));
    return textureSample(map, how, uv) + textureSample(map, nearest, uv + 2.5 / size);
}

fn all(map: texture_2d<f32>, uv: vec2f) -> vec4f {
    return twice(map, linear, uv) * 0.5 + textureLoad(map, vec2i(uv * 7.0), 0) * 0.25 + twice(detail, linear, uv.yx);
}

@fragment
fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
    let lit = textureSampleCompare(shade, compare, uv, 0.5) * f32(textureDimensions(shade).x);
    let depth = textureLoad(shade, vec2i(0), 0);
    return all(albedo, uv) * lit + depth + textureLoad(table, vec2i(uv * 5.0), 0) + textureSample(detail, linear, uv);
}
";

/// Arrays of textures and of samplers, parameters that are arrays, a combined sampler beside them.
const VULKAN: &str = "#version 450
layout(set = 0, binding = 0) uniform texture2D maps[4];
layout(set = 0, binding = 1) uniform sampler how;
layout(set = 0, binding = 2) uniform sampler ways[2];
layout(set = 0, binding = 3) uniform texture2D albedo;
layout(set = 0, binding = 4) uniform sampler2D joined;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

vec4 one(texture2D map, sampler way) { return texture(sampler2D(map, way), uv); }
vec4 sum(texture2D from[4], sampler way) {
    vec4 all = vec4(0.0);
    for (int i = 0; i < 4; i++) all += one(from[i], way) * float(i + 1);
    return all;
}
void main() {
    int i = int(uv.x * 4.0);
    color = sum(maps, how) + texture(sampler2D(maps[i], how), uv.yx) + one(maps[2], ways[1]);
    color += one(albedo, ways[i & 1]) + texture(joined, uv) + one(albedo, how);
}
";

/// A module with pairs, and these.
fn combined(module: &Module) -> (Module, Vec<Pair>) {
    let mut module = module.clone();
    let pairs = combine_samplers::run(&mut module, &mut Context::default()).expect("its pairs are known");
    assert_eq!(planish_ir::verify::verify(&module), []);
    assert!(!combine_samplers::is_needed(&module));
    (module, pairs)
}

/// Textures that differ, by the names of elements of variables.
fn bindings(module: &Module) -> Vec<TextureBinding> {
    let uses = textures(module, &DrawOptions::default());
    let mut all = Vec::new();
    for (seed, of) in (1u32..).zip(uses.iter().filter(|of| module.globals.contains(&of.var))) {
        let image = of.image;
        if (image.dim, image.sampled, image.arrayed) != (Dim::D2, Scalar::F32, false) {
            continue;
        }
        let texel = |x: u32, y: u32, c: u32| (x * 7 + y * 13 + c * 5 + seed * 31) % 97;
        let texels =
            TextureData::from_fn([16, 16, 1], |x, y, _| std::array::from_fn(|c| texel(x, y, c as u32) as f32 / 96.0));
        let name = format!("{}[{}]", module.vars[of.var].name.text, of.element);
        all.push(TextureBinding { name, texture: Arc::new(texels), sampler: SamplerState::default() });
    }
    all
}

/// The textures of pairs: those of the elements that they are made of. Other variables keep theirs.
fn bindings_of_pairs(after: &Module, pairs: &[Pair], before: &[TextureBinding]) -> Vec<TextureBinding> {
    let whole = |name: &str| if name.ends_with(']') { name.to_owned() } else { format!("{name}[0]") };
    let mut all = Vec::new();
    for element in pairs.iter().flat_map(|pair| &pair.elements) {
        let texture = before.iter().find(|texture| texture.name == whole(&element.texture));
        all.extend(texture.map(|texture| TextureBinding { name: whole(&element.name), ..texture.clone() }));
    }
    let is_kept = |texture: &&TextureBinding| {
        let mut kept = after.globals.iter().filter(|&&var| pairs.iter().all(|pair| pair.var != var));
        kept.any(|&var| texture.name.split('[').next() == Some(&*after.vars[var].name.text))
    };
    all.extend(before.iter().filter(is_kept).cloned());
    all
}

fn picture(module: &Module, textures: &[TextureBinding]) -> Result<Picture, String> {
    let options =
        DrawOptions { size: [9, 7], threads: 1, time: 0.7, textures: textures.to_vec(), ..DrawOptions::default() };
    let image = draw(module, &options).map_err(|error| format!("{error:?}"))?;
    Ok(image.float.iter().map(|pixel| pixel.map(f32::to_bits)).collect())
}

fn as_glsl(module: &Module, version: Version) -> Result<String, String> {
    let options = EmitOptions { version: Some(version), ..EmitOptions::default() };
    let artifact = emit(module, Target::Glsl, &options).map_err(|errors| format!("{errors:#?}"))?;
    Ok(String::from_utf8(artifact.bytes).expect("GLSL is text"))
}

/// Draws a module before and after, and what its GLSL is.
fn check(name: &str, module: &Module, versions: &[Version]) {
    let before = bindings(module);
    let expected = picture(module, &before).unwrap_or_else(|error| panic!("{name}: {error}"));
    for level in ["0", "2"] {
        let mut module = module.clone();
        run_passes(&mut module, &pipeline(level).expect("a level"), &mut Context::default(), &mut |_, _| {});
        let (after, pairs) = combined(&module);
        let textures = bindings_of_pairs(&after, &pairs, &before);
        let drawn = picture(&after, &textures).unwrap_or_else(|error| panic!("{name} at level {level}: {error}"));
        assert!(drawn == expected, "{name} at level {level}: another picture");
        for &version in versions {
            let text = as_glsl(&module, version).unwrap_or_else(|error| panic!("{name} at level {level}: {error}"));
            let again = common::compile("again.frag", &text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            // Textures that nothing uses are not declared any more.
            let declared = |t: &&TextureBinding| text.contains(t.name.split('[').next().unwrap_or_default());
            let textures: Vec<TextureBinding> = textures.iter().filter(declared).cloned().collect();
            let drawn = picture(&again, &textures).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert!(drawn == expected, "{name} at level {level}, {version:?}: another picture\n{text}");
        }
    }
}

const fn desktop(number: u16) -> Version {
    Version { number, profile: Profile::Core }
}

#[test]
fn wgsl_draws_the_same_picture() {
    let module = common::compile("a.wgsl", WGSL).expect("it is valid");
    check("a.wgsl", &module, &[Version::ES_300, desktop(330), desktop(450)]);
}

#[test]
fn vulkan_draws_the_same_picture() {
    let module = common::compile("a.frag", VULKAN).expect("it is valid");
    check("a.frag", &module, &[desktop(450)]);
}

/// SPIR-V and WGSL with separate textures and samplers, of the gallery.
#[test]
fn the_gallery_without_combined_samplers_draws_the_same_picture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shaders");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("shaders") {
        let path = entry.expect("an entry").path();
        let source = std::fs::read_to_string(&path).expect("a shader");
        if path.extension().is_none_or(|e| e != "frag") || !source.contains("sampler") {
            continue;
        }
        let module = common::compile(&path.to_string_lossy(), &source).expect("accepted");
        assert_eq!(module.entry_points[0].stage, Some(Stage::Fragment));
        for (target, name) in [(Target::SpirvNaga, "split.spv"), (Target::Wgsl, "split.wgsl")] {
            let Ok(split) = emit(&module, target, &EmitOptions::default()) else { continue };
            let split = common::compile(name, split.bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            check(&format!("{} by {name}", path.display()), &split, &[Version::ES_300]);
            compared += 1;
        }
    }
    assert!(compared > 15, "only {compared} are compared");
}

#[test]
fn reflection_has_the_pairs() {
    let module = common::compile("a.wgsl", WGSL).expect("it is valid");
    let reflection = planish::reflect(&module, &EmitOptions::default()).expect("it has a plan");
    let lines = reflection.combined.iter().map(|pair| {
        let texture = format!("{} {}.{}", pair.texture.name, pair.texture.group, pair.texture.binding);
        let sampler = pair.sampler.as_ref().map(|half| format!("{} {}.{}", half.name, half.group, half.binding));
        format!("{}: {texture}, {}\n", pair.name, sampler.as_deref().unwrap_or("none"))
    });
    let expected = "\
albedo_linear: albedo 0.0, linear 0.2
albedo_nearest: albedo 0.0, nearest 0.3
detail_linear: detail 0.1, linear 0.2
detail_nearest: detail 0.1, nearest 0.3
shade: shade 1.0, none
shade_compare: shade 1.0, compare 1.1
table: table 1.2, none
";
    assert_eq!(lines.collect::<String>(), expected);
    let text = as_glsl(&module, Version::ES_300).expect("it is GLSL");
    for pair in &reflection.combined {
        assert!(text.contains(&format!(" {};", pair.name)), "{}\n{text}", pair.name);
    }
    assert!(!text.contains("unused"), "{text}");
}

#[test]
fn a_pair_that_is_chosen_at_run_time_is_refused() {
    let source = VULKAN.replace("one(maps[2], ways[1])", "one(maps[i], ways[i & 1])");
    let module = common::compile("a.frag", source).expect("it is valid");
    let options = EmitOptions::default();
    let errors = emit(&module, Target::Glsl, &options).expect_err("no sampler is known");
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0].code.0 == "E0605" && !errors[0].span.is_none() && !errors[0].help.is_empty(), "{errors:#?}");
    let vulkan = EmitOptions { vulkan: true, ..options };
    assert!(emit(&module, Target::Glsl, &vulkan).is_ok(), "Vulkan has separate ones");
}
