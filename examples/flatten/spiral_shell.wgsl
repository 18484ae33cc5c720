// A nautilus cut open: chambers along a logarithmic spiral, the turn found by a loop.
// WGSL: multiple results in a struct, `else if`, an early return from a loop.
struct Params {
    resolution: vec2f,
    time: f32,
}

@group(0) @binding(0) var<uniform> params: Params;

const GROWTH = 0.1759;
const TAU = 6.2831853;

struct Place {
    turn: f32,
    across: f32,
    inside: bool,
}

fn place(p: vec2f) -> Place {
    let r = length(p);
    let angle = atan2(p.y, p.x);
    for (var i = 0; i < 6; i++) {
        let turn = angle + TAU * f32(i) - 21.6;
        let outer = exp(GROWTH * turn);
        if outer < r {
            continue;
        }
        let inner = exp(GROWTH * (turn - TAU));
        let across = (r - inner) / (outer - inner);
        return Place(turn, across, turn < 0.0);
    }
    return Place(0.0, 0.0, false);
}

fn chamber(at: Place) -> vec3f {
    let bow = 1.5 * at.across * (1.0 - at.across) + 0.25 * at.across;
    let cell = (at.turn + bow) * 3.2;
    let wall = abs(fract(cell) - 0.5);
    var c = vec3f(0.0);
    if at.turn > -1.9 {
        let depth = smoothstep(0.0, 0.5, at.across) * smoothstep(1.0, 0.6, at.across);
        c = mix(vec3f(0.70, 0.48, 0.36), vec3f(0.32, 0.17, 0.14), depth);
    } else {
        let f = fract(cell);
        let pearl = 0.5 + 0.5 * cos(1.7 * floor(cell) + 3.0 * f + 2.0 * at.across + vec3f(0.0, 1.2, 2.6) + 0.3 * params.time);
        c = mix(vec3f(0.90, 0.82, 0.76), pearl, 0.22) * (0.55 + 0.5 * f);
        c = mix(c, vec3f(0.97, 0.94, 0.88), smoothstep(0.42, 0.46, wall));
        c *= 0.65 + 0.35 * smoothstep(0.0, 0.25, min(at.across, 1.0 - at.across));
    }
    let rim = min(at.across, 1.0 - at.across);
    if rim < 0.045 {
        c = vec3f(0.96, 0.90, 0.80);
    } else if rim < 0.06 {
        c *= 0.7;
    }
    return c;
}

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let p = (2.0 * at.xy - params.resolution) / params.resolution.y;
    let q = (p + vec2f(0.10, -0.05)) * vec2f(1.0, -1.0) / 1.25;
    let spot = place(q);
    var c = mix(vec3f(0.16, 0.24, 0.32), vec3f(0.07, 0.11, 0.17), length(p) * 0.75);
    let shadow = place((q + vec2f(-0.04, -0.05)));
    if shadow.inside {
        c *= 0.55;
    }
    if spot.inside {
        c = chamber(spot);
        if spot.turn > -TAU && spot.across > 0.955 && fract(4.0 * sqrt(-spot.turn) + 0.2) < 0.5 {
            c = vec3f(0.72, 0.36, 0.20);
        }
    }
    return vec4f(c, 1.0);
}
