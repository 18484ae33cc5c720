#version 300 es
// Mandelbrot's seahorses with orbit traps: the orbit's distances to a circle and a line colour it.
// Fixed rounds, `break`, several results through `out`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Orbit {
    float smooth_count;
    float circle;
    float line;
    bool inside;
};

void iterate(vec2 c, out Orbit orbit) {
    vec2 z = vec2(0.0);
    orbit = Orbit(0.0, 9.0, 9.0, true);
    for (int i = 0; i < 64; ++i) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        float r2 = dot(z, z);
        if (r2 > 64.0) {
            orbit.inside = false;
            orbit.smooth_count = float(i) + 1.0 - log2(0.5 * log2(r2) / 3.0);
            break;
        }
        orbit.circle = min(orbit.circle, abs(sqrt(r2) - 0.35));
        orbit.line = min(orbit.line, abs(z.y + 0.3 * z.x));
    }
}

vec3 wave(float t) {
    return 0.5 - 0.5 * cos(t + vec3(0.1, 0.7, 1.5));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float zoom = 0.09 + 0.02 * sin(0.2 * time);
    vec2 c = vec2(-0.745, 0.135) + zoom * p;
    Orbit orbit;
    iterate(c, orbit);
    vec3 shade = wave(0.35 * orbit.smooth_count);
    if (orbit.inside) {
        shade = vec3(0.05, 0.04, 0.10);
    } else if (orbit.line < 0.01) {
        shade = mix(shade, vec3(1.0, 0.95, 0.8), 1.0 - orbit.line / 0.01);
    }
    shade += 0.5 * vec3(0.9, 0.5, 0.2) * exp(-90.0 * orbit.circle);
    color = vec4(shade, 1.0);
}
