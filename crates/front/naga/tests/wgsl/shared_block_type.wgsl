// One struct for two uniforms, for a buffer and for values.
struct Light { position: vec4<f32>, colour: vec4<f32> }
@group(0) @binding(0) var<uniform> key: Light;
@group(0) @binding(1) var<uniform> fill: Light;
@group(0) @binding(2) var<storage, read> many: array<Light>;
fn shade(light: Light) -> vec4<f32> { return light.colour * light.position.w; }
@fragment fn main() -> @location(0) vec4<f32> {
    var best = key;
    if fill.colour.x > best.colour.x { best = fill; }
    return shade(best) + shade(many[1]) + shade(Light(vec4<f32>(1.0), vec4<f32>(0.5)));
}
