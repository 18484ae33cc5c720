// Northern lights over a lake: pleated curtains, each brightest at its lower hem.
// WGSL: `loop` with `continuing`, `break`, `select`, helpers of helpers.
struct Params {
    resolution: vec2f,
    time: f32,
}

@group(0) @binding(0) var<uniform> params: Params;

fn chance(n: i32) -> f32 {
    var u = u32(n + 10000) * 1540483477u;
    u = (u ^ (u >> 13u)) * 2057u;
    return f32((u >> 6u) & 1023u) / 1023.0;
}

fn strand(x: f32) -> f32 {
    let cell = floor(x);
    let f = smoothstep(0.0, 1.0, x - cell);
    return mix(chance(i32(cell)), chance(i32(cell) + 1), f);
}

fn hem(x: f32, k: f32) -> f32 {
    let slow = sin(1.1 * x + 1.7 * k + 0.10 * params.time);
    return 0.34 + 0.10 * k + 0.16 * slow + 0.05 * sin(3.7 * x - 2.0 * k + 0.3 * params.time);
}

fn curtain(p: vec2f, k: f32) -> vec3f {
    let above = p.y - hem(p.x, k);
    if above < -0.06 {
        return vec3f(0.0);
    }
    let lean = p.x + 0.18 * above * sin(1.3 * k);
    let pleats = strand(lean * (9.0 + 3.0 * k) + 0.4 * params.time) * 0.6 + strand(lean * 31.0 + 17.0 * k) * 0.4;
    let tall = 0.20 + 0.35 * pleats;
    let light = smoothstep(-0.06, 0.02, above) * exp(-max(above, 0.0) / tall * 2.2);
    let low = mix(vec3f(0.85, 0.25, 0.55), vec3f(0.25, 1.0, 0.50), smoothstep(-0.05, 0.05, above));
    let tint = mix(low, vec3f(0.42, 0.25, 0.85), smoothstep(0.12, 0.60, above));
    return tint * light * (0.25 + 0.95 * pleats * pleats) * (0.55 + 0.45 * sin(2.3 * p.x + 2.6 * k));
}

fn sky(p: vec2f) -> vec3f {
    var c = mix(vec3f(0.03, 0.08, 0.14), vec3f(0.01, 0.015, 0.05), clamp(p.y, 0.0, 1.0));
    let at = vec2i(floor(p * 45.0));
    let n = chance(at.x * 613 + at.y * 71);
    if n > 0.97 {
        let d = length(fract(p * 45.0) - 0.5);
        c += vec3f(smoothstep(0.25, 0.0, d) * (n - 0.95) * 18.0);
    }
    var i = 0;
    loop {
        if i == 4 {
            break;
        }
        c += curtain(p, f32(i)) * (1.0 - 0.15 * f32(i));
        continuing {
            i++;
        }
    }
    return c;
}

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    var p = (2.0 * at.xy - params.resolution) / params.resolution.y;
    p.y += 0.50;
    let water = p.y < 0.0;
    let ripple = select(0.0, 0.02 * sin(90.0 * p.y / (0.25 - p.y) + params.time), water);
    var c = sky(vec2f(p.x + ripple, abs(p.y)));
    let ridge = 0.05 + 0.035 * sin(5.0 * p.x) + 0.02 * sin(13.0 * p.x + 1.0) + 0.01 * sin(37.0 * p.x);
    if abs(p.y) < ridge {
        c = vec3f(0.006, 0.012, 0.02);
    }
    if water {
        c = c * 0.5 + vec3f(0.0, 0.01, 0.02);
    }
    return vec4f(sqrt(clamp(c, vec3f(0.0), vec3f(1.0))), 1.0);
}
