#version 100
// A lace of circles: the plane folded and inverted nine times, coloured by the smallest distance on the way.
precision highp float;

uniform vec2 resolution;
uniform float time;

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y * 1.1;
    float scale = 1.0;
    float trap = 1.0;
    float s = 1.05 + 0.08 * sin(0.5 * time);
    for (int i = 0; i < 7; ++i) {
        p = -1.0 + 2.0 * fract(0.5 * p + 0.5);
        float r2 = dot(p, p) + 1e-3;
        float k = s / r2;
        p *= k;
        scale *= k;
        trap = min(trap, r2);
    }
    float d = 0.25 * abs(p.y) / scale;
    float line = smoothstep(0.0, 0.012, d);
    vec3 cloth = mix(vec3(0.55, 0.12, 0.20), vec3(0.98, 0.88, 0.70), sqrt(trap));
    gl_FragColor = vec4(cloth * (0.25 + 0.75 * line), 1.0);
}
