#version 300 es
// Text without a texture: each letter is five bits by seven in one or two words.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

// Rows from above, five bits each: the upper four in `x`, the lower three in `y`.
const uvec2 LETTERS[7] = uvec2[7](
    uvec2(0xf463eu, 0x4210u),    // P
    uvec2(0x84210u, 0x421fu),    // L
    uvec2(0x7463fu, 0x4631u),    // A
    uvec2(0x8e6b3u, 0x4631u),    // N
    uvec2(0xf9084u, 0x109fu),    // I
    uvec2(0x7c20eu, 0x043eu),    // S
    uvec2(0x8c63fu, 0x4631u));   // H

bool lit(uvec2 letter, ivec2 at) {
    if (any(lessThan(at, ivec2(0))) || at.x > 4 || at.y > 6) return false;
    uint bit = at.y < 4 ? uint((3 - at.y) * 5 + 4 - at.x) : uint((6 - at.y) * 5 + 4 - at.x);
    return ((at.y < 4 ? letter.x : letter.y) >> bit & 1u) != 0u;
}

void main() {
    vec2 p = (gl_FragCoord.xy - 0.5 * resolution) / resolution.x * 46.0;
    p.y += 1.5 * sin(p.x * 0.2 + 2.0 * time);
    vec2 place = vec2(p.x + 21.0, 3.5 - p.y);
    ivec2 dot_at = ivec2(floor(place));
    int index = dot_at.x / 6;
    bool on = index >= 0 && index < 7 && place.x >= 0.0 && lit(LETTERS[clamp(index, 0, 6)], ivec2(dot_at.x - index * 6, dot_at.y));
    vec2 f = fract(place) - 0.5;
    float round_dot = smoothstep(0.47, 0.35, length(f));
    vec3 hue = 0.6 + 0.4 * cos(0.12 * p.x + time + vec3(0.0, 2.1, 4.2));
    vec3 board = vec3(0.10, 0.11, 0.14) * (0.4 + 0.6 * round_dot);
    color = vec4(on ? mix(board, hue, round_dot) : board, 1.0);
}
