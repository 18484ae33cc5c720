// A paper sea: rows of waves one behind the other, and a boat that rides on one.
// WGSL: pointers as `inout`, `while`, a loop with `continue`.
struct Params {
    resolution: vec2f,
    time: f32,
}

@group(0) @binding(0) var<uniform> params: Params;

fn swell(x: f32, row: f32) -> f32 {
    let t = params.time * (0.5 + 0.1 * row);
    return 0.05 * sin(3.0 * x + t + 2.0 * row) + 0.025 * sin(7.0 * x - 1.3 * t + row) + 0.012 * sin(15.0 * x + row * 5.0);
}

fn cover(canvas: ptr<function, vec3f>, paint: vec3f, d: f32) {
    *canvas = mix(*canvas, paint, smoothstep(0.004, -0.004, d));
}

fn shade_below(canvas: ptr<function, vec3f>, d: f32) {
    if d < 0.0 {
        return;
    }
    *canvas *= 1.0 - 0.30 * exp(-28.0 * d);
}

fn boat(canvas: ptr<function, vec3f>, p: vec2f) {
    let slope = (swell(0.15, 4.0) - swell(-0.05, 4.0)) * 4.0;
    var q = p - vec2f(0.05, -0.20 + swell(0.05, 4.0));
    q = vec2f(q.x + slope * q.y, q.y - slope * q.x);
    let hull = max(max(abs(q.x) - 0.24 - 0.6 * q.y, q.y - 0.06), -q.y - 0.07);
    cover(canvas, vec3f(0.72, 0.22, 0.18), hull);
    cover(canvas, vec3f(0.95, 0.90, 0.80), max(hull, abs(q.y - 0.035) - 0.012));
    cover(canvas, vec3f(0.30, 0.20, 0.15), max(abs(q.x) - 0.010, abs(q.y - 0.32) - 0.27));
    let right = max(max(0.025 - q.x, q.x * 1.7 + q.y - 0.56), 0.10 - q.y);
    cover(canvas, vec3f(0.98, 0.95, 0.88), right);
    let left = max(max(q.x + 0.025, -q.x * 2.4 + q.y - 0.52), 0.12 - q.y);
    cover(canvas, vec3f(0.95, 0.72, 0.36), left);
}

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let p = (2.0 * at.xy - params.resolution) / params.resolution.y;
    var canvas = mix(vec3f(0.99, 0.86, 0.68), vec3f(0.56, 0.76, 0.82), smoothstep(-0.2, 1.0, p.y));
    let sun = length(p - vec2f(0.48, 0.48));
    var ring = 4;
    while ring > 0 {
        ring--;
        cover(&canvas, mix(vec3f(0.98, 0.52, 0.36), canvas, f32(ring) / 4.0), sun - 0.20 - 0.06 * f32(ring));
    }
    for (var row = 0; row < 8; row++) {
        let k = f32(row);
        let line = 0.02 - 0.13 * k + swell(p.x, k) + 0.02 * abs(sin(6.0 * p.x + 1.7 * k));
        let d = p.y - line;
        if row == 5 {
            boat(&canvas, p);
        }
        shade_below(&canvas, d);
        if d > 0.01 {
            continue;
        }
        var paint = mix(vec3f(0.50, 0.76, 0.76), vec3f(0.05, 0.22, 0.38), k / 7.0);
        paint += 0.08 * smoothstep(-0.03, 0.0, d);
        cover(&canvas, paint, d);
    }
    return vec4f(canvas, 1.0);
}
