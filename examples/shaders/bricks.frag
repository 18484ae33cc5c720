#version 300 es
// A brick wall: bond by rows, chipped edges, rough faces, light that goes around.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float hash(ivec2 p) {
    uint h = uint(p.x + 512) * 668265263u ^ uint(p.y + 512) * 2246822519u;
    h = (h ^ (h >> 15u)) * 3266489917u;
    return float(h >> 16u) / 65535.0;
}

float rough(vec2 p) {
    ivec2 i = ivec2(floor(p));
    vec2 f = fract(p);
    return mix(mix(hash(i), hash(i + ivec2(1, 0)), f.x), mix(hash(i + ivec2(0, 1)), hash(i + ivec2(1, 1)), f.x), f.y);
}

float height(vec2 p, out ivec2 brick) {
    vec2 size = vec2(2.0, 1.0);
    float row = floor(p.y / size.y);
    p.x += mod(row, 2.0) * 1.0;
    brick = ivec2(floor(p.x / size.x), row);
    vec2 local = mod(p, size) - 0.5 * size;
    vec2 edge = 0.5 * size - abs(local);
    float chipped = 0.05 * rough(p * 6.0);
    float face = smoothstep(0.04, 0.14, min(edge.x, edge.y) - chipped);
    return face * (0.8 + 0.2 * hash(brick)) + 0.10 * rough(p * 11.0) + 0.05 * rough(p * 23.0);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 8.0;
    ivec2 brick, ignored;
    float h = height(p, brick);
    const float e = 0.03;
    vec2 slope = vec2(height(p + vec2(e, 0.0), ignored) - h, height(p + vec2(0.0, e), ignored) - h) / e;
    vec3 n = normalize(vec3(-0.25 * slope, 1.0));
    vec3 sun = normalize(vec3(cos(0.6 * time + 1.2), 0.9, 0.9));
    float light = max(dot(n, sun), 0.0);
    float tone = hash(brick + 77);
    vec3 clay = mix(vec3(0.55, 0.20, 0.14), vec3(0.78, 0.40, 0.26), tone);
    clay = mix(clay, vec3(0.38, 0.24, 0.22), step(0.86, tone));
    vec3 base = mix(vec3(0.66, 0.63, 0.58), clay, smoothstep(0.25, 0.55, h));
    color = vec4(base * (0.25 + 0.95 * light), 1.0);
}
