#version 300 es
// A painter's filter: of four windows around the pixel the calmest gives its mean.
// Loops three deep, arrays of structs, dynamic choice by search.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

struct Window {
    vec3 mean;
    float spread;
};

vec3 scene(vec2 p) {
    float n = sin(43.0 * p.x + 7.0 * sin(31.0 * p.y)) * sin(47.0 * p.y + 5.0 * sin(29.0 * p.x));
    vec3 c = mix(vec3(0.55, 0.72, 0.80), vec3(0.93, 0.86, 0.70), p.y);
    float flower = length(p - vec2(0.5, 0.58));
    float angle = atan(p.y - 0.58, p.x - 0.5);
    if (abs(p.x - 0.5 - 0.03 * sin(9.0 * p.y)) < 0.018 && p.y < 0.58) c = vec3(0.20, 0.42, 0.16);
    if (flower < 0.22 + 0.09 * cos(7.0 * angle)) c = mix(vec3(0.95, 0.55, 0.15), vec3(0.80, 0.15, 0.20), flower * 3.2);
    if (flower < 0.08) c = vec3(0.30, 0.16, 0.08);
    if (p.y < 0.16 + 0.02 * sin(14.0 * p.x)) c = vec3(0.35, 0.50, 0.20);
    return c + 0.10 * n;
}

void measure(inout Window w, vec2 p, vec2 quadrant) {
    float squares = 0.0;
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 3; ++x) {
            vec3 c = scene(p + 0.008 * quadrant * vec2(x, y));
            w.mean += c;
            squares += dot(c, c);
        }
    }
    w.mean /= 9.0;
    w.spread = squares / 9.0 - dot(w.mean, w.mean);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    Window windows[4];
    for (int i = 0; i < 4; ++i) {
        windows[i] = Window(vec3(0.0), 0.0);
        vec2 quadrant = vec2((i & 1) == 0 ? 1.0 : -1.0, i < 2 ? 1.0 : -1.0);
        measure(windows[i], p, quadrant);
    }
    int calmest = 0;
    for (int i = 1; i < 4; ++i) {
        if (windows[i].spread < windows[calmest].spread) calmest = i;
    }
    color = vec4(windows[calmest].mean, 1.0);
}
