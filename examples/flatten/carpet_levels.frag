#version 300 es
// Sierpinski's carpet in coloured wool: base three digits of both coordinates decide.
// Nested `if` with `break` and `continue` in one loop, integers.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const int LEVELS = 5;

int hole_level(ivec2 at, out int corners) {
    corners = 0;
    for (int level = 0; level < LEVELS; ++level) {
        ivec2 digit = at % 3;
        at /= 3;
        if (digit.x == 1) {
            if (digit.y == 1) {
                return LEVELS - level;
            }
            continue;
        }
        if (digit.y == 1) continue;
        ++corners;
    }
    return 0;
}

vec3 wool(int level) {
    vec3 dyes[LEVELS + 1];
    dyes[0] = vec3(0.55, 0.12, 0.13);
    dyes[1] = vec3(0.93, 0.85, 0.66);
    for (int i = 2; i <= LEVELS; ++i) {
        dyes[i] = mix(dyes[i - 1].brg, vec3(0.12, 0.20, 0.38), 0.25 * float(i));
    }
    return dyes[level];
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec2 from_edge = min(uv, 1.0 - uv);
    float border = min(from_edge.x, from_edge.y);
    ivec2 at = ivec2(floor((uv - 0.05) / 0.9 * 243.0 + 0.21));
    vec3 c;
    if (border < 0.05) {
        float fringe = sin(uv.x * 500.0) * 0.5 + 0.5;
        c = from_edge.y < 0.02 ? mix(vec3(0.25, 0.20, 0.18), vec3(0.90, 0.84, 0.70), fringe) : vec3(0.14, 0.18, 0.32);
        if (border > 0.035) c = vec3(0.80, 0.60, 0.25);
    } else {
        int corners;
        int level = hole_level(at, corners);
        c = wool(level);
        if (level == 0) {
            c *= 0.80 + 0.08 * float(corners);
            c.g += 0.10 * sin(time + 0.8 * float(corners));
        }
    }
    ivec2 stitch = ivec2(gl_FragCoord.xy) & 1;
    c *= 0.92 + 0.08 * float(stitch.x ^ stitch.y);
    color = vec4(c, 1.0);
}
