#version 100
// A Julia set whose parameter wanders; an orbit trap gives the colours.
precision highp float;

uniform vec2 resolution;
uniform float time;

void main() {
    vec2 z = (2.0 * gl_FragCoord.xy - resolution) / resolution.y * 1.25;
    vec2 c = 0.7885 * vec2(cos(2.4 + 0.05 * time), sin(2.4 + 0.05 * time));
    float trap = 10.0;
    float count = 0.0;
    for (int i = 0; i < 48; ++i) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        float r = dot(z, z);
        trap = min(trap, abs(z.x * z.y));
        if (r > 16.0) break;
        count += 1.0;
    }
    float near = exp(-6.0 * trap);
    float t = count / 48.0;
    vec3 ink = mix(vec3(0.05, 0.05, 0.15), vec3(0.1, 0.5, 0.6), sqrt(t));
    gl_FragColor = vec4(ink + near * vec3(0.85, 0.55, 0.25) * t, 1.0);
}
