#version 300 es
// A striped planet, its ring and its moon in cel shading: light in bands found by a loop, an outline at the rim.
// Structs with `inout`, `break` out of bands.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const float LIMITS[4] = float[4](0.12, 0.35, 0.68, 0.93);
const float LEVELS[5] = float[5](0.32, 0.52, 0.76, 1.0, 1.35);

struct Surface {
    vec3 normal;
    vec3 paint;
    float depth;
};

float banded(float lit) {
    int band = 0;
    for (int i = 0; i < 4; ++i) {
        if (lit < LIMITS[i]) break;
        band = i + 1;
    }
    return LEVELS[band];
}

void ball(inout Surface s, vec2 p, vec2 centre, float radius, vec3 paint) {
    vec2 d = (p - centre) / radius;
    float rest = 1.0 - dot(d, d);
    if (rest < 0.0) return;
    float depth = radius * sqrt(rest);
    if (depth <= s.depth) return;
    s.normal = vec3(d, sqrt(rest));
    s.paint = paint;
    s.depth = depth;
}

void ring(inout Surface s, vec2 p, float tilt) {
    vec2 q = vec2(p.x, p.y / tilt);
    float r = length(q);
    float d = (r - 0.82) / 0.11;
    if (abs(d) > 1.0) return;
    float depth = -0.5 * q.y + 0.05;
    if (depth <= s.depth) return;
    s.normal = normalize(vec3(d * q / r, 1.0 - 0.6 * abs(d)));
    s.paint = fract(4.0 * atan(q.y, q.x) / 3.14159 + 0.5 * time) < 0.5 ? vec3(0.98, 0.80, 0.30) : vec3(0.90, 0.45, 0.20);
    s.depth = depth;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    Surface s = Surface(vec3(0.0), vec3(0.0), -0.4);
    vec3 stripes = sin(14.0 * p.y + 4.0 * p.x) > 0.0 ? vec3(0.35, 0.65, 0.75) : vec3(0.88, 0.92, 0.85);
    ball(s, p, vec2(0.0), 0.55, stripes);
    ball(s, p, vec2(0.72 * cos(time + 2.3), 0.72 * sin(time + 2.3)), 0.16, vec3(0.85, 0.35, 0.45));
    ring(s, p, 0.34);
    vec3 c = vec3(0.98, 0.90, 0.72);
    float rays = sin(12.0 * atan(p.y, p.x));
    if (rays > 0.0) c = vec3(0.97, 0.84, 0.58);
    if (s.depth > -0.4) {
        vec3 light = normalize(vec3(-0.6, 0.7, 0.6));
        c = s.paint * banded(max(dot(s.normal, light), 0.0));
        if (s.normal.z < 0.32) c = vec3(0.10, 0.07, 0.15);
    }
    color = vec4(min(c, 1.0), 1.0);
}
