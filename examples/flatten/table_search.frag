#version 300 es
// Temperatures on a weather map: binary search in a table of bounds picks the colour, isobars over it.
// A `while` search of four rounds, `break` when found.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const float BOUNDS[15] = float[15](-18.0, -12.0, -7.0, -3.0, 0.0, 3.0, 6.5, 10.0, 14.0, 18.0, 21.5, 25.0, 29.0, 33.0, 38.0);

int search(float t) {
    int low = 0;
    int high = 15;
    int rounds = 0;
    while (rounds++ < 4) {
        int middle = (low + high) / 2;
        if (middle >= 15) break;
        if (t < BOUNDS[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
        if (low == high) break;
    }
    return low;
}

vec3 scale(int band) {
    float x = float(band) / 15.0;
    vec3 cold = mix(vec3(0.35, 0.18, 0.55), vec3(0.25, 0.65, 0.85), clamp(3.0 * x, 0.0, 1.0));
    vec3 mild = mix(cold, vec3(0.60, 0.80, 0.40), clamp(3.0 * x - 1.0, 0.0, 1.0));
    vec3 warm = mix(mild, vec3(0.98, 0.80, 0.30), clamp(4.0 * x - 2.0, 0.0, 1.0));
    return mix(warm, vec3(0.70, 0.12, 0.12), clamp(4.0 * x - 3.0, 0.0, 1.0));
}

float temperature(vec2 p) {
    float t = 10.0 - 19.0 * p.y;
    t += 7.0 * sin(1.7 * p.x + 0.4 * sin(2.3 * p.y) + 0.1 * time);
    t += 5.0 * sin(2.9 * p.y + 1.1 * p.x) * cos(2.1 * p.x);
    return t + 2.5 * sin(5.3 * p.x + 4.1 * p.y);
}

float pressure(vec2 p) {
    float low = length(p - vec2(-0.5, 0.35));
    float high = length((p - vec2(0.55, -0.4)) * vec2(0.8, 1.1));
    return -8.0 * exp(-2.5 * low * low) + 7.0 * exp(-1.8 * high * high) + 1.5 * p.x;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    int band = search(temperature(p));
    int above = search(temperature(p + vec2(0.0, 2.0) / resolution.y));
    int beside = search(temperature(p + vec2(2.0, 0.0) / resolution.y));
    vec3 c = scale(band);
    if (band != above || band != beside) c *= 0.86;
    float here = pressure(p);
    float bar = abs(fract(here) - 0.5);
    float slope = length(vec2(pressure(p + vec2(0.01, 0.0)), pressure(p + vec2(0.0, 0.01))) - here) / 0.01;
    c = mix(vec3(1.0), c, smoothstep(0.0, 0.022 * slope, bar));
    if (p.x > 0.88) {
        float at = 0.5 + 0.5 * p.y;
        c = scale(int(16.0 * at));
        if (fract(16.0 * at) < 0.06 || p.x < 0.90) c = vec3(0.12);
    }
    color = vec4(c, 1.0);
}
