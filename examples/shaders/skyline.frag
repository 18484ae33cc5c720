#version 310 es
// A city at night: towers by hashing their column, windows by hashing their row.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

uint mixbits(uint a, uint b) {
    uint h = a * 0x85ebca6bu + b * 0xc2b2ae35u;
    h ^= h >> 15u;
    h *= 0x2c1b3c6du;
    return h ^ (h >> 12u);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    vec3 paint = mix(vec3(0.30, 0.16, 0.30), vec3(0.03, 0.04, 0.12), smoothstep(0.1, 0.95, p.y));
    vec2 moon = p - vec2(0.78, 0.82);
    paint += 0.25 * exp(-12.0 * length(moon));
    paint = mix(paint, vec3(0.98, 0.95, 0.85), smoothstep(0.072, 0.068, length(moon)) * smoothstep(0.058, 0.066, length(moon - vec2(0.025, 0.018))));
    for (uint depth = 0u; depth < 3u; ++depth) {
        float width = 0.055 + 0.035 * float(depth);
        uint tower = uint(p.x / width + 31.0 * float(depth));
        uint bits = mixbits(tower, depth);
        float height = (0.62 - 0.17 * float(depth)) * (0.45 + 0.55 * float(bitfieldExtract(bits, 4, 8)) / 255.0);
        float inside = fract(p.x / width + 31.0 * float(depth));
        float margin = 0.06 + 0.12 * float(bitfieldExtract(bits, 12, 4)) / 15.0;
        if (p.y > height || inside < margin || inside > 1.0 - margin) continue;
        vec3 wall = mix(vec3(0.10, 0.09, 0.18), vec3(0.03, 0.03, 0.06), float(depth) * 0.5);
        vec2 grid = vec2((inside - margin) / (1.0 - 2.0 * margin) * 5.0, p.y / 0.022);
        uvec2 window = uvec2(grid);
        uint lamp = mixbits(bits + window.x, window.y + uint(time * 0.5));
        vec2 f = fract(grid);
        bool glass = f.x > 0.25 && f.x < 0.80 && f.y > 0.3 && f.y < 0.8 && p.y < height - 0.02;
        if (glass && lamp % 5u < 2u) wall = mix(vec3(1.0, 0.78, 0.42), vec3(0.70, 0.82, 1.0), float(lamp >> 9u & 3u) / 3.0) * (0.55 + 0.2 * float(depth));
        paint = wall;
    }
    color = vec4(paint, 1.0);
}
