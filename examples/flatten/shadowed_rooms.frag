#version 300 es
// A city at night where every scope has its own `d`.
// One name in both arms of an `if`, in loops one after the other, in bare blocks and as parameter and global; `do`/`while`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float d = 0.35;

float random(float a, float b) {
    float d = a * 12.37 + b * 7.93;
    return fract(sin(d) * 4321.7);
}

vec3 window(vec2 p, float seed) {
    float d = max(abs(p.x), abs(p.y));
    if (random(seed, 1.0) < 0.4) {
        float shine = d;
        vec3 d = vec3(0.10, 0.12, 0.18);
        return d + 0.04 * shine * p.y;
    } else {
        vec3 d = mix(vec3(1.0, 0.80, 0.45), vec3(0.98, 0.62, 0.35), random(seed, 2.0));
        d *= 0.9 + 0.2 * sin(time + 20.0 * seed);
        if (random(seed, 3.0) > 0.6) {
            float d = length(p - vec2(0.1, -0.25));
            if (d < 0.18 || (abs(p.x - 0.1) < 0.2 && p.y < -0.3)) return vec3(0.25, 0.15, 0.12);
        }
        return d * (d.x > 0.9 ? 1.0 : 0.9);
    }
}

vec3 tower(vec3 c, vec2 p, float k) {
    for (int i = 0; i < 7; ++i) {
        float d = 0.9 - 0.19 * k;
        float left = -1.25 + 0.37 * float(i) + 0.13 * k;
        float height = 0.75 * random(float(i), k) - d * 0.5 - 0.1 + 0.2 * k;
        if (p.x < left || p.x > left + 0.26 || p.y > height) continue;
        c = mix(vec3(0.07, 0.08, 0.13), vec3(0.30, 0.30, 0.42), 0.35 * k);
        vec2 q = vec2(p.x - left, height - p.y) * vec2(4.0, 3.5) / 0.26 * 0.25;
        {
            vec2 d = fract(4.0 * q) - 0.5;
            vec2 cell = floor(4.0 * q);
            if (max(abs(d.x), abs(d.y)) < 0.32) {
                c = mix(window(d / 0.64, cell.x + 5.0 * cell.y + 31.0 * float(i) + 7.0 * k), c, 0.22 * k);
            }
        }
        c *= 1.0 - 0.15 * d;
    }
    for (int i = 0; i < 3; ++i) {
        float d = length(p - vec2(-0.8 + 0.75 * float(i) + 0.2 * k, 0.9 - 0.1 * k));
        c += 0.01 / (d + 0.05) * vec3(0.5, 0.6, 1.0) * k;
    }
    return c;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 c = mix(vec3(0.50, 0.28, 0.42), vec3(0.06, 0.08, 0.20), smoothstep(-0.6, 1.0, p.y));
    float moon = length(p - vec2(-0.45, 0.62));
    c = mix(c, vec3(0.95, 0.92, 0.80), smoothstep(0.16, 0.15, moon) * smoothstep(0.14, 0.15, length(p - vec2(-d, 0.66))));
    int k = 2;
    do {
        float d = float(k);
        c = tower(c, p, d);
    } while (--k >= 0);
    color = vec4(c, 1.0);
}
