#version 300 es
// Contours one pixel wide wherever the slope is: `dFdx`, `dFdy` and `fwidth` in uniform flow, used under conditions after.
// A loop over intervals, `break`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float hills(vec2 p) {
    float h = 0.0;
    float size = 1.0;
    vec2 q = p;
    for (int i = 0; i < 5; ++i) {
        h += size * sin(q.x + 0.3 * time) * cos(q.y);
        q = vec2(1.3 * q.x - 1.1 * q.y, 1.1 * q.x + 1.3 * q.y) + 1.7;
        size *= 0.52;
    }
    return h;
}

float line(float value, float slope, float width) {
    float d = abs(fract(value - 0.5) - 0.5);
    return 1.0 - smoothstep(0.5 * width, 0.5 * width + 1.0, d / slope);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 4.5;
    float h = hills(p);
    vec2 slope = vec2(dFdx(h), dFdy(h)) * resolution.y / 4.5;
    float change = max(fwidth(8.0 * h), 1e-4);
    float lit = 0.5 + 0.35 * dot(normalize(vec3(-slope, 2.2)), normalize(vec3(-1.0, 1.0, 0.8)));
    vec3 c = mix(vec3(0.62, 0.74, 0.58), vec3(0.93, 0.88, 0.74), smoothstep(-1.0, 0.6, h));
    if (h > 0.6) {
        c = mix(c, vec3(1.0), smoothstep(0.6, 1.5, h));
    } else if (h < -1.0) {
        c = vec3(0.62, 0.80, 0.88);
    }
    c *= 0.55 + 0.7 * lit;
    float ink = 0.0;
    float every = 1.0;
    for (int level = 0; level < 3; ++level) {
        if (change / every > 0.7) break;
        float strength = h < -1.0 ? 0.35 : 0.40 + 0.2 * float(level);
        ink = max(ink, strength * line(8.0 * h / every, change / every, 0.4 + 0.5 * float(level)));
        every *= 4.0;
    }
    vec3 pen = h < -1.0 ? vec3(0.15, 0.40, 0.60) : vec3(0.45, 0.26, 0.12);
    color = vec4(mix(c, pen, ink), 1.0);
}
