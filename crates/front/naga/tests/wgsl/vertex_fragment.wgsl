// A vertex and a fragment stage that share a struct.
struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) @interpolate(flat) id: u32,
    @location(2) @interpolate(linear, centroid) shade: f32,
}
struct Camera { view: mat4x4<f32>, eye: vec3<f32>, time: f32 }
@group(0) @binding(0) var<uniform> camera: Camera;

@vertex
fn vs(@location(0) position: vec3<f32>, @location(1) uv: vec2<f32>, @builtin(vertex_index) index: u32,
      @builtin(instance_index) instance: u32) -> Varyings {
    var out: Varyings;
    out.position = camera.view * vec4<f32>(position, 1.0);
    out.uv = uv;
    out.id = index + instance;
    out.shade = camera.time;
    return out;
}

@fragment
fn fs(in: Varyings) -> @location(0) vec4<f32> {
    return vec4<f32>(in.uv, f32(in.id), in.shade) + in.position * 0.001;
}
