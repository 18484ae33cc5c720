#version 300 es
// Smoke from a chimney: billowing noise, thinner as it rises, drawn over a dusk.
// `do` / `while` with a bound, compound assignment, early return.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float spot(ivec2 at) {
    int n = at.x + at.y * 113;
    n = (n ^ (n << 11)) * 27644437;
    n ^= (n >> 12) & 0xfffff;
    n *= 86028121;
    return 1.0 - float((n >> 8) & 0x3fffff) / 2097152.0;
}

float soft(vec2 p) {
    ivec2 i = ivec2(floor(p));
    vec2 f = fract(p);
    vec2 u = f * f * (3.0 - 2.0 * f);
    float a = mix(spot(i), spot(i + ivec2(1, 0)), u.x);
    float b = mix(spot(i + ivec2(0, 1)), spot(i + ivec2(1, 1)), u.x);
    return mix(a, b, u.y);
}

float billow(vec2 p) {
    float sum = 0.0;
    float size = 0.6;
    int octave = 0;
    do {
        sum += size * abs(soft(p));
        size *= 0.5;
        p *= 2.1;
        p.x += 1.7 * float(octave);
    } while (++octave < 5);
    return sum;
}

float smoke(vec2 p) {
    if (p.y < 0.0) return 0.0;
    float lean = 0.35 * p.y * p.y;
    float width = 0.05 + 0.35 * p.y;
    float x = (p.x - lean) / width;
    float puffs = billow(vec2(3.0 * (p.x - lean), 4.0 * p.y - time) + 4.0);
    float dense = (1.15 - x * x) * (0.5 + 1.1 * puffs) - 0.45;
    return clamp(1.6 * dense, 0.0, 1.0) * (1.05 - 0.55 * p.y);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y - vec2(0.38, 0.30);
    vec3 sky = mix(vec3(0.98, 0.58, 0.32), vec3(0.20, 0.24, 0.46), smoothstep(-0.3, 0.65, p.y));
    vec3 c = sky;
    float s = smoke(p);
    float light = smoke(p + vec2(0.05, -0.03));
    vec3 grey = mix(vec3(0.95, 0.75, 0.62), vec3(0.26, 0.24, 0.30), clamp(0.5 + 0.9 * (light - 0.4), 0.0, 1.0));
    c = mix(c, grey, s);
    float roof = abs(p.x + 0.05) * 0.75 + p.y + 0.10;
    bool chimney = abs(p.x) < 0.05 && p.y < 0.005;
    if (roof < 0.0 || chimney) {
        c = vec3(0.10, 0.07, 0.10);
        float shutters = max(abs(p.x + 0.16), abs(p.y + 0.26));
        if (shutters < 0.045) c = vec3(1.0, 0.80, 0.40);
    }
    color = vec4(c, 1.0);
}
