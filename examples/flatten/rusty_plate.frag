#version 300 es
// A painted steel plate with rivets and rust that runs down from them.
// Nested ifs, a loop over rivets with `continue`, early return of the paint.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

float hash(vec2 p) {
    uint n = uint(int(p.x)) * 2166136261u + uint(int(p.y)) * 16777619u;
    n ^= n >> 13;
    n *= 0x5bd1e995u;
    return float((n ^ (n >> 15)) & 0xffffu) / 65535.0;
}

float noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = p - cell;
    f *= f * (3.0 - 2.0 * f);
    vec2 rows = mix(vec2(hash(cell), hash(cell + vec2(0.0, 1.0))),
                    vec2(hash(cell + vec2(1.0, 0.0)), hash(cell + 1.0)), f.x);
    return mix(rows.x, rows.y, f.y);
}

float fractal(vec2 p) {
    float sum = 0.0, size = 0.5;
    for (int i = 0; i < 5; ++i) {
        sum += size * noise(p);
        p = mat2(1.6, 1.2, -1.2, 1.6) * p;
        size *= 0.5;
    }
    return sum;
}

float running(vec2 p) {
    float rust = 0.0;
    for (int i = 0; i < 6; ++i) {
        vec2 rivet = vec2(0.12 + 0.76 * float(i % 3) / 2.0, i < 3 ? 0.88 : 0.42);
        vec2 d = p - rivet;
        if (d.y > 0.06) continue;
        float width = 0.035 + 0.03 * noise(vec2(9.0 * float(i), 14.0 * p.y));
        rust = max(rust, exp(-d.x * d.x / (width * width)) * exp(1.4 * d.y));
    }
    return rust;
}

vec3 surface(vec2 p, float rust, float grit) {
    if (rust < 0.50) {
        vec3 paint = vec3(0.16, 0.36, 0.42) * (0.9 + 0.25 * grit);
        if (rust > 0.46) paint = mix(paint, vec3(0.75, 0.78, 0.72), 0.7);
        return paint;
    }
    vec3 c = mix(vec3(0.30, 0.12, 0.05), vec3(0.66, 0.32, 0.10), grit);
    if (rust > 0.62) {
        if (grit > 0.55) return c * vec3(1.15, 0.85, 0.6);
        c *= 0.6;
    }
    return c;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution;
    float grit = fractal(p * 30.0);
    float rust = 0.75 * fractal(p * 5.0 + 3.0) + 0.42 * running(p) * (0.5 + grit);
    vec3 c = surface(p, rust, grit);
    vec2 q = vec2(mod(p.x - 0.12 + 0.19, 0.38) - 0.19, mod(p.y - 0.42 + 0.23, 0.46) - 0.23);
    float r = length(q);
    if (r < 0.035) {
        c *= 0.75 + 9.0 * (q.y - q.x);
        c += 0.12;
    } else if (r < 0.05) {
        c *= 0.5;
    }
    color = vec4(sqrt(clamp(c, 0.0, 1.0)), 1.0);
}
