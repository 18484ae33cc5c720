#version 300 es
// A letter burns from its corner: paper, brown, glowing rim, char and ash by one distance.
// A chain of early returns with deeper helpers.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
uniform float progress;
out vec4 color;

float hash(vec2 p) {
    int n = int(p.x) * 8191 + int(p.y) * 131071;
    n = (n ^ (n >> 9)) * 46337;
    n = (n ^ (n >> 11)) * 25303;
    return float((n >> 5) & 4095) / 4095.0;
}

float noise(vec2 p) {
    vec2 i = floor(p);
    vec2 f = fract(p);
    f *= f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1.0, 0.0)), f.x), mix(hash(i + vec2(0.0, 1.0)), hash(i + 1.0), f.x), f.y);
}

float ragged(vec2 p) {
    float sum = 0.0;
    float size = 0.5;
    for (int i = 0; i < 5; i++) {
        sum += size * (noise(p) - 0.5);
        size *= 0.5;
        p = 2.0 * p + 1.7;
    }
    return sum;
}

float writing(vec2 p) {
    float row = floor(p.y * 14.0);
    if (row < 2.0 || row > 11.0) return 0.0;
    float line = fract(p.y * 14.0) - 0.5;
    float words = step(0.28, noise(vec2(p.x * 22.0, row * 3.7)));
    float stroke = 0.22 * sin(p.x * 150.0 + 5.0 * sin(p.x * 31.0 + row));
    float ends = step(0.12, p.x) * step(p.x, 0.90 - 0.12 * hash(vec2(row, 3.0)));
    return ends * words * smoothstep(0.14, 0.05, abs(line - stroke));
}

vec3 letter(vec2 p) {
    vec3 paper = vec3(0.93, 0.87, 0.74) * (0.97 + 0.08 * ragged(p * 40.0));
    return mix(paper, vec3(0.13, 0.14, 0.28), 0.85 * writing(p));
}

vec3 burn(vec2 p, float d) {
    vec3 table = vec3(0.20, 0.12, 0.07) * (0.8 + 0.3 * sin(3.0 * p.x + 60.0 * (p.y + 0.05 * sin(4.0 * p.x))));
    if (d < -0.10) return table;
    if (d < -0.02) {
        float ash = ragged(p * 60.0);
        return ash > 0.06 ? vec3(0.30, 0.29, 0.28) : table * 0.5;
    }
    if (d < 0.0) {
        float flicker = 0.7 + 0.3 * sin(9.0 * time + 40.0 * p.x - 23.0 * p.y);
        return mix(vec3(1.0, 0.9, 0.45), vec3(0.95, 0.25, 0.05), -d / 0.02) * flicker;
    }
    if (d < 0.03) return vec3(0.06, 0.04, 0.03);
    float scorch = exp(-11.0 * (d - 0.03));
    return letter(p) * mix(vec3(1.0), vec3(0.32, 0.18, 0.08), scorch);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution;
    float reach = 0.25 + 0.8 * progress + 0.05 * time;
    float d = length(p - vec2(1.02, 0.05)) - reach + 0.35 * ragged(5.0 * p + 3.0);
    color = vec4(burn(p, d), 1.0);
}
