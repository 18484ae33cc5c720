#version 300 es
// Voronoi cells: the nearest of the jittered points, its border, and a colour for each.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

uvec2 scramble(uvec2 v) {
    v = v * 1664525u + 1013904223u;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    v ^= v >> 16u;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    return v ^ (v >> 16u);
}

vec2 site(ivec2 cell) {
    return vec2(scramble(uvec2(cell + 1024)) >> 8u) / 16777216.0;
}

vec2 offset(ivec2 cell) {
    return 0.5 + 0.4 * sin(time * 0.8 + 6.2831853 * site(cell));
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 7.0;
    ivec2 home = ivec2(floor(p));
    vec2 f = p - vec2(home);
    float nearest = 8.0;
    vec2 toNearest = vec2(0.0);
    ivec2 owner = home;
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            ivec2 step = ivec2(x, y);
            vec2 to = vec2(step) + offset(home + step) - f;
            float d = dot(to, to);
            if (d < nearest) {
                nearest = d;
                toNearest = to;
                owner = home + step;
            }
        }
    }
    float border = 8.0;
    for (int y = -2; y <= 2; ++y) {
        for (int x = -2; x <= 2; ++x) {
            ivec2 cell = owner + ivec2(x, y);
            if (cell == owner) continue;
            vec2 to = vec2(cell - home) + offset(cell) - f;
            border = min(border, dot(0.5 * (toNearest + to), normalize(to - toNearest)));
        }
    }
    vec2 tint = site(owner * 3 + 7);
    vec3 base = mix(vec3(0.10, 0.32, 0.45), vec3(0.95, 0.72, 0.35), tint.x);
    base = mix(base, vec3(0.75, 0.25, 0.28), smoothstep(0.7, 0.8, tint.y));
    base *= 1.0 - 0.45 * sqrt(nearest);
    color = vec4(mix(vec3(0.05, 0.05, 0.08), base, smoothstep(0.02, 0.05, border)), 1.0);
}
