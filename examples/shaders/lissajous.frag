#version 330
// A Lissajous figure on an oscilloscope: the distance to a curve in 160 pieces.
uniform vec2 resolution;
uniform float time;
out vec4 fragColor;

vec2 beam(float t) {
    return vec2(0.78 * sin(3 * t + 0.5 * time), 0.72 * sin(4 * t));
}

float to_segment(vec2 p, vec2 a, vec2 b) {
    vec2 d = b - a;
    return length(p - a - d * clamp(dot(p - a, d) / dot(d, d), 0, 1));
}

void main() {
    vec2 p = (2 * gl_FragCoord.xy - resolution) / resolution.y;
    const int pieces = 160;
    float nearest = 10;
    vec2 from = beam(0);
    for (int i = 1; i <= pieces; i++) {
        vec2 to = beam(6.2831853 * float(i) / pieces);
        nearest = min(nearest, to_segment(p, from, to));
        from = to;
    }
    vec2 grid = abs(fract(p * 4 + 0.5) - 0.5);
    vec3 screen = vec3(0.02, 0.07, 0.05) + vec3(0.03, 0.10, 0.07) * smoothstep(0.04, 0.0, min(grid.x, grid.y));
    screen += vec3(0.35, 1.0, 0.55) * (smoothstep(0.012, 0.004, nearest) + 0.35 * exp(-22 * nearest));
    fragColor = vec4(screen * (1 - 0.25 * dot(p, p)), 1);
}
