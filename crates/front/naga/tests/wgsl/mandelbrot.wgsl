// A picture, in one expression-heavy function.
struct View { centre: vec2<f32>, scale: f32, limit: u32 }
@group(0) @binding(0) var<uniform> view: View;
fn escape(c: vec2<f32>, limit: u32) -> f32 {
    var z = vec2<f32>();
    var n = 0u;
    while n < limit && dot(z, z) < 4.0 { z = vec2<f32>(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; n++; }
    return f32(n) / f32(limit);
}
// expect: 1 0.02
fn inside_and_out() -> vec2<f32> { var x = 0.0; return vec2<f32>(escape(vec2<f32>(x), 50u), escape(vec2<f32>(x + 3.0), 50u)); }
@fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let t = escape(view.centre + at.xy * view.scale, view.limit);
    return vec4<f32>(0.5 + 0.5 * cos(6.28318 * (t + vec3<f32>(0.0, 0.33, 0.67))), 1.0);
}
