#version 300 es
// Phyllotaxis: seeds at the golden angle; each pixel looks at the seeds that can be near.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const float GOLDEN = 2.39996323;

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / min(resolution.x, resolution.y) * 19.0;
    float r2 = dot(p, p);
    int guess = int(r2);
    int first = max(guess - 44, 1);
    int last = min(guess + 44, 300);
    vec3 paint = mix(vec3(0.36, 0.60, 0.78), vec3(0.55, 0.75, 0.86), gl_FragCoord.y / resolution.y);
    float angle = atan(p.y, p.x + 1e-4);
    float petal = abs(sin(10.5 * angle)) * 1.6 + 16.0;
    float back = abs(cos(10.5 * angle)) * 1.4 + 15.4;
    float r = sqrt(r2);
    paint = mix(paint, vec3(0.86, 0.55, 0.06), smoothstep(0.1, -0.1, r - back - 1.2));
    paint = mix(paint, vec3(0.99, 0.78, 0.15) * (0.6 + 0.4 * r / 18.0), smoothstep(0.1, -0.1, r - petal));
    paint = mix(paint, vec3(0.18, 0.10, 0.05), smoothstep(12.6, 12.2, r));
    for (int n = first; n <= last; ++n) {
        float k = float(n);
        if (k > 150.0) break;
        float a = mod(k * GOLDEN, 6.2831853);
        vec2 seed = sqrt(k) * vec2(cos(a), sin(a));
        float d = distance(p, seed);
        vec3 hull = mix(vec3(0.55, 0.62, 0.20), vec3(0.45, 0.25, 0.10), smoothstep(0.0, 90.0, k));
        hull *= 1.0 - 0.5 * d + 0.25 * sin(time + 0.13 * k);
        paint = mix(paint, hull, smoothstep(0.80, 0.66, d));
    }
    color = vec4(paint, 1.0);
}
