#version 300 es
// Oak planks with rings, fibres and knots: the nearest of three knots bends the grain.
// A struct through `inout`, a search loop with `continue`.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

struct Grain {
    vec2 at;
    float knot;
};

float hash(float n) {
    int k = int(floor(n * 10.0 + 0.5));
    k = (k ^ (k << 9)) * 40993;
    k = (k ^ (k >> 12)) * 31337;
    return float((k >> 9) & 4095) / 4095.0;
}

float fibre(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = fract(p);
    float a = hash(cell.x + 57.0 * cell.y);
    float b = hash(cell.x + 1.0 + 57.0 * cell.y);
    float c = hash(cell.x + 57.0 * (cell.y + 1.0));
    float d = hash(cell.x + 1.0 + 57.0 * (cell.y + 1.0));
    return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

void bend(inout Grain g, float plank) {
    for (int i = 0; i < 3; ++i) {
        float seed = plank * 7.0 + float(i) * 3.1;
        if (hash(seed) < 0.45) continue;
        vec2 centre = vec2(0.12 + 0.1 * hash(seed + 1.0), 2.4 * hash(seed + 2.0));
        vec2 d = g.at - centre;
        d.y *= 0.45;
        float pull = exp(-160.0 * dot(d, d));
        g.at.x += 0.06 * pull * sign(d.x);
        g.knot = max(g.knot, exp(-1500.0 * dot(d, d)));
    }
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution.y;
    float plank = floor(uv.x * 3.0);
    vec2 p = vec2(uv.x - plank / 3.0, uv.y + 0.9 * hash(plank + 4.0));
    float end = mod(p.y + 0.7 * hash(plank), 1.1);
    if (end < 0.75) plank += 20.0;
    Grain g = Grain(p, 0.0);
    bend(g, plank);
    float rings = g.at.x * 26.0 + 1.6 * fibre(vec2(g.at.x * 5.0 + 9.0 * plank, g.at.y * 1.5));
    float ring = abs(fract(rings) - 0.35);
    ring = smoothstep(0.0, 0.55, ring);
    float fine = fibre(vec2(g.at.x * 260.0, g.at.y * 7.0));
    vec3 c = mix(vec3(0.36, 0.20, 0.09), vec3(0.70, 0.47, 0.25), ring);
    c *= 0.80 + 0.15 * fine + 0.22 * hash(plank + 9.0);
    c = mix(c, vec3(0.17, 0.08, 0.04), 0.85 * g.knot);
    float gap = min(min(p.x, 1.0 / 3.0 - p.x), min(abs(end - 0.75), end));
    c *= 0.35 + 0.65 * smoothstep(0.0, 0.006, gap);
    color = vec4(c, 1.0);
}
