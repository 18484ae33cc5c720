#version 300 es
// Truchet tiles: quarter circles, each tile turned by a hash, woven over and under.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

uint hash(ivec2 p) {
    uint h = uint(p.x * 73856093) ^ uint(p.y * 19349663);
    h *= 0x9e3779b1u;
    return h ^ (h >> 15u);
}

void main() {
    float scale = 9.0 / resolution.y;
    vec2 p = gl_FragCoord.xy * scale;
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p) - 0.5;
    bool turned = (hash(cell) & 4u) != 0u;
    if (turned) f.x = -f.x;
    float first = abs(length(f - 0.5) - 0.5);
    float second = abs(length(f + 0.5) - 0.5);
    float pixel = scale;
    float band = min(first, second);
    vec3 ground = mix(vec3(0.96, 0.93, 0.86), vec3(0.92, 0.88, 0.79), float((cell.x + cell.y) & 1));
    float edge = smoothstep(0.16 + pixel, 0.16, band);
    float core = smoothstep(0.11 + pixel, 0.11, band);
    float line = smoothstep(0.03 + pixel, 0.03, band);
    vec3 paint = mix(ground, vec3(0.13, 0.20, 0.29), edge);
    paint = mix(paint, vec3(0.87, 0.42, 0.27), core);
    color = vec4(mix(paint, vec3(0.98, 0.80, 0.55), line), 1.0);
}
