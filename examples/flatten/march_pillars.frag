#version 300 es
// A hall without end: pillars and vaults repeated by `mod`, fog in the distance.
// A `while` march with two bounds, one a constant.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float pillar(vec2 q, float y) {
    float r = 0.34 + 0.16 * smoothstep(0.75, 1.0, abs(y)) + 0.02 * cos(12.0 * atan(q.y, q.x));
    return 0.8 * (length(q) - r);
}

float hall(vec3 p) {
    vec2 q = mod(p.xz, 3.0) - 1.5;
    float d = pillar(q, p.y);
    float vault = 0.85 * (length(vec2(max(1.5 - abs(q.x), 1.5 - abs(q.y)), p.y - 0.6)) - 1.55);
    d = min(d, p.y + 1.0);
    return min(d, max(2.05 - p.y, -vault));
}

vec3 tiles(vec2 p) {
    vec2 cell = floor(p * 2.0);
    vec2 inside = fract(p * 2.0) - 0.5;
    vec3 c = mod(cell.x + cell.y, 2.0) < 0.5 ? vec3(0.70, 0.62, 0.52) : vec3(0.34, 0.24, 0.22);
    return c * (max(abs(inside.x), abs(inside.y)) > 0.47 ? 0.6 : 1.0);
}

void main() {
    vec2 uv = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 eye = vec3(0.0, 0.15, -0.8 * time);
    vec3 ray = normalize(vec3(uv.x + 0.25, uv.y, -1.5));
    float t = 0.0;
    float d = 1.0;
    int i = 0;
    while (i < 48 && d > 0.003) {
        d = hall(eye + t * ray);
        t += d;
        i++;
    }
    vec3 p = eye + t * ray;
    vec3 n = vec3(0.0, 0.0, 0.0);
    for (int axis = 0; axis < 3; ++axis) {
        vec3 e = vec3(axis == 0, axis == 1, axis == 2) * 0.003;
        n[axis] = hall(p + e) - hall(p - e);
    }
    n = normalize(n);
    vec3 lamp = vec3(0.0, 1.2, floor((p.z + 1.5) / 3.0) * 3.0);
    vec3 to_lamp = lamp - p;
    float near = 1.0 / (0.6 + dot(to_lamp, to_lamp));
    vec3 paint = p.y < -0.98 ? tiles(p.xz) : vec3(0.78, 0.70, 0.58);
    vec3 c = paint * (0.14 + 1.9 * near * max(dot(n, normalize(to_lamp)), 0.0) * vec3(1.0, 0.80, 0.55));
    vec3 fog = vec3(0.20, 0.26, 0.36);
    c = mix(fog, c, exp(-0.10 * t));
    color = vec4(sqrt(c), 1.0);
}
