// Rings around wandering points, each with its own colour.
struct Params {
    resolution: vec2f,
    time: f32,
}

@group(0) @binding(0) var<uniform> params: Params;

const POINTS = 5;

fn place(i: i32) -> vec2f {
    let turn = 1.2566371 * f32(i) + 0.4 * params.time;
    return vec2f(cos(turn), sin(turn)) * (0.45 + 0.2 * sin(3.0 * turn + params.time));
}

fn hue(i: i32) -> vec3f {
    return 0.5 + 0.5 * cos(1.7 * f32(i) + vec3f(0.0, 2.1, 4.2));
}

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let p = (2.0 * at.xy - params.resolution) / params.resolution.y;
    var color = vec3f(0.04, 0.05, 0.08);
    var weight = 0.0;
    for (var i = 0; i < POINTS; i++) {
        let far = length(p - place(i));
        let near = exp(-3.0 * far);
        color += hue(i) * near * (0.6 + 0.4 * sin(24.0 * far - 2.0 * params.time));
        weight += near;
        if weight > 1.5 {
            break;
        }
    }
    return vec4f(color / (0.35 + weight), 1.0);
}
