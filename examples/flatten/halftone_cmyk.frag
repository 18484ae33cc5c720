#version 300 es
// Four colour print: dots on screens at four angles multiply each other's ink.
// A loop over an array of structs, a vector component chosen at run time.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Screen {
    float angle;
    vec3 ink;
};

const Screen SCREENS[4] = Screen[4](Screen(0.26, vec3(0.02, 0.62, 0.88)), Screen(1.31, vec3(0.88, 0.08, 0.52)),
                                    Screen(0.00, vec3(0.99, 0.90, 0.10)), Screen(0.79, vec3(0.12, 0.11, 0.12)));

vec3 fruit(vec2 p) {
    vec3 c = mix(vec3(0.98, 0.93, 0.85), vec3(0.55, 0.78, 0.90), 0.5 + 0.5 * p.y);
    vec2 q = p - vec2(0.0, -0.08);
    float r = length(q) / (0.62 - 0.05 * cos(2.0 * atan(q.x, q.y)));
    if (r < 1.0) {
        float lit = clamp(dot(normalize(vec3(q, sqrt(1.0 - r * r))), normalize(vec3(-0.5, 0.6, 0.6))), 0.0, 1.0);
        c = mix(vec3(0.40, 0.04, 0.05), vec3(0.98, 0.45, 0.15), lit);
        c += 0.6 * pow(lit, 24.0);
    } else if (abs(q.x - 0.3 * (q.y - 0.55) * (q.y - 0.55)) < 0.025 && q.y > 0.5 && q.y < 0.85) {
        c = vec3(0.30, 0.20, 0.08);
    }
    return clamp(c, 0.0, 1.0);
}

vec4 separate(vec3 c) {
    float black = 1.0 - max(c.r, max(c.g, c.b));
    if (black > 0.999) return vec4(0.0, 0.0, 0.0, 1.0);
    return vec4((1.0 - c - black) / (1.0 - black), 0.8 * black);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 paper = vec3(0.97, 0.96, 0.92);
    for (int i = 0; i < 4; ++i) {
        float c = cos(SCREENS[i].angle + 0.05 * time);
        float s = sin(SCREENS[i].angle + 0.05 * time);
        mat2 turn = mat2(c, s, -s, c);
        vec2 grid = turn * p * 24.0;
        vec2 centre = (floor(grid) + 0.5) * turn / 24.0;
        vec4 inks = separate(fruit(centre));
        float dot_radius = 0.72 * sqrt(inks[i]);
        float covered = smoothstep(0.06, -0.06, length(fract(grid) - 0.5) - dot_radius);
        paper *= mix(vec3(1.0), SCREENS[i].ink, covered * step(0.02, inks[i]));
    }
    color = vec4(paper, 1.0);
}
