#version 300 es
// Light on the floor of a pool: where waves fold the refracted light, it is bright: one over the Jacobian.
// Matrices built in a loop, columns added to, `out`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

void wave(inout vec2 bend, inout mat2 change, vec2 p, vec2 way, float speed) {
    float phase = dot(p, way) + speed * time;
    float s = sin(phase);
    float c = cos(phase);
    float steep = 1.0 / dot(way, way);
    bend += steep * c * way;
    change[0] -= steep * s * way.x * way;
    change[1] -= steep * s * way.y * way;
}

float focus(vec2 p, float depth, out vec2 bend) {
    bend = vec2(0.0);
    mat2 change = mat2(0.0);
    vec2 way = vec2(3.1, 1.2);
    for (int i = 0; i < 7; ++i) {
        wave(bend, change, p + 0.25 * bend, way, 1.0 + 0.2 * float(i));
        way = mat2(-0.42, 1.12, -1.12, -0.42) * way;
    }
    mat2 map = mat2(1.0) + depth * change;
    float area = abs(determinant(map));
    return min(0.22 / (area + 0.045), 3.0);
}

vec3 mosaic(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = fract(p);
    float n = fract(sin(dot(cell, vec2(27.17, 91.43))) * 4375.85);
    vec3 c = mix(vec3(0.08, 0.40, 0.54), vec3(0.14, 0.52, 0.62), n);
    if (n > 0.9) {
        c = vec3(0.08, 0.28, 0.50);
    } else if (n < 0.05) {
        c = vec3(0.55, 0.70, 0.66);
    }
    vec2 edge = min(f, 1.0 - f);
    return min(edge.x, edge.y) < 0.05 ? 0.8 * c + 0.08 : c;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution.y;
    vec2 bend;
    float light = focus(6.0 * uv, 0.55, bend);
    vec2 floor_at = uv + 0.012 * bend;
    vec3 c = mosaic(floor_at * 11.0);
    float line = abs(fract(floor_at.x * 0.75) - 0.5);
    if (line < 0.04) {
        c = vec3(0.03, 0.10, 0.28);
    }
    c *= 0.62 + 0.25 * uv.y;
    c += light * (0.08 + 0.35 * c) * vec3(1.0, 1.05, 0.9);
    color = vec4(min(c, 1.0), 1.0);
}
