#version 300 es
// Agate: noise bent by noise bent by noise gives bands, coloured from a const table.
// Helpers four deep, a table read at a computed index.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const vec3 BANDS[7] = vec3[7](vec3(0.97, 0.93, 0.84), vec3(0.85, 0.55, 0.30), vec3(0.60, 0.22, 0.14),
                              vec3(0.25, 0.12, 0.16), vec3(0.35, 0.34, 0.48), vec3(0.70, 0.78, 0.82),
                              vec3(0.98, 0.96, 0.90));

float cell_value(vec2 c) {
    return fract(sin(c.x * 41.17 + c.y * 289.33) * 3571.93);
}

float noise(vec2 p) {
    vec2 c = floor(p);
    vec2 f = smoothstep(0.0, 1.0, fract(p));
    return mix(mix(cell_value(c), cell_value(c + vec2(1, 0)), f.x),
               mix(cell_value(c + vec2(0, 1)), cell_value(c + vec2(1, 1)), f.x), f.y);
}

float octaves(vec2 p) {
    float sum = 0.0;
    for (int i = 1; i <= 4; ++i) {
        sum += noise(p) / exp2(float(i));
        p = p * 2.02 + 3.7;
    }
    return sum;
}

float warped(vec2 p, out vec2 bent) {
    vec2 once = vec2(octaves(p), octaves(p + vec2(5.2, 1.3)));
    bent = p + 2.2 * once + 0.05 * time;
    vec2 twice = vec2(octaves(bent), octaves(bent + vec2(8.3, 2.8)));
    return octaves(p + 2.6 * twice);
}

vec3 band(float x) {
    float at = 6.0 * clamp(x, 0.0, 0.9999);
    int i = int(at);
    float f = smoothstep(0.25, 0.75, fract(at));
    return mix(BANDS[i], BANDS[i + 1], f);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 2.4;
    vec2 bent;
    float w = warped(p, bent);
    float rings = w + 0.06 * sin(60.0 * w);
    vec3 c = band(fract(1.6 * rings));
    c *= 0.85 + 0.25 * noise(18.0 * bent);
    color = vec4(c, 1.0);
}
