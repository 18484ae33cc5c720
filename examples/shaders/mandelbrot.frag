#version 300 es
// The Mandelbrot set with smooth bands, from the distance at escape.
precision highp float;

uniform vec2 resolution;
out vec4 color;

const int LIMIT = 96;

void main() {
    vec2 c = (gl_FragCoord.xy - 0.5 * resolution) / resolution.y * 2.6 - vec2(0.65, 0.0);
    vec2 z = vec2(0.0);
    int steps = 0;
    while (steps < LIMIT && dot(z, z) < 256.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        ++steps;
    }
    if (steps == LIMIT) {
        color = vec4(0.02, 0.02, 0.05, 1.0);
        return;
    }
    float level = float(steps) - log2(0.5 * log2(dot(z, z))) + 2.0;
    float t = sqrt(clamp(level / float(LIMIT), 0.0, 1.0));
    vec3 deep = vec3(0.03, 0.07, 0.25);
    vec3 glow = vec3(0.95, 0.65, 0.20);
    vec3 pale = vec3(1.0, 0.97, 0.85);
    vec3 shade = t < 0.5 ? mix(deep, glow, smoothstep(0.08, 0.5, t)) : mix(glow, pale, smoothstep(0.5, 0.9, t));
    color = vec4(shade, 1.0);
}
