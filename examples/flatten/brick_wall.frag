#version 300 es
// A brick wall in raking light: every brick has its own colour, chips and tilt.
// `if` / `else if` chain, a helper with several `out`s, early return.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float hash(ivec2 cell, int salt) {
    int n = cell.x * 374761393 + cell.y * 668265263 + salt * 974711;
    n = (n ^ (n >> 13)) * 1274126177;
    return float((n ^ (n >> 16)) & 1023) / 1023.0;
}

void brick(vec2 p, out ivec2 cell, out vec2 inside, out float mortar) {
    vec2 size = vec2(0.36, 0.135);
    vec2 q = p / size;
    int row = int(floor(q.y));
    if ((row & 1) == 1) q.x += 0.5;
    cell = ivec2(floor(q));
    inside = (fract(q) - 0.5) * size;
    vec2 d = abs(inside) - 0.5 * size + 0.014;
    mortar = length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - 0.006;
}

vec3 clay(ivec2 cell) {
    float kind = hash(cell, 1);
    float shade = 0.85 + 0.3 * hash(cell, 2);
    if (kind < 0.10) {
        return shade * vec3(0.27, 0.17, 0.16);
    } else if (kind < 0.35) {
        return shade * vec3(0.62, 0.30, 0.20);
    } else if (kind < 0.80) {
        return shade * vec3(0.55, 0.22, 0.15);
    }
    return shade * vec3(0.70, 0.42, 0.28);
}

float rough(vec2 p) {
    float sum = 0.0;
    float size = 0.5;
    for (int i = 0; i < 3; ++i) {
        ivec2 c = ivec2(floor(p));
        vec2 f = fract(p);
        f = f * f * (3.0 - 2.0 * f);
        float low = mix(hash(c, 5), hash(c + ivec2(1, 0), 5), f.x);
        float high = mix(hash(c + ivec2(0, 1), 5), hash(c + ivec2(1, 1), 5), f.x);
        sum += size * mix(low, high, f.y);
        size *= 0.5;
        p *= 2.1;
    }
    return sum;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 1.6;
    ivec2 cell;
    vec2 inside;
    float mortar;
    brick(p, cell, inside, mortar);
    float grit = rough(p * 46.0);
    mortar += 0.012 * (rough(p * 22.0) - 0.4);
    vec3 c;
    if (mortar > 0.0) {
        c = vec3(0.55, 0.52, 0.47) * (0.55 + 0.5 * grit) * (1.0 - 0.35 * smoothstep(0.012, 0.0, mortar));
    } else {
        vec2 tilt = vec2(hash(cell, 3), hash(cell, 4)) - 0.5;
        float lit = 0.85 + 0.9 * dot(tilt, vec2(cos(time), sin(time) + 0.5));
        float rim = smoothstep(-0.016, 0.0, mortar) * sign(inside.y);
        c = clay(cell) * (0.65 + 0.55 * grit) * (lit + 0.25 * rim);
    }
    color = vec4(sqrt(c), 1.0);
}
