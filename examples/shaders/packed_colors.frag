#version 310 es
// Colours that went through words: packed to eight bits, to five, six and five, to halves, and bits turned around.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec3 through565(vec3 c) {
    uint word = 0u;
    word = bitfieldInsert(word, uint(c.r * 31.0 + 0.5), 11, 5);
    word = bitfieldInsert(word, uint(c.g * 63.0 + 0.5), 5, 6);
    word = bitfieldInsert(word, uint(c.b * 31.0 + 0.5), 0, 5);
    return vec3(bitfieldExtract(word, 11, 5), bitfieldExtract(word, 5, 6), bitfieldExtract(word, 0, 5)) / vec3(31.0, 63.0, 31.0);
}

vec3 reversed(vec3 c) {
    uint word = packUnorm4x8(vec4(c, 0.0));
    return unpackUnorm4x8(bitfieldReverse(word) >> 4u).wzy;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec3 source = 0.5 + 0.5 * cos(6.2831853 * (uv.x * 0.8 + vec3(0.0, 0.33, 0.67)) + 3.0 * fract(uv.y * 2.0) + 0.3 * time);
    int row = int(uv.y * 2.0) * 2 + int(uv.x * 2.0);
    vec3 paint;
    switch (row) {
        case 0: paint = unpackUnorm4x8(packUnorm4x8(vec4(source, 1.0)) & 0xc0c0c0c0u).rgb; break;
        case 1: paint = through565(source); break;
        case 2: paint = vec3(unpackHalf2x16(packHalf2x16(source.rg)), source.b); break;
        default: paint = 0.3 + 0.7 * reversed(source);
    }
    vec2 f = abs(fract(uv * 2.0) - 0.5);
    color = vec4(mix(paint, vec3(0.08), smoothstep(0.475, 0.48, max(f.x, f.y))), 1.0);
}
