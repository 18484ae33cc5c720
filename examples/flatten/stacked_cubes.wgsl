// Isometric cubes with heights of their own: the cells under a pixel are walked front to back.
// WGSL: a loop with several early returns, components counted up, `switch` with several values.
struct Params {
    resolution: vec2f,
    time: f32,
}

@group(0) @binding(0) var<uniform> params: Params;

fn height(cell: vec2i) -> f32 {
    var n = u32(cell.x + 200) * 2654435769u ^ u32(cell.y + 200) * 2246822519u;
    n = (n ^ (n >> 15u)) * 3266489917u;
    let still = f32((n >> 8u) & 7u) / 7.0;
    return 0.3 + 1.4 * still * (0.75 + 0.25 * sin(params.time + 6.0 * still));
}

struct Face {
    kind: i32,
    cell: vec2i,
    at: vec2f,
}

fn hit(p: vec2f) -> Face {
    let ground = vec2f(p.x / 1.7320508 + p.y, -p.x / 1.7320508 + p.y);
    var lift = 1.75;
    var cell = vec2i(floor(ground - lift));
    var entered = 0;
    for (var step = 0; step < 6; step++) {
        let leave = ground - vec2f(cell) - 1.0;
        let next = max(leave.x, leave.y);
        let h = height(cell);
        if h >= lift && entered != 0 {
            let local = ground - lift - vec2f(cell);
            return Face(entered, cell, vec2f(select(local.x, local.y, entered == 1), h - lift));
        }
        if h >= next {
            return Face(0, cell, ground - h - vec2f(cell));
        }
        lift = next;
        if leave.x > leave.y {
            cell.x++;
            entered = 1;
        } else {
            cell.y++;
            entered = 2;
        }
    }
    return Face(3, cell, vec2f(0.0));
}

fn paint(cell: vec2i) -> vec3f {
    switch (cell.x * 3 + cell.y * 5) & 7 {
        case 0, 3: { return vec3f(0.93, 0.45, 0.32); }
        case 1: { return vec3f(0.96, 0.77, 0.38); }
        case 2, 5, 6: { return vec3f(0.24, 0.58, 0.60); }
        default: { return vec3f(0.90, 0.86, 0.76); }
    }
}

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let p = at.xy / params.resolution.y * 7.0;
    let face = hit(p);
    var c = paint(face.cell) * (0.75 + 0.22 * height(face.cell));
    switch face.kind {
        case 0: {
            let e = min(face.at, 1.0 - face.at);
            c = mix(vec3f(1.0, 0.98, 0.92), c, smoothstep(0.015, 0.04, min(e.x, e.y)));
        }
        case 1: {
            c *= 0.70 - 0.16 * clamp(face.at.y, 0.0, 1.5);
        }
        case 2: {
            c *= 0.45 - 0.10 * clamp(face.at.y, 0.0, 1.5);
        }
        default: {
            c = vec3f(0.10, 0.12, 0.20);
        }
    }
    return vec4f(c, 1.0);
}
