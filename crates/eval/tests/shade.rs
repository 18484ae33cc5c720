//! Pictures, vertices and work groups.

use std::sync::Arc;

use planish_eval::shade::{
    Compute, DrawOptions, Image, ShadeError, TextureBinding, VertexOptions, draw, fragment_outputs, run_vertex,
};
use planish_eval::texture::{Filter, SamplerState, TextureData, Wrap};
use planish_ir::module::Module;
use planish_ir::text::parse_str;

fn module(text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:?}");
    module
}

/// A fragment shader that writes the `vec4` that `body` leaves in `%out`.
fn fragment(globals: &str, body: &str) -> Module {
    module(&format!(
        "module glsl 310 es
var input builtin @gl_FragCoord: vec4 builtin(gl_FragCoord)
var output interface @color: vec4
{globals}
fn @main() {{
b0:
  %coord = load @gl_FragCoord
{body}
  store @color, %out
  return
}}
entry fragment @main \"main\"
"
    ))
}

fn options(width: u32, height: u32) -> DrawOptions<'static> {
    DrawOptions { size: [width, height], ..DrawOptions::default() }
}

fn pixel(image: &Image, x: u32, y_from_top: u32) -> [f32; 4] {
    image.float[(y_from_top * image.width + x) as usize]
}

#[test]
fn coordinates_go_through_pixel_centres_from_the_lower_left() {
    let image = draw(&fragment("", "  %out = add %coord, vec4{0.0, 0.0, 0.0, 0.0}"), &options(19, 11)).unwrap();
    assert_eq!((image.width, image.height, image.rgba8.len()), (19, 11, 19 * 11 * 4));
    for y in 0..11 {
        for x in 0..19 {
            let expected = [x as f32 + 0.5, 10.0 - y as f32 + 0.5, 0.5, 1.0];
            assert_eq!(pixel(&image, x, y), expected);
        }
    }
    assert_eq!(&image.rgba8[..4], &[128, 255, 128, 255]);
    let one = draw(&fragment("", "  %out = add %coord, vec4{0.0, 0.0, 0.0, 0.0}"), &options(1, 1)).unwrap();
    assert_eq!(one.float, [[0.5, 0.5, 0.5, 1.0]]);
}

#[test]
fn any_output_can_be_drawn() {
    let globals = "var output interface @normals: [2 x vec2]\nvar output interface @unused: vec4";
    let body = "  %n = access_array_element @normals, 1\n  store %n, vec2{0.25, 0.5}\n  %out = abs %coord";
    let shader = fragment(globals, body);
    assert_eq!(fragment_outputs(&shader), ["color", "normals[0]", "normals[1]"]);
    let drawn =
        |name: &str| draw(&shader, &DrawOptions { output: Some(name.into()), ..options(1, 1) }).map(|i| i.float[0]);
    assert_eq!(drawn("normals[1]"), Ok([0.25, 0.5, 0.0, 1.0]));
    assert_eq!(drawn("color"), Ok([0.5, 0.5, 0.5, 1.0]));
    assert_eq!(drawn("unused"), Ok([0.0; 4]));
    assert!(matches!(drawn("normals[2]"), Err(ShadeError::UnknownName { known, .. }) if known.len() == 3));
}

#[test]
fn threads_and_their_number_do_not_show() {
    let shader = fragment("", "  %sin = sin %coord\n  %out = abs %sin");
    let one = draw(&shader, &DrawOptions { threads: 1, ..options(37, 29) }).unwrap();
    let many = draw(&shader, &DrawOptions { threads: 5, ..options(37, 29) }).unwrap();
    assert_eq!(one, many);
}

#[test]
fn derivatives_are_differences_in_the_quad() {
    let image = draw(
        &fragment(
            "",
            "  %x = extract_vector_component[0] %coord
  %y = extract_vector_component[1] %coord
  %xx = multiply %x, %x
  %xy = multiply %x, %y
  %a = dfdx %xx
  %b = dfdy %xy
  %c = fwidth %xy
  %d = dfdx_coarse %xy
  %out: vec4 = construct_vector_from_multiple %a, %b, %c, %d",
        ),
        &options(8, 8),
    )
    .unwrap();
    // The quad of x in {4.5, 5.5} and y in {2.5, 3.5}: rows count from above.
    assert_eq!(pixel(&image, 4, 8 - 1 - 2), [10.0, 4.5, 2.5 + 4.5, 2.5]);
    assert_eq!(pixel(&image, 5, 8 - 1 - 3), [10.0, 5.5, 3.5 + 5.5, 2.5]);
}

#[test]
fn discarded_fragments_help_their_neighbours() {
    let shader = "module glsl 310 es
var input builtin @gl_FragCoord: vec4 builtin(gl_FragCoord)
var output interface @color: vec4
fn @main() {
b0:
  %coord = load @gl_FragCoord
  %x = extract_vector_component[0] %coord
  %odd = fract %x
  %half = multiply %x, 0.5
  %f = fract %half
  %first = less_than %f, 0.5
  if %first {
  then b1:
    discard
  else b2:
    merge
  }
b3:
  %square = multiply %x, %x
  %d = dfdx %square
  %out: vec4 = construct_vector_from_multiple %d, 0.0, 0.0, 1.0
  store @color, %out
  return
}
entry fragment @main \"main\"
";
    let image = draw(&module(shader), &options(4, 2)).unwrap();
    assert_eq!(pixel(&image, 0, 0), [0.0; 4]);
    assert_eq!(pixel(&image, 1, 0), [2.0, 0.0, 0.0, 1.0]);
    assert_eq!(pixel(&image, 3, 1), [6.0, 0.0, 0.0, 1.0]);
}

#[test]
fn a_loop_that_a_discard_would_have_ended_ends() {
    let shader = "module glsl 310 es
var input builtin @gl_FragCoord: vec4 builtin(gl_FragCoord)
var output interface @color: vec4
fn @main() {
b0:
  %coord = load @gl_FragCoord
  %x = extract_vector_component[0] %coord
  loop 0.0 {
  cond b1(%i: f32):
    loop_if true
  body b2:
    %here = greater_than_equal %i, %x
    if %here {
    then b3:
      discard
    else b4:
      merge
    }
  b5:
    %next = add %i, 1.0
    continue b0, %next
  }
b6:
  return
}
entry fragment @main \"main\"
";
    let image = draw(&module(shader), &options(9, 3)).unwrap();
    assert!(image.float.iter().all(|p| *p == [0.0; 4]));
}

#[test]
fn uniforms_by_name() {
    let shader = fragment(
        "struct $Light {
  position: vec3
  weights: [3 x f32]
}
var uniform interface @u_time: f32
var uniform interface @light: $Light
var uniform interface @resolution: vec2",
        "  %time = load @u_time
  %weights = access_struct_field[1] @light
  %p = access_array_element %weights, 1
  %w = load %p
  %pos = access_struct_field[0] @light
  %xyz = load %pos
  %z = extract_vector_component[2] %xyz
  %size = load @resolution
  %width = extract_vector_component[0] %size
  %out: vec4 = construct_vector_from_multiple %time, %w, %z, %width",
    );
    let mut options = options(2, 2);
    options.time = 2.5;
    options.uniforms = vec![("light.weights[1]".into(), vec![7.0]), ("light.position".into(), vec![1.0, 2.0, 3.0])];
    let image = draw(&shader, &options).unwrap();
    assert_eq!(pixel(&image, 0, 0), [2.5, 7.0, 3.0, 2.0]);
    options.uniforms = vec![("weights".into(), vec![4.0, 5.0, 6.0])];
    assert_eq!(pixel(&draw(&shader, &options).unwrap(), 0, 0)[1], 5.0);
    options.uniforms = vec![("nobody".into(), vec![1.0])];
    assert!(matches!(draw(&shader, &options), Err(ShadeError::UnknownName { known, .. }) if known.len() == 4));
    options.uniforms = vec![("resolution".into(), vec![1.0])];
    let wrong = ShadeError::WrongSize { name: "resolution".into(), expected: 2, given: 1 };
    assert_eq!(draw(&shader, &options), Err(wrong));
}

/// Draws `texture(tex, coordinate)` with the given texture; `coordinate` computes `%uv` from `%coord`.
fn textured(kind: &str, coordinate: &str, sample: &str, texture: TextureData, sampler: SamplerState) -> Image {
    let shader = fragment(
        &format!("var handle interface @tex: combined<{kind} f32>"),
        &format!("{coordinate}\n  %t = load @tex\n  %out = {sample}"),
    );
    let mut options = options(8, 8);
    options.textures = vec![TextureBinding { name: "tex".into(), texture: Arc::new(texture), sampler }];
    draw(&shader, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// A texture whose texels are their own coordinates.
fn coordinates(width: u32, height: u32, layers: u32) -> TextureData {
    TextureData::from_fn([width, height, layers], |x, y, z| [x as f32, y as f32, z as f32, 1.0])
}

fn nearest() -> SamplerState {
    SamplerState { magnify: Filter::Nearest, minify: Filter::Nearest, mipmap: None, ..SamplerState::default() }
}

const UV: &str = "  %xy = extract_vector_component_multi[xy] %coord\n  %uv = divide %xy, vec2{8.0, 8.0}";

#[test]
fn textures_nearest_and_linear() {
    let sample = "texture_sample %t, %uv";
    let image = textured("2d", UV, sample, coordinates(4, 4, 1), nearest());
    assert_eq!(pixel(&image, 0, 7), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(pixel(&image, 7, 0), [3.0, 3.0, 0.0, 1.0]);
    assert_eq!(pixel(&image, 2, 7), [1.0, 0.0, 0.0, 1.0]);
    let linear = SamplerState { mipmap: None, ..SamplerState::default() };
    let clamp = SamplerState { wrap: [Wrap::Clamp; 3], ..linear };
    // Pixel centres lie at 0.25, 0.75, … texels: 1/4 and 3/4 between texel centres.
    let image = textured("2d", UV, sample, coordinates(4, 4, 1), clamp);
    assert_eq!(pixel(&image, 0, 7), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(pixel(&image, 1, 6), [0.25, 0.25, 0.0, 1.0]);
    assert_eq!(pixel(&image, 7, 7)[0], 3.0);
    // Repeating: at the left edge a quarter of the last column.
    let image = textured("2d", UV, sample, coordinates(4, 4, 1), linear);
    assert_eq!(pixel(&image, 0, 6)[0], 0.75);
    let border = SamplerState { wrap: [Wrap::Border; 3], ..nearest() };
    let far = "  %xy = extract_vector_component_multi[xy] %coord\n  %uv = multiply %xy, vec2{-1.0, 1.0}";
    assert_eq!(pixel(&textured("2d", far, sample, coordinates(4, 4, 1), border), 3, 3), [0.0; 4]);
    let mirror = SamplerState { wrap: [Wrap::Mirror; 3], ..nearest() };
    let over = "  %xy = extract_vector_component_multi[xy] %coord\n  %uv = divide %xy, vec2{4.0, 4.0}";
    let image = textured("2d", over, sample, coordinates(4, 4, 1), mirror);
    assert_eq!([0, 3, 4, 7].map(|x| pixel(&image, x, 7)[0]), [0.0, 3.0, 3.0, 0.0]);
}

#[test]
fn the_level_of_detail_follows_from_the_quad() {
    // Level n holds the number n. 32 texels over 8 pixels: level 2.
    let sample = "texture_sample %t, %uv";
    let texture = levels();
    assert_eq!(pixel(&textured("2d", UV, sample, texture.clone(), SamplerState::default()), 3, 3)[0], 2.0);
    let biased = "texture_sample[bias] %t, %uv, 0.5";
    assert_eq!(pixel(&textured("2d", UV, biased, texture.clone(), SamplerState::default()), 3, 3)[0], 2.5);
    let lod = "texture_sample_lod[lod] %t, %uv, 3.25";
    assert_eq!(pixel(&textured("2d", UV, lod, texture.clone(), SamplerState::default()), 3, 3)[0], 3.25);
    let grad = "texture_sample_grad[grad] %t, %uv, vec2{0.5, 0.0}, vec2{0.0, 0.125}";
    assert_eq!(pixel(&textured("2d", UV, grad, texture.clone(), SamplerState::default()), 3, 3)[0], 4.0);
    let nearest = SamplerState { mipmap: Some(Filter::Nearest), ..SamplerState::default() };
    let image = textured("2d", UV, "texture_sample_lod[lod] %t, %uv, 3.6", texture.clone(), nearest);
    assert_eq!(pixel(&image, 3, 3)[0], 4.0);
    let shader = fragment(
        "var handle interface @tex: combined<2d f32>",
        &format!(
            "{UV}\n  %t = load @tex\n  %q = texture_query_lod %t, %uv\n  %out = extract_vector_component_multi[xyxy] %q"
        ),
    );
    let mut options = options(8, 8);
    options.textures =
        vec![TextureBinding { name: "tex".into(), texture: Arc::new(texture), sampler: SamplerState::default() }];
    assert_eq!(pixel(&draw(&shader, &options).unwrap(), 3, 3), [2.0; 4]);
}

/// 32 × 32 texels and all smaller levels, each of which holds its number.
fn levels() -> TextureData {
    struct Numbered;
    impl planish_eval::texture::Texture for Numbered {
        fn levels(&self) -> u32 {
            6
        }
        fn size(&self, level: u32) -> [u32; 3] {
            [32 >> level, 32 >> level, 1]
        }
        fn texel(&self, _: [u32; 3], level: u32) -> [u32; 4] {
            [(level as f32).to_bits(); 4]
        }
    }
    // Through the trait, as any source of texels.
    TextureData::from_texture(&Numbered)
}

#[test]
fn cubes_arrays_volumes_fetches_and_gathers() {
    let faces = TextureData::from_fn([2, 2, 6], |x, y, z| [x as f32, y as f32, z as f32, 1.0]);
    for (direction, expected) in [
        ("vec3{2.0, 0.1, 0.1}", [0.0, 0.0, 0.0]),
        ("vec3{-2.0, 0.1, 0.1}", [1.0, 0.0, 1.0]),
        ("vec3{0.1, 2.0, 0.1}", [1.0, 1.0, 2.0]),
        ("vec3{0.1, -2.0, 0.1}", [1.0, 0.0, 3.0]),
        ("vec3{0.1, 0.1, 2.0}", [1.0, 0.0, 4.0]),
        ("vec3{0.1, 0.1, -2.0}", [0.0, 0.0, 5.0]),
    ] {
        let uv = format!("  %uv = add {direction}, vec3{{0.0, 0.0, 0.0}}");
        let image = textured("cube", &uv, "texture_sample %t, %uv", faces.clone(), nearest());
        assert_eq!(pixel(&image, 0, 0)[..3], expected, "{direction}");
    }
    let layer = "  %uv = add vec3{0.1, 0.9, 1.6}, vec3{0.0, 0.0, 0.0}";
    let image = textured("2d array", layer, "texture_sample %t, %uv", coordinates(4, 4, 3), nearest());
    assert_eq!(pixel(&image, 0, 0)[..3], [0.0, 3.0, 2.0]);
    let volume = "  %uv = add vec3{0.5, 0.5, 0.5}, vec3{0.0, 0.0, 0.0}";
    let image = textured("3d", volume, "texture_sample %t, %uv", coordinates(4, 4, 4), SamplerState::default());
    assert_eq!(pixel(&image, 0, 0)[..3], [1.5, 1.5, 1.5]);
    let fetch = "texture_fetch[lod offset] %t, ivec2{2, 1}, 0, ivec2{1, -1}";
    assert_eq!(pixel(&textured("2d", "", fetch, coordinates(4, 4, 1), nearest()), 0, 0)[..2], [3.0, 0.0]);
    let outside = "texture_fetch[lod] %t, ivec2{4, 1}, 0";
    assert_eq!(pixel(&textured("2d", "", outside, coordinates(4, 4, 1), nearest()), 0, 0), [0.0; 4]);
    let gather = "texture_gather[component 0] %t, vec2{0.5, 0.5}";
    assert_eq!(pixel(&textured("2d", "", gather, coordinates(4, 4, 1), nearest()), 0, 0), [1.0, 2.0, 2.0, 1.0]);
    let gather = "texture_gather[component 1] %t, vec2{0.5, 0.5}";
    assert_eq!(pixel(&textured("2d", "", gather, coordinates(4, 4, 1), nearest()), 0, 0), [2.0, 2.0, 1.0, 1.0]);
    let projected = "texture_sample[proj] %t, vec3{0.25, 1.5, 2.0}";
    assert_eq!(pixel(&textured("2d", "", projected, coordinates(4, 4, 1), nearest()), 0, 0)[..2], [0.0, 3.0]);
    let shifted = "texture_sample[offset] %t, vec2{0.1, 0.1}, ivec2{2, 3}";
    assert_eq!(pixel(&textured("2d", "", shifted, coordinates(4, 4, 1), nearest()), 0, 0)[..2], [2.0, 3.0]);
}

#[test]
fn shadows_compare() {
    let depth = TextureData::from_fn([2, 1, 1], |x, _, _| [x as f32, 0.0, 0.0, 0.0]);
    let sample = |reference: f32, sampler| {
        let shader = fragment(
            "var handle interface @tex: combined<2d shadow f32>",
            &format!(
                "  %t = load @tex
  %s = texture_sample[compare] %t, vec2{{0.5, 0.5}}, {reference:?}
  %out: vec4 = construct_vector_from_scalar %s"
            ),
        );
        let mut options = options(1, 1);
        let texture = Arc::new(depth.clone());
        options.textures = vec![TextureBinding { name: "tex".into(), texture, sampler }];
        draw(&shader, &options).unwrap().float[0][0]
    };
    // Half of the texels at depth 0, half at depth 1.
    assert_eq!(sample(0.5, SamplerState::default()), 0.5);
    assert_eq!(sample(0.0, SamplerState::default()), 1.0);
    assert_eq!(sample(2.0, SamplerState::default()), 0.5);
    assert_eq!(sample(0.5, nearest()), 1.0);
}

#[test]
fn vertices_one_by_one() {
    let shader = module(
        "module glsl 310 es
var output builtin @gl_Position: vec4 builtin(gl_Position)
var input interface @position: vec2
var input builtin @gl_VertexID: i32 builtin(gl_VertexID)
var uniform interface @matrix: mat4x4
fn @main() {
b0:
  %p = load @position
  %id = load @gl_VertexID
  %v: vec4 = construct_vector_from_multiple %p, %id, 1.0
  %m = load @matrix
  %out = matrix_times_vector %m, %v
  store @gl_Position, %out
  return
}
entry vertex @main \"main\"
",
    );
    let mut options = VertexOptions { count: 100, ..VertexOptions::default() };
    options.attributes = vec![("position".into(), (0..200).map(f64::from).collect())];
    let mut scale = vec![0.0; 16];
    [scale[0], scale[5], scale[10], scale[15]] = [2.0, 1.0, 1.0, 1.0];
    options.common.uniforms = vec![("matrix".into(), scale)];
    let vertices = run_vertex(&shader, &options).unwrap();
    assert_eq!(vertices.len(), 100);
    for (i, outputs) in vertices.iter().enumerate() {
        assert_eq!(outputs[0].name, "gl_Position");
        let position: Vec<f32> = (0..4).map(|c| outputs[0].value.as_f32(c).unwrap()).collect();
        assert_eq!(position, [4.0 * i as f32, 2.0 * i as f32 + 1.0, i as f32, 1.0]);
    }
}

#[test]
fn work_groups_share_memory_between_barriers() {
    let shader = module(
        "module glsl 310 es
struct $Data block {
  count: u32
  values: [f32]
}
var storage interface @data: $Data std430
var workgroup @tile: [8 x f32]
var input builtin @gl_LocalInvocationIndex: u32 builtin(gl_LocalInvocationIndex)
var input builtin @gl_GlobalInvocationID: uvec3 builtin(gl_GlobalInvocationID)
fn @main() {
b0:
  %local = load @gl_LocalInvocationIndex
  %global = load @gl_GlobalInvocationID
  %i = extract_vector_component[0] %global
  %values = access_struct_field[1] @data
  %p = access_array_element %values, %i
  %x = load %p
  %slot = access_array_element @tile, %local
  store %slot, %x
  control_barrier
  %mirror = subtract 7u, %local
  %other = access_array_element @tile, %mirror
  %y = load %other
  store %p, %y
  %count = access_struct_field[0] @data
  %length = array_length %values
  %n: u32 = construct_scalar_from_scalar %length
  %old = atomic_add %count, %n
  return
}
entry compute @main \"main\" local_size(4, 2, 1)
",
    );
    let mut compute = Compute::new(&shader, &DrawOptions::default()).unwrap();
    let buffer = compute.buffer("data").unwrap();
    let mut bytes = 5u32.to_le_bytes().to_vec();
    bytes.extend((0..12).flat_map(|i| (i as f32).to_le_bytes()));
    assert!(compute.set_buffer(buffer, &bytes));
    compute.dispatch([1, 1, 1]).unwrap();
    let after = compute.buffer_bytes(buffer, bytes.len()).unwrap();
    assert_eq!(u32::from_le_bytes(after[..4].try_into().unwrap()), 5 + 8 * 12);
    let floats: Vec<f32> = after[4..].chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    // The global index counts along x only: invocations of the second row write the same four places again.
    assert_eq!(floats.len(), 12);
    assert_eq!(floats[4..], [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    assert_eq!(floats[..4], [3.0, 2.0, 1.0, 0.0]);
}

/// A shader of a stage that samples a texture whose levels differ, where neighbours look at texels far from each other; the
/// four components of `%out` are two samples without derivatives, and those of the levels that they must be of.
fn two_levels(stage: &str, declared: &str, index: &str, store: &str) -> Module {
    module(&format!(
        "module glsl 450
var handle interface @tex: combined<2d f32>
{declared}
fn @main() {{
b0:
{index}
  %f: f32 = construct_scalar_from_scalar %index
  %quarter = multiply %f, 0.25
  %at = add %quarter, 0.125
  %uv: vec2 = construct_vector_from_multiple %at, 0.375
  %t = load @tex
  %0 = texture_sample %t, %uv
  %1 = texture_sample[bias] %t, %uv, 1.0
  %2 = texture_sample_lod[lod] %t, %uv, 0.0
  %3 = texture_sample_lod[lod] %t, %uv, 1.0
  %4 = extract_vector_component[0] %0
  %5 = extract_vector_component[0] %1
  %6 = extract_vector_component[0] %2
  %7 = extract_vector_component[0] %3
  %out: vec4 = construct_vector_from_multiple %4, %5, %6, %7
{store}
  return
}}
entry {stage}"
    ))
}

fn checkered() -> Vec<TextureBinding> {
    let texture = TextureData::from_fn([4, 4, 1], |x, y, _| [((x + y) % 2) as f32, 0.0, 0.0, 1.0]).with_mipmaps(false);
    let sampler = SamplerState { mipmap: Some(Filter::Nearest), ..nearest() };
    vec![TextureBinding { name: "tex".into(), texture: Arc::new(texture), sampler }]
}

#[test]
fn vertices_sample_the_base_level() {
    let shader = two_levels(
        "vertex @main \"main\"",
        "var output builtin @gl_Position: vec4 builtin(gl_Position)\nvar input builtin @gl_VertexID: i32 builtin(gl_VertexID)",
        "  %index = load @gl_VertexID",
        "  store @gl_Position, %out",
    );
    let mut options = VertexOptions { count: 4, ..VertexOptions::default() };
    options.common.textures = checkered();
    for (i, outputs) in run_vertex(&shader, &options).unwrap().iter().enumerate() {
        let texels: Vec<f32> = (0..4).map(|c| outputs[0].value.as_f32(c).unwrap()).collect();
        let base = ((i + 1) % 2) as f32;
        assert_eq!(texels, [base, 0.5, base, 0.5]);
    }
}

#[test]
fn compute_shaders_sample_the_base_level() {
    let shader = two_levels(
        "compute @main \"main\" local_size(4, 1, 1)",
        "struct $Data block {\n  values: [4 x vec4]\n}\nvar storage interface @data: $Data std430
var input builtin @gl_LocalInvocationIndex: u32 builtin(gl_LocalInvocationIndex)",
        "  %index = load @gl_LocalInvocationIndex",
        "  %all = access_struct_field[0] @data\n  %mine = access_array_element %all, %index\n  store %mine, %out",
    );
    let mut compute = Compute::new(&shader, &DrawOptions { textures: checkered(), ..DrawOptions::default() }).unwrap();
    let buffer = compute.buffer("data").unwrap();
    assert!(compute.set_buffer(buffer, &[0; 64]));
    compute.dispatch([1, 1, 1]).unwrap();
    let bytes = compute.buffer_bytes(buffer, 64).unwrap();
    let floats: Vec<f32> = bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    for (i, texels) in floats.chunks(4).enumerate() {
        let base = ((i + 1) % 2) as f32;
        assert_eq!(texels, [base, 0.5, base, 0.5]);
    }
}
