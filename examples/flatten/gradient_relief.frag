#version 300 es
// Hammered copper: gradient noise with its own slope, which lights it.
// A helper gives value and derivatives through `out`; arrays filled in loops.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec2 gradient(ivec2 at) {
    uint n = uint(at.x) * 1597334673u ^ uint(at.y) * 3812015801u;
    n *= 1597334673u;
    float angle = float(n >> 16) * (6.2831853 / 65536.0);
    return vec2(cos(angle), sin(angle));
}

void noise(vec2 p, out float value, out vec2 slope) {
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p);
    vec2 s = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    vec2 ds = 30.0 * f * f * (f * (f - 2.0) + 1.0);
    vec2 g[4];
    float v[4];
    for (int i = 0; i < 4; i++) {
        ivec2 corner = ivec2(i & 1, i >> 1);
        g[i] = gradient(cell + corner);
        v[i] = dot(g[i], f - vec2(corner));
    }
    value = mix(mix(v[0], v[1], s.x), mix(v[2], v[3], s.x), s.y);
    slope = mix(mix(g[0], g[1], s.x), mix(g[2], g[3], s.x), s.y);
    float twist = v[0] - v[1] - v[2] + v[3];
    slope += ds * (s.yx * twist + vec2(v[1], v[2]) - v[0]);
}

void hammered(vec2 p, out float height, out vec2 slope) {
    height = 0.0;
    slope = vec2(0.0);
    float size = 1.0;
    float wave = 1.0;
    for (int octave = 0; octave < 3; octave++) {
        float v;
        vec2 d;
        noise(p * wave, v, d);
        height += size * abs(v);
        slope += size * wave * sign(v) * d;
        size *= 0.42;
        wave *= 2.2;
    }
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 6.0;
    float height;
    vec2 slope;
    hammered(p, height, slope);
    vec3 n = normalize(vec3(-0.55 * slope, 1.0));
    vec3 light = normalize(vec3(0.5 * cos(time) - 0.4, 0.6, 0.6));
    float lit = max(dot(n, light), 0.0);
    float shine = pow(max(reflect(-light, n).z, 0.0), 14.0);
    vec3 copper = mix(vec3(0.45, 0.17, 0.08), vec3(0.95, 0.55, 0.34), height);
    vec3 patina = vec3(0.25, 0.55, 0.47);
    vec3 c = mix(patina, copper, smoothstep(0.02, 0.22, height));
    c = c * (0.18 + 0.85 * lit) + vec3(1.0, 0.75, 0.55) * 0.8 * shine;
    color = vec4(c / (0.75 + 0.35 * c), 1.0);
}
