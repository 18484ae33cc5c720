// A drawn sun: layers of rays outward to inward, each with its own wave.
// ES 1.00: a loop over layers with nested ternaries, a global that a helper writes.
precision highp float;

uniform vec2 resolution;
uniform float time;

vec3 canvas;

void lay(vec3 ink, float d) {
    float edge = 3.0 / resolution.y;
    canvas = mix(canvas, vec3(0.16, 0.10, 0.12), smoothstep(edge, -edge, d));
    canvas = mix(canvas, ink, smoothstep(edge, -edge, d + 0.014));
}

float rays(float r, float angle, float count, float inner, float reach, int kind) {
    float slice = 6.2831853 / count;
    float a = abs(mod(angle + 0.5 * slice, slice) - 0.5 * slice) / (0.5 * slice);
    float shape = kind == 0 ? 1.0 - a : kind == 1 ? sqrt(max(1.0 - a * a, 0.0)) : cos(1.5708 * a) * (0.75 + 0.25 * cos(9.42 * a));
    return r - inner - reach * shape;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float r = length(p);
    float angle = atan(p.y, p.x);
    canvas = mix(vec3(0.10, 0.32, 0.42), vec3(0.05, 0.16, 0.26), r * 0.8);
    if (r > 1.04) {
        vec2 star = fract(p * 6.0) - 0.5;
        canvas += 0.5 * smoothstep(0.10, 0.05, length(star)) * step(0.4, fract(3.1 * floor(6.0 * p.x) + 1.7 * floor(6.0 * p.y)));
    }
    for (int layer = 0; layer < 6; ++layer) {
        float k = float(layer);
        float turn = (mod(k, 2.0) < 0.5 ? 0.1 : -0.1) * time + 0.13 * k;
        vec3 ink = layer == 0 ? vec3(0.85, 0.30, 0.20) : layer == 1 ? vec3(0.98, 0.75, 0.30) : layer == 2 ? vec3(0.93, 0.48, 0.22) : layer == 3 ? vec3(0.99, 0.88, 0.60) : layer == 4 ? vec3(0.80, 0.22, 0.25) : vec3(0.99, 0.80, 0.36);
        int kind = layer < 2 ? 0 : layer < 4 ? 1 : 2;
        float d = rays(r, angle + turn, 24.0 - 4.0 * mod(k, 3.0), 0.80 - 0.125 * k, 0.20 - 0.018 * k, kind);
        lay(ink, d);
    }
    vec2 q = vec2(abs(p.x), p.y);
    lay(vec3(0.99, 0.86, 0.50), r - 0.19);
    lay(vec3(0.20, 0.12, 0.14), length((q - vec2(0.07, 0.03)) * vec2(1.0, 0.8)) - 0.028);
    float mouth = abs(length(p - vec2(0.0, 0.0)) - 0.105);
    if (p.y < -0.045) {
        canvas = mix(vec3(0.45, 0.12, 0.12), canvas, smoothstep(0.008, 0.016, mouth));
    }
    gl_FragColor = vec4(canvas, 1.0);
}
