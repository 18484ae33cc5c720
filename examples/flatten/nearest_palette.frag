#version 300 es
// A sunset in eight colours: each pixel takes the nearest of a palette, between the two nearest by a checkerboard.
// `out` parameters, a search loop.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

const vec3 PALETTE[8] = vec3[8](vec3(0.06, 0.04, 0.14), vec3(0.24, 0.10, 0.32), vec3(0.55, 0.16, 0.38),
                                vec3(0.88, 0.32, 0.28), vec3(0.98, 0.60, 0.26), vec3(0.99, 0.88, 0.55),
                                vec3(0.16, 0.30, 0.48), vec3(0.40, 0.62, 0.66));

void two_nearest(vec3 c, out int first, out int second, out float share) {
    float best = 1e9;
    float next = 1e9;
    first = 0;
    second = 0;
    for (int i = 0; i < 8; ++i) {
        vec3 d = c - PALETTE[i];
        float distance2 = dot(d, d);
        if (distance2 < best) {
            next = best;
            second = first;
            best = distance2;
            first = i;
        } else if (distance2 < next) {
            next = distance2;
            second = i;
        }
    }
    share = sqrt(best) / (sqrt(best) + sqrt(next));
}

vec3 sunset(vec2 p) {
    vec3 sky = mix(vec3(1.0, 0.75, 0.35), vec3(0.20, 0.10, 0.32), smoothstep(-0.05, 0.9, p.y));
    float sun = length(p - vec2(0.1, 0.18));
    if (sun < 0.22) sky = vec3(1.0, 0.92, 0.6);
    else sky += 0.25 * exp(-4.0 * (sun - 0.22)) * vec3(1.0, 0.4, 0.1);
    if (p.y < 0.0) {
        float wave = sin(70.0 * p.y / (0.1 - p.y) + 8.0 * p.x);
        vec3 sea = mix(vec3(0.45, 0.60, 0.65), vec3(0.10, 0.16, 0.34), smoothstep(0.0, -0.8, p.y));
        sky = mix(sea, vec3(1.0, 0.62, 0.30), 0.8 * smoothstep(0.35, 0.0, abs(p.x - 0.1 + 0.05 * wave)));
    }
    return sky;
}

void main() {
    vec2 block = floor(gl_FragCoord.xy / resolution.y * 128.0);
    vec2 p = (block - vec2(64.0 * resolution.x / resolution.y, 52.0)) / 64.0;
    int first, second;
    float share;
    two_nearest(sunset(p), first, second, share);
    bool odd = mod(block.x + block.y, 2.0) > 0.5;
    int chosen = share > 0.3 && odd ? second : first;
    color = vec4(PALETTE[chosen], 1.0);
}
