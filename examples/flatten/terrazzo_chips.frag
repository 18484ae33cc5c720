#version 300 es
// Terrazzo: chips of three sizes with straight edges cut from a grid of random half planes.
// Loops three deep, `continue`, an early return inside a loop.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

vec3 random3(ivec2 cell, int level) {
    uvec3 v = uvec3(uint(cell.x + 512), uint(cell.y + 512), uint(level)) * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    return vec3(v >> 8u) / 16777216.0;
}

float chip(vec2 q, vec3 random) {
    float d = -1.0;
    for (int side = 0; side < 5; ++side) {
        float angle = 1.2566 * float(side) + 5.0 * random.x + 0.5 * sin(9.0 * random.y + float(side));
        float reach = 0.20 + 0.16 * fract(7.3 * random.z + 0.37 * float(side));
        d = max(d, dot(q, vec2(cos(angle), sin(angle))) - reach);
        if (d > 0.3) return d;
    }
    return d;
}

vec3 stone(float kind) {
    if (kind < 0.25) return vec3(0.80, 0.42, 0.30);
    if (kind < 0.45) return vec3(0.20, 0.32, 0.36);
    if (kind < 0.70) return vec3(0.86, 0.68, 0.38);
    if (kind < 0.85) return vec3(0.42, 0.56, 0.48);
    return vec3(0.30, 0.20, 0.24);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    vec3 c = vec3(0.90, 0.87, 0.82);
    c -= 0.05 * random3(ivec2(gl_FragCoord.xy) / 2, 9).x;
    for (int level = 2; level >= 0; --level) {
        vec2 q = p * (5.0 + 6.0 * float(level)) + 3.3 * float(level);
        ivec2 base = ivec2(floor(q));
        for (int y = -1; y <= 1; ++y) {
            for (int x = -1; x <= 1; ++x) {
                ivec2 cell = base + ivec2(x, y);
                vec3 random = random3(cell, level);
                if (random.z > 0.75) continue;
                vec2 from = q - vec2(cell) - 0.25 - 0.5 * random.xy;
                float d = chip(from, random);
                vec3 shade = stone(fract(random.x * 13.7)) * (0.92 + 0.16 * random.y);
                c = mix(c, shade, smoothstep(0.012, -0.012, d));
            }
        }
    }
    color = vec4(c, 1.0);
}
