#version 300 es
// Polished marble, black and white: veins are the sharp ridges of a sum of sines.
// A ternary with calls in both arms, loops with `*=`, four helpers deep.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec2 turn(vec2 p, float angle) {
    float c = cos(angle);
    float s = sin(angle);
    return vec2(c * p.x - s * p.y, s * p.x + c * p.y);
}

vec2 stir(vec2 p, float seed) {
    float reach = 1.0;
    for (int i = 0; i < 5; ++i) {
        p = turn(p, 1.1);
        p += reach * 0.35 * sin(p.yx * 1.7 + vec2(seed, 2.0 * seed));
        p *= 1.35;
        reach *= 0.9;
    }
    return p;
}

float vein(vec2 p, float seed) {
    vec2 q = stir(p, seed);
    float wide = abs(sin(0.5 * q.x + 0.3 * q.y));
    float fine = abs(sin(0.9 * q.y - 0.4 * q.x));
    return exp(-9.0 * wide) + 0.4 * exp(-14.0 * fine);
}

vec3 white_marble(vec2 p) {
    float v = vein(p, 1.3) + 0.5 * vein(2.0 * p + 5.0, 4.0);
    return mix(vec3(0.93, 0.92, 0.90), vec3(0.45, 0.44, 0.47), min(v, 1.0));
}

vec3 black_marble(vec2 p) {
    float v = vein(1.3 * p + 9.0, 2.7);
    return mix(vec3(0.05, 0.05, 0.06), vec3(0.75, 0.62, 0.38), clamp(v - 0.1, 0.0, 1.0));
}

void main() {
    vec2 uv = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec2 p = turn(uv * 1.4, 0.785398);
    vec2 tile = floor(p);
    vec2 inside = fract(p);
    bool dark = mod(tile.x + tile.y, 2.0) > 0.5;
    vec2 where = inside * 1.8 + tile * 3.7;
    vec3 c = dark ? black_marble(where) : white_marble(where);
    vec2 edge = min(inside, 1.0 - inside);
    float joint = min(edge.x, edge.y);
    c *= 0.5 + 0.5 * smoothstep(0.0, 0.012, joint);
    float gloss = dot(uv, vec2(sin(0.3 * time) + 0.3, 0.7));
    c += 0.16 * exp(-6.0 * gloss * gloss);
    color = vec4(c, 1.0);
}
