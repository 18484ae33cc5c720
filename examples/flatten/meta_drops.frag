#version 300 es
// Rain on a window: drops that melt together bend what is behind.
// A field and its slope through a struct, a loop over a computed array of drops.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Drop {
    vec2 at;
    float radius;
};

struct Field {
    float value;
    vec2 slope;
};

void place(out Drop drops[12]) {
    uint seed = 7u;
    for (int i = 0; i < 12; ++i) {
        seed = seed * 1664525u + 1013904223u;
        float x = float(seed >> 16) / 65536.0;
        seed = seed * 1664525u + 1013904223u;
        float y = float(seed >> 16) / 65536.0;
        drops[i].radius = 0.06 + 0.10 * fract(7.0 * x + 3.0 * y);
        drops[i].at = vec2(2.2 * x - 1.1, 1.1 - mod(2.2 * y + 0.3 * time * drops[i].radius * 8.0, 2.3));
    }
}

Field field(Drop drops[12], vec2 p) {
    Field f = Field(0.0, vec2(0.0));
    for (int i = 0; i < 12; ++i) {
        vec2 d = p - drops[i].at;
        d.y *= d.y > 0.0 ? 0.65 : 1.1;
        float r2 = drops[i].radius * drops[i].radius;
        float d2 = dot(d, d) + 0.0005;
        float share = r2 / d2;
        if (share < 0.02) continue;
        f.value += share;
        f.slope -= 2.0 * share / d2 * d;
    }
    return f;
}

vec3 behind(vec2 p) {
    vec3 c = mix(vec3(0.90, 0.55, 0.35), vec3(0.22, 0.30, 0.50), smoothstep(-0.5, 0.9, p.y));
    float towers = 0.25 * sin(floor(4.0 * p.x) * 2.7) - 0.25;
    if (p.y < towers) {
        vec2 w = fract(p * vec2(13.0, 11.0)) - 0.5;
        float lamp = sin(floor(p.x * 13.0) * 12.3 + floor(p.y * 11.0) * 7.1);
        c = vec3(0.10, 0.10, 0.16);
        if (lamp > 0.2 && max(abs(w.x), abs(w.y)) < 0.3) c = vec3(1.0, 0.80, 0.45);
    }
    return c;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    Drop drops[12];
    place(drops);
    Field f = field(drops, p);
    vec3 c = 0.5 * behind(p + vec2(0.02, 0.0)) + 0.5 * behind(p - vec2(0.02, 0.0));
    c = 0.85 * c + 0.07;
    float inside = smoothstep(0.95, 1.1, f.value);
    if (inside > 0.0) {
        vec2 n = normalize(f.slope + 1e-5);
        float steep = 1.0 / (1.0 + 0.5 * (f.value - 1.0));
        vec3 seen = behind(-0.75 * p + 0.5 * n * steep);
        float lit = 0.5 + 0.5 * dot(n, normalize(vec2(0.6, -0.8)));
        seen *= 0.75 + 0.35 * lit;
        seen += 0.9 * smoothstep(0.80, 1.0, dot(n, normalize(vec2(0.5, -0.85)))) * smoothstep(0.5, 0.9, steep);
        c = mix(c, seen, inside);
    }
    color = vec4(c, 1.0);
}
