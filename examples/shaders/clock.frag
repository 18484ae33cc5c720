#version 300 es
// A clock face that shows ten past ten, and seconds that move.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const float TAU = 6.2831853;
float pixel;

void over(inout vec3 below, vec3 paint, float d) {
    below = mix(below, paint, clamp(0.5 - d / pixel, 0.0, 1.0));
}

float hand(vec2 p, float turns, float back, float front, float width) {
    vec2 dir = vec2(sin(TAU * turns), cos(TAU * turns));
    float along = clamp(dot(p, dir), -back, front);
    return length(p - along * dir) - width;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / min(resolution.x, resolution.y);
    pixel = 2.0 / min(resolution.x, resolution.y);
    float r = length(p);
    vec3 paint = mix(vec3(0.24, 0.36, 0.40), vec3(0.33, 0.47, 0.50), 0.5 + 0.5 * p.y);
    over(paint, vec3(0.10, 0.16, 0.18), length(p - vec2(0.02, -0.04)) - 0.9);
    over(paint, vec3(0.96, 0.95, 0.91), r - 0.88);
    over(paint, vec3(0.20, 0.20, 0.22), abs(r - 0.88) - 0.025);
    float turns = atan(p.x, p.y) / TAU;
    for (int ring = 0; ring < 2; ++ring) {
        float marks = ring == 0 ? 60.0 : 12.0;
        float local = (fract(turns * marks + 0.5) - 0.5) / marks * TAU * r;
        vec2 half_size = ring == 0 ? vec2(0.004, 0.02) : vec2(0.014, 0.06);
        over(paint, vec3(0.15), max(abs(local) - half_size.x, abs(r - 0.82 + half_size.y) - half_size.y));
    }
    float seconds = floor(time) + smoothstep(0.8, 1.0, fract(time)) + 25.0;
    over(paint, vec3(0.12), hand(p, (10.0 + 10.0 / 60.0) / 12.0, 0.10, 0.42, 0.028));
    over(paint, vec3(0.12), hand(p, 10.0 / 60.0, 0.12, 0.66, 0.020));
    over(paint, vec3(0.82, 0.22, 0.18), hand(p, seconds / 60.0, 0.18, 0.72, 0.007));
    over(paint, vec3(0.82, 0.22, 0.18), r - 0.045);
    color = vec4(paint, 1.0);
}
