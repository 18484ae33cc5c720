#version 300 es
// The burning ship's small sisters on the needle, over water that mirrors them.
// Four samples by nested loops, rounds with `break`, `abs` folded by ternaries.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float burn(vec2 c) {
    vec2 z = c;
    float least = 9.0;
    float count = 0.0;
    for (int i = 0; i < 24; ++i) {
        z.x = z.x < 0.0 ? -z.x : z.x;
        z.y = z.y < 0.0 ? -z.y : z.y;
        z = vec2(z.x * z.x - z.y * z.y + c.x, 2.0 * z.x * z.y + c.y);
        float size = dot(z, z);
        least = min(least, size);
        if (size > 36.0) {
            count = float(i) + 1.0 - log2(0.5 * log2(size));
            break;
        }
        count = -1.0;
    }
    return count < 0.0 ? -least : count;
}

vec3 fire(float t) {
    if (t <= 0.0) {
        return vec3(0.06, 0.03, 0.05) + 0.3 * vec3(0.7, 0.25, 0.1) * clamp(-t, 0.0, 1.0);
    }
    float heat = clamp(t / 22.0, 0.0, 1.0);
    vec3 c = vec3(1.5, 0.55, 0.12) * heat;
    c += vec3(0.5, 0.75, 0.5) * heat * heat;
    return mix(vec3(0.05, 0.05, 0.14), c, smoothstep(0.08, 0.30, heat));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float shore = -0.45;
    bool water = p.y < shore;
    if (water) {
        float depth = shore - p.y;
        p.y = shore + 0.8 * depth;
        p.x += 0.015 * sin(60.0 * depth / (0.2 + depth) + 3.0 * time) * (0.4 + depth);
    }
    vec3 shade = vec3(0.0);
    for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 2; ++x) {
            vec2 c = vec2(-1.757, -0.022) + vec2(0.058, -0.058) * (p + vec2(x, y) / resolution.y);
            shade += 0.25 * fire(burn(c));
        }
    }
    if (water) {
        shade *= vec3(0.45, 0.55, 0.75);
        shade += vec3(0.01, 0.03, 0.05);
    }
    color = vec4(sqrt(clamp(shade, 0.0, 1.0)), 1.0);
}
