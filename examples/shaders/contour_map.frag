#version 300 es
// A map: heights by noise, tints by height, lines every tenth, relief by derivatives.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

float value(ivec2 p) {
    uint h = uint(p.x & 255) | uint(p.y & 255) << 8u;
    h = (h ^ 0xa5a5u) * 0x9e3779b9u;
    h ^= h >> 14u;
    h *= 0x85ebca6bu;
    return float(h >> 12u) / 1048576.0;
}

float height(vec2 p) {
    float sum = 0.0;
    float size = 0.5;
    for (int octave = 0; octave < 4; ++octave) {
        ivec2 i = ivec2(floor(p));
        vec2 f = fract(p);
        f = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
        sum += size * mix(mix(value(i), value(i + ivec2(1, 0)), f.x), mix(value(i + ivec2(0, 1)), value(i + ivec2(1, 1)), f.x), f.y);
        p = p * 2.0 + 17.0;
        size *= 0.48;
    }
    return sum;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 3.2 + 2.0;
    float h = height(p);
    const float e = 0.01;
    vec2 slope = vec2(height(p + vec2(e, 0.0)) - h, height(p + vec2(0.0, e)) - h) / e;
    const vec3 tints[6] = vec3[6](
        vec3(0.45, 0.66, 0.80), vec3(0.62, 0.79, 0.86), vec3(0.64, 0.78, 0.55), vec3(0.86, 0.85, 0.62), vec3(0.80, 0.68, 0.48), vec3(0.95, 0.94, 0.92));
    float level = clamp((h - 0.22) / 0.50, 0.0, 0.999) * 5.0;
    int i = int(level);
    vec3 paint = mix(tints[i], tints[i + 1], smoothstep(0.35, 0.65, fract(level)));
    float steep = length(slope) + 1e-3;
    float line = abs(fract(h * 25.0 + 0.5) - 0.5) / (25.0 * steep * 3.2 / resolution.y);
    bool thick = int(floor(h * 25.0 + 0.5)) % 5 == 0;
    float ink = 1.0 - smoothstep(0.2, 1.2, line / (thick ? 1.8 : 1.0));
    bool sea = h < 0.40;
    paint *= sea ? 1.0 : 1.0 + 0.22 * clamp(slope.x - slope.y, -1.5, 1.5);
    paint = mix(paint, sea ? vec3(0.25, 0.45, 0.62) : vec3(0.45, 0.33, 0.22), ink * (thick ? 0.8 : 0.4));
    color = vec4(paint, 1.0);
}
