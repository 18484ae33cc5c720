#version 100
// Plasma: four waves of sines, and a palette of cosines.
precision highp float;

uniform vec2 resolution;
uniform float time;

vec3 palette(float t) {
    return 0.5 + 0.5 * cos(6.2831853 * (t + vec3(0.0, 0.33, 0.67)));
}

void main() {
    vec2 p = (gl_FragCoord.xy - 0.5 * resolution) / resolution.y * 6.0;
    float v = sin(p.x + time);
    v += sin(0.7 * (p.y + time));
    v += sin(0.6 * (p.x + p.y) + 1.3 * time);
    vec2 center = p + vec2(2.0 * sin(0.5 * time), 2.0 * cos(0.3 * time));
    v += sin(sqrt(dot(center, center) + 1.0) * 1.7);
    gl_FragColor = vec4(palette(0.25 * v) * (0.75 + 0.25 * cos(3.0 * v)), 1.0);
}
