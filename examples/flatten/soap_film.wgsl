// Soap films in foam: thickness gives interference at three wavelengths, bubbles by circles in a loop.
// WGSL: vector components written, `var` shadowing, `discard`.
struct Params {
    resolution: vec2f,
    time: f32,
}

@group(0) @binding(0) var<uniform> params: Params;

fn interference(thickness: f32, slant: f32) -> vec3f {
    var c = vec3f(0.0);
    let waves = vec3f(650.0, 532.0, 450.0);
    for (var i = 0; i < 3; i++) {
        let phase = 12.5664 * 1.33 * thickness * slant / waves[i];
        c[i] = 0.5 - 0.5 * cos(phase);
    }
    return c;
}

fn flow(p: vec2f) -> f32 {
    var q = p;
    var sum = 0.0;
    for (var i = 1; i <= 4; i++) {
        let k = f32(i);
        q += 0.45 * sin(q.yx * 1.6 * k + vec2f(0.3, 1.1) * k + 0.2 * params.time) / k;
        sum += sin(q.x * 2.0 + k) / k;
    }
    return sum;
}

fn centre(i: i32) -> vec3f {
    let k = f32(i);
    let angle = 2.39996 * k;
    let r = 0.30 * sqrt(k);
    return vec3f(r * cos(angle), r * sin(angle), 0.20 + 0.10 * fract(0.618 * k + 0.3));
}

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let p = (2.0 * at.xy - params.resolution) / params.resolution.y;
    if max(abs(p.x), abs(p.y)) > 0.99 {
        discard;
    }
    var best = -9.0;
    var second = -9.0;
    var owner = vec3f(0.0);
    for (var i = 0; i < 14; i++) {
        let ball = centre(i);
        let d = p - ball.xy;
        let power = ball.z * ball.z - dot(d, d);
        if power > best {
            second = best;
            best = power;
            owner = ball;
        } else if power > second {
            second = power;
        }
    }
    var c = mix(vec3f(0.05, 0.07, 0.12), vec3f(0.12, 0.16, 0.24), 0.5 + 0.5 * p.y);
    if best > 0.0 {
        let d = (p - owner.xy) / owner.z;
        let slant = sqrt(max(1.0 - 0.55 * dot(d, d), 0.05));
        let thickness = 330.0 + 110.0 * flow(2.0 * p + 7.0 * owner.xy) - 120.0 * d.y;
        let film = interference(thickness, slant);
        let rim = smoothstep(0.45, 1.0, dot(d, d));
        c = c * 0.8 + film * (0.26 + 0.45 * rim);
        let shine = smoothstep(0.20, 0.05, length(d - vec2f(-0.38, 0.45)));
        c += 0.7 * shine;
        let c2 = c;
        {
            let c = best - second;
            if second > 0.0 && c < 0.012 {
                let border = smoothstep(0.012, 0.004, c);
                return vec4f(mix(c2, vec3f(0.92, 0.95, 1.0), 0.7 * border), 1.0);
            }
        }
    }
    return vec4f(c, 1.0);
}
