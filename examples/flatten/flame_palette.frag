#version 300 es
// Three candles: a flame is noise pulled up into a teardrop, its heat looked up in a palette with interpolation.
// A loop with `continue`, a table, `inout`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const vec4 HEAT[6] = vec4[6](vec4(0.0, 0.0, 0.0, 0.0), vec4(0.35, 0.03, 0.02, 0.15), vec4(0.85, 0.22, 0.03, 0.4),
                             vec4(1.0, 0.60, 0.12, 0.65), vec4(1.0, 0.90, 0.45, 0.85), vec4(1.0, 1.0, 0.92, 1.0));

float lattice(vec2 p) {
    uvec2 u = uvec2(ivec2(p) + 32768);
    uint h = (u.x * 40503u) ^ (u.y * 60493u);
    h ^= h << 7;
    h ^= h >> 9;
    return float(h & 0xffffu) / 65535.0;
}

float flicker(vec2 p) {
    vec2 c = floor(p);
    vec2 f = p - c;
    f = f * f * (3.0 - 2.0 * f);
    float low = mix(lattice(c), lattice(c + vec2(1, 0)), f.x);
    return mix(low, mix(lattice(c + vec2(0, 1)), lattice(c + vec2(1, 1)), f.x), f.y);
}

vec3 palette(float heat) {
    vec3 c = HEAT[5].rgb;
    for (int i = 0; i < 5; ++i) {
        if (heat >= HEAT[i + 1].a) continue;
        float f = (heat - HEAT[i].a) / (HEAT[i + 1].a - HEAT[i].a);
        c = mix(HEAT[i].rgb, HEAT[i + 1].rgb, clamp(f, 0.0, 1.0));
        break;
    }
    return c;
}

void candle(inout vec3 c, vec2 p, float seed) {
    float sway = 0.08 * (flicker(vec2(2.5 * p.y - 1.6 * time + seed, seed)) - 0.5) * smoothstep(0.0, 0.6, p.y);
    float x = p.x - sway;
    float wide = 0.10 * sqrt(max(p.y + 0.05, 0.0)) * (1.0 - p.y * 1.7) * 2.4;
    float heat = p.y > -0.05 && p.y < 0.6 ? clamp(1.25 - abs(x) / max(wide, 0.001), 0.0, 1.0) : 0.0;
    heat *= 0.75 + 0.4 * flicker(vec2(9.0 * x + seed, 5.0 * p.y - 3.0 * time));
    c += 0.45 * vec3(1.0, 0.45, 0.12) * exp(-5.0 * length(p - vec2(0.0, 0.16)));
    if (abs(p.x) < 0.085 && p.y < -0.06) {
        float round_side = sqrt(1.0 - p.x * p.x / 0.0073);
        c = vec3(0.90, 0.80, 0.66) * (0.20 + 0.55 * exp(3.5 * (p.y + 0.06))) * (0.45 + 0.55 * round_side);
    }
    if (abs(p.x) < 0.006 && p.y >= -0.06 && p.y < 0.03) c = vec3(0.05);
    c = max(c, palette(heat));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 c = vec3(0.05, 0.03, 0.06) * (1.0 - 0.4 * length(p));
    if (p.y < -0.72) c = vec3(0.12, 0.06, 0.03) * (1.0 + 0.3 * sin(40.0 * p.y + 3.0 * sin(2.0 * p.x)));
    for (int i = -1; i <= 1; ++i) {
        vec2 base = vec2(0.55 * float(i), i == 0 ? 0.05 : -0.22);
        vec2 q = p - base;
        if (q.y + base.y < -0.8) continue;
        candle(c, q, 7.3 * float(i + 2));
    }
    color = vec4(sqrt(c), 1.0);
}
