#version 300 es
// Bitwise patterns: a different operation on the coordinates in each patch of a quilt.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

void main() {
    uvec2 p = uvec2(gl_FragCoord.xy / resolution * 192.0);
    uvec2 patch_at = p >> 6u;
    uvec2 q = p & 63u;
    uint t = uint(time * 8.0);
    uint v;
    switch (patch_at.x + 3u * patch_at.y) {
        case 0u: v = q.x ^ q.y; break;
        case 1u: v = q.x & q.y; break;
        case 2u: v = (q.x | q.y) ^ t; break;
        case 3u: v = (q.x * q.y) >> 3u; break;
        case 4u: v = (q.x ^ q.y) * 3u + t; break;
        case 5u: v = (q.x * q.x + q.y * q.y) >> 4u; break;
        case 6u: v = ~(q.x ^ (q.y << 1u)); break;
        case 7u: v = (q.x - q.y) ^ (q.x + q.y); break;
        default: v = (q.x << 2u) ^ (q.y << 2u) ^ (q.x >> 1u); break;
    }
    v &= 63u;
    float s = float(v) / 63.0;
    float turn = float(patch_at.x * 2u + patch_at.y * 3u);
    vec3 warm = 0.5 + 0.5 * cos(0.8 * turn + vec3(0.2, 1.4, 2.6));
    vec3 cloth = mix(vec3(0.10, 0.08, 0.16), warm, s);
    uvec2 edge = min(q, 63u - q);
    bool stitch = min(edge.x, edge.y) < 1u;
    color = vec4(stitch ? vec3(0.95, 0.92, 0.85) : cloth, 1.0);
}
