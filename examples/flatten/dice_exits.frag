#version 300 es
// Thrown dice on felt: which pip, which face and which die is told by early exits, also from inside loops.
// Returns at five places, bare declarations.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

int throw_at(ivec2 cell, int round) {
    int n = cell.x * 92821 + cell.y * 68917 + round * 51439;
    n = (n ^ (n >> 8)) * 7433;
    n ^= n >> 9;
    return n & 0xffff;
}

bool pip(vec2 q, int face) {
    vec2 places[6];
    int count = 0;
    if ((face & 1) == 1) places[count++] = vec2(0.0);
    if (face > 1) {
        places[count++] = vec2(-0.26, 0.26);
        places[count++] = vec2(0.26, -0.26);
    }
    if (face > 3) {
        places[count++] = vec2(0.26);
        places[count++] = vec2(-0.26);
    }
    if (face == 6) {
        if (length(vec2(abs(q.x) - 0.26, q.y)) < 0.085) return true;
    }
    for (int i = 0; i < 5; ++i) {
        if (i >= count) return false;
        if (length(q - places[i]) < 0.085) return true;
    }
    return false;
}

vec3 felt(vec2 p) {
    float fuzz = fract(sin(dot(floor(p * 90.0), vec2(3.71, 11.37))) * 917.3);
    return vec3(0.06, 0.32, 0.20) * (0.85 + 0.25 * fuzz);
}

vec3 die(vec2 p) {
    ivec2 cell = ivec2(floor(p));
    int roll = throw_at(cell, int(time));
    if (roll % 7 == 0) return felt(p);
    float angle = float(roll) * 0.0009;
    vec2 q = fract(p) - 0.5;
    vec2 shadow = q - vec2(0.04, -0.06);
    q = mat2(cos(angle), -sin(angle), sin(angle), cos(angle)) * q * 1.45;
    shadow = mat2(cos(angle), -sin(angle), sin(angle), cos(angle)) * shadow * 1.45;
    float side = length(max(abs(q) - 0.36, 0.0)) - 0.12;
    if (side > 0.0) {
        float dark;
        dark = length(max(abs(shadow) - 0.36, 0.0)) - 0.12;
        return felt(p) * (0.55 + 0.45 * smoothstep(-0.04, 0.10, dark));
    }
    bool red = (roll >> 4) % 4 == 0;
    vec3 body = red ? vec3(0.75, 0.12, 0.12) : vec3(0.95, 0.93, 0.86);
    if (pip(q, 1 + (roll >> 6) % 6)) return red ? vec3(0.95, 0.92, 0.85) : vec3(0.12, 0.12, 0.14);
    return body * (1.0 - 0.30 * smoothstep(-0.10, 0.0, side)) * (0.92 + 0.2 * (q.y - q.x));
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 4.0;
    color = vec4(die(p), 1.0);
}
