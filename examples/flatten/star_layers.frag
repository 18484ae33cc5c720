#version 300 es
// Stars in four depths around a nebula; bright ones have spikes.
// Loops three deep with `continue`, `else if` for the kinds of stars.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

uint mix_bits(uint n) {
    n = (n ^ 61u) ^ (n >> 16);
    n *= 9u;
    n ^= n >> 4;
    n *= 0x27d4eb2du;
    return n ^ (n >> 15);
}

vec4 random4(ivec2 cell, int depth) {
    uint a = mix_bits(uint(cell.x + 4096) + 8192u * uint(cell.y + 4096) + 77777777u * uint(depth));
    uint b = mix_bits(a);
    return vec4(a & 0xffffu, a >> 16, b & 0xffffu, b >> 16) / 65535.0;
}

vec3 star(vec2 d, vec4 random) {
    float r2 = dot(d, d);
    float size = 0.0004 + 0.0035 * random.z * random.z * random.z;
    vec3 tint = vec3(1.0);
    if (random.w < 0.25) {
        tint = vec3(1.0, 0.72, 0.50);
    } else if (random.w < 0.55) {
        tint = vec3(0.68, 0.80, 1.0);
    } else if (random.w > 0.95) {
        tint = vec3(1.0, 0.52, 0.45);
    }
    float light = size / (r2 + 0.0008) * exp(-22.0 * r2);
    if (random.z > 0.86) {
        float spikes = max(0.0, 1.0 - 24.0 * abs(d.x)) + max(0.0, 1.0 - 24.0 * abs(d.y));
        light += 0.5 * spikes * exp(-6.5 * sqrt(r2));
    }
    return light * tint * (0.85 + 0.15 * sin(4.0 * time + 50.0 * random.x));
}

vec3 field(vec2 p, int depth) {
    vec3 sum = vec3(0.0);
    ivec2 cell = ivec2(floor(p));
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            vec4 random = random4(cell + ivec2(x, y), depth);
            if (random.w * random.z < 0.08) continue;
            sum += star(p - vec2(cell + ivec2(x, y)) - random.xy, random);
        }
    }
    return sum;
}

float mist(vec2 p) {
    float m = 0.0;
    float size = 1.0;
    for (int i = 0; i < 4; ++i) {
        p += 0.7 * sin(1.3 * p.yx + vec2(0.5, 1.9) * float(i));
        m += size * (0.5 + 0.5 * sin(p.x) * cos(p.y));
        p = 1.8 * p.yx;
        size *= 0.55;
    }
    return m / 2.0;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 c = vec3(0.01, 0.01, 0.03);
    float m = mist(1.4 * p + 0.03 * time) * exp(-0.8 * dot(p, p));
    c += m * m * mix(vec3(0.22, 0.08, 0.42), vec3(0.75, 0.28, 0.40), m);
    for (int depth = 0; depth < 4; ++depth) {
        float zoom = 2.5 + 2.0 * float(depth);
        c += field(zoom * p + 0.2 * time / zoom, depth) / (1.0 + 0.4 * float(depth));
    }
    color = vec4(sqrt(c / (1.0 + c)), 1.0);
}
