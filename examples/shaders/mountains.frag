#version 300 es
// Six ridges in morning mist, each further and paler than the one before it.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float random(int i) {
    uint h = uint(i) * 2654435761u;
    h ^= h >> 16u;
    h *= 0x45d9f3bu;
    h ^= h >> 16u;
    return float(h & 0xffffu) / 65535.0;
}

float ridge(float x, int seed) {
    float sum = 0.0;
    float size = 1.0;
    for (int octave = 0; octave < 6; ++octave) {
        int i = int(floor(x));
        float f = x - floor(x);
        float bend = octave < 2 ? f * f * (3.0 - 2.0 * f) : f;
        sum += size * mix(random(i + seed), random(i + 1 + seed), bend);
        x = x * 2.0 + 13.0;
        size *= 0.46;
    }
    return sum;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution.y;
    vec3 paint = mix(vec3(1.0, 0.86, 0.66), vec3(0.53, 0.68, 0.86), smoothstep(0.35, 1.0, uv.y));
    float sun = length(uv - vec2(0.68, 0.68));
    paint += vec3(0.5, 0.35, 0.15) * exp(-9.0 * sun) + vec3(1.0) * smoothstep(0.062, 0.055, sun);
    for (int i = 0; i < 6; ++i) {
        float near = float(i) / 5.0;
        float height = 0.62 - 0.52 * near + (0.16 + 0.04 * near) * (ridge(uv.x * (2.2 - 0.6 * near) + 0.03 * time * float(i + 1), i * 101) - 0.8);
        vec3 rock = mix(vec3(0.70, 0.70, 0.78), vec3(0.09, 0.14, 0.18), near);
        vec3 mist = mix(rock, vec3(0.95, 0.85, 0.76), 0.55 * smoothstep(0.0, 0.28, height - uv.y) * (1.0 - near));
        paint = mix(paint, mist, smoothstep(0.003, -0.003, uv.y - height));
    }
    color = vec4(paint, 1.0);
}
