// Garden paths from Wang tiles: each edge is hashed once, so neighbours agree; a tile paves what its edges ask.
// WGSL: arrays written in loops, `continue`, bits.
struct Params {
    resolution: vec2f,
    time: f32,
}

@group(0) @binding(0) var<uniform> params: Params;

fn edge(cell: vec2i, upright: u32) -> bool {
    var n = u32(cell.x + 64) * 40503u + u32(cell.y + 64) * 30011u + upright * 977u;
    n ^= n >> 7u;
    n *= 50021u;
    n ^= n >> 9u;
    return (n & 15u) < 9u;
}

fn segment(p: vec2f, end: vec2f) -> f32 {
    let h = clamp(dot(p, end) / dot(end, end), 0.0, 1.0);
    return length(p - h * end);
}

fn stones(p: vec2f) -> f32 {
    var nearest = array<f32, 2>(9.0, 9.0);
    let cell = floor(p);
    for (var i = 0; i < 9; i++) {
        let c = cell + vec2f(f32(i % 3 - 1), f32(i / 3 - 1));
        let jitter = fract(sin(vec2f(dot(c, vec2f(12.7, 31.1)), dot(c, vec2f(26.9, 18.3)))) * 437.5);
        let d = length(c + 0.2 + 0.6 * jitter - p);
        if d < nearest[0] {
            nearest[1] = nearest[0];
            nearest[0] = d;
        } else if d < nearest[1] {
            nearest[1] = d;
        }
    }
    return nearest[1] - nearest[0];
}

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let p = at.xy / params.resolution.y * 6.0;
    let cell = vec2i(floor(p));
    let f = fract(p) - 0.5;
    var ends = array<vec2f, 4>(vec2f(-0.5, 0.0), vec2f(0.5, 0.0), vec2f(0.0, -0.5), vec2f(0.0, 0.5));
    var open: array<bool, 4>;
    open[0] = edge(cell, 0u);
    open[1] = edge(cell + vec2i(1, 0), 0u);
    open[2] = edge(cell, 1u);
    open[3] = edge(cell + vec2i(0, 1), 1u);
    var d = 9.0;
    var count = 0;
    for (var side = 0; side < 4; side++) {
        if !open[side] {
            continue;
        }
        d = min(d, segment(f, ends[side]));
        count += 1;
    }
    let grass = sin(31.0 * p.x + 5.0 * sin(23.0 * p.y)) * sin(29.0 * p.y + 4.0 * sin(27.0 * p.x));
    var c = vec3f(0.26, 0.44, 0.17) + 0.05 * grass;
    let wobbly = d + 0.02 * sin(17.0 * p.x) * sin(15.0 * p.y);
    if wobbly < 0.17 {
        let gap = stones(p * 9.0);
        c = mix(vec3f(0.42, 0.36, 0.28), vec3f(0.78, 0.73, 0.65), smoothstep(0.05, 0.2, gap));
    } else if wobbly < 0.24 {
        c = c * 0.75;
    }
    if count == 0 || count == 4 {
        let r = length(f);
        let petal = 0.20 + 0.05 * cos(8.0 * atan2(f.y, f.x) + params.time);
        if r < petal {
            c = select(vec3f(0.90, 0.35, 0.45), vec3f(0.97, 0.83, 0.40), r < 0.08);
            c *= 0.8 + r;
        }
    }
    return vec4f(c, 1.0);
}
