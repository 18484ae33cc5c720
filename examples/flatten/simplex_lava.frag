#version 300 es
// Cooling lava: three octaves of simplex noise, glowing where it is thin.
// Ternaries choose the corner, a corner below zero returns early.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec3 slope_at(ivec3 corner) {
    uvec3 u = uvec3(corner) * uvec3(0x9e3779b9u, 0x7f4a7c15u, 0x94d049bbu);
    uint n = u.x ^ u.y ^ u.z;
    n = (n ^ (n >> 15)) * 0x85ebca6bu;
    n ^= n >> 13;
    vec3 d = vec3(n & 1023u, (n >> 10) & 1023u, (n >> 20) & 1023u);
    return d / 511.5 - 1.0;
}

float corner(ivec3 at, vec3 d) {
    float reach = 0.6 - dot(d, d);
    if (reach < 0.0) return 0.0;
    reach *= reach;
    return reach * reach * dot(slope_at(at), d);
}

float simplex(vec3 p) {
    ivec3 cell = ivec3(floor(p + (p.x + p.y + p.z) / 3.0));
    vec3 d = p - vec3(cell) + float(cell.x + cell.y + cell.z) / 6.0;
    ivec3 first, second;
    if (d.x >= d.y) {
        first = d.x >= d.z ? ivec3(1, 0, 0) : ivec3(0, 0, 1);
        second = d.y >= d.z ? ivec3(1, 1, 0) : ivec3(1, 0, 1);
    } else {
        first = d.y >= d.z ? ivec3(0, 1, 0) : ivec3(0, 0, 1);
        second = d.x >= d.z ? ivec3(1, 1, 0) : ivec3(0, 1, 1);
    }
    float sum = corner(cell, d);
    sum += corner(cell + first, d - vec3(first) + 1.0 / 6.0);
    sum += corner(cell + second, d - vec3(second) + 1.0 / 3.0);
    sum += corner(cell + 1, d - 0.5);
    return 24.0 * sum;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution.y;
    vec3 p = vec3(uv * 3.5, 0.25 * time);
    float crust = 0.0;
    float size = 1.0;
    for (int i = 0; i < 3; ++i) {
        crust += size * abs(simplex(p));
        p = p * 2.03 + 7.1;
        size *= 0.5;
    }
    float heat = exp(-7.0 * crust);
    vec3 rock = vec3(0.035, 0.030, 0.034) * (0.2 + 1.4 * crust);
    vec3 glow = vec3(1.5, 0.22, 0.02) * heat + vec3(1.2, 1.1, 0.5) * heat * heat * heat;
    vec3 c = rock + 1.3 * glow;
    color = vec4(sqrt(c / (0.6 + c)), 1.0);
}
