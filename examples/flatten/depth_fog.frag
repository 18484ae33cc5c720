#version 300 es
// A forest of paper in mist: layers from front to back until one covers the pixel; its depth is written too.
// `gl_FragDepth`, a loop with an early `break`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float wave(float x, float k) {
    return 0.5 * sin(1.7 * x + 1.3 * k) + 0.3 * sin(3.1 * x - 2.0 * k) + 0.2 * sin(7.9 * x + k);
}

float tree(vec2 p, float k) {
    float spacing = 0.16 + 0.02 * k;
    float index = floor(p.x / spacing);
    float random = fract(sin(index * 17.13 + 5.7 * k) * 531.7);
    if (random < 0.25) return -1.0;
    float x = p.x - spacing * (index + 0.5);
    float tall = 0.16 + 0.16 * random;
    float up = p.y / tall;
    if (up < 0.0 || up > 1.0) return -1.0;
    if (up < 0.12) return 0.012 - abs(x);
    float branches = fract(5.0 * up + 0.2);
    return (1.0 - up) * 0.07 * (1.25 - 0.6 * branches) - abs(x);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    float covered = 8.0;
    float edge = 0.0;
    for (int i = 0; i < 7; ++i) {
        float k = float(i);
        float x = p.x * (1.0 + 0.25 * k) + 3.7 * k + 0.03 * time / (1.0 + k);
        float base = 0.02 + 0.085 * k + 0.05 * wave(x, k);
        float above = p.y - base;
        float inside = above < 0.0 ? 1.0 : tree(vec2(x, above * (1.0 + 0.25 * k)), k);
        if (inside > 0.0) {
            covered = k;
            edge = above;
            break;
        }
    }
    vec3 sky = mix(vec3(0.98, 0.88, 0.72), vec3(0.55, 0.72, 0.80), smoothstep(0.35, 1.0, p.y));
    float sun = length(p - vec2(0.68, 0.76));
    sky = mix(sky, vec3(1.0, 0.97, 0.88), smoothstep(0.10, 0.09, sun) + 0.3 * exp(-5.0 * sun));
    vec3 c = sky;
    if (covered < 7.5) {
        float far = covered / 7.0;
        c = mix(vec3(0.06, 0.18, 0.19), vec3(0.75, 0.80, 0.78), sqrt(far));
        c = mix(c, vec3(0.97, 0.90, 0.80), 0.35 * smoothstep(0.0, -0.14, edge) * (1.0 - 0.5 * far));
    }
    color = vec4(c, 1.0);
    gl_FragDepth = covered / 8.0;
}
