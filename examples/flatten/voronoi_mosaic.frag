#version 300 es
// Stained glass: the nearest of the cells' points colours the pane, the second nearest draws the lead.
// A struct result, nested loops, `continue`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Pane {
    vec2 centre;
    float first;
    float second;
};

vec2 jitter(vec2 cell) {
    uvec2 u = uvec2(ivec2(cell)) * uvec2(0x9e3779b1u, 0x85ebca77u);
    u ^= u.yx >> 16u;
    u *= 0x27d4eb2fu;
    u ^= u.yx >> 13u;
    return vec2(u & 0xffffu) / 65535.0;
}

Pane nearest(vec2 p) {
    Pane pane = Pane(vec2(0.0), 9.0, 9.0);
    vec2 base = floor(p);
    for (int y = -2; y <= 2; ++y) {
        for (int x = -2; x <= 2; ++x) {
            if (x * x + y * y == 8) continue;
            vec2 cell = base + vec2(x, y);
            vec2 point = cell + 0.5 + 0.4 * sin(time + 6.2832 * jitter(cell));
            float d = length(point - p);
            if (d < pane.first) {
                pane.second = pane.first;
                pane.first = d;
                pane.centre = point;
            } else if (d < pane.second) {
                pane.second = d;
            }
        }
    }
    return pane;
}

vec3 glass(vec2 at) {
    float r = length(at - 4.0);
    vec3 c = 0.55 + 0.45 * cos(1.1 * r + 0.7 * atan(at.y - 4.0, at.x - 4.0) + vec3(0.2, 2.3, 4.0));
    return c * c;
}

void main() {
    vec2 p = 8.0 * gl_FragCoord.xy / resolution.y;
    Pane pane = nearest(p);
    float lead = smoothstep(0.05, 0.11, pane.second - pane.first);
    vec3 c = glass(pane.centre) * (1.25 - 0.6 * pane.first);
    c += 0.12 * sin(12.0 * p.x + 5.0 * sin(9.0 * p.y)) * c;
    c = mix(vec3(0.04, 0.04, 0.05), c, lead);
    color = vec4(sqrt(c), 1.0);
}
