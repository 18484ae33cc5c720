#version 300 es
// A weave from bits: Gray codes, reversed bits and parity of the coordinates.
// Bit tricks with fixed loops, `^=`, `|=`, `<<=`, shadowed names in bare blocks.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

uint reverse8(uint x) {
    uint result = 0u;
    for (int i = 0; i < 8; ++i) {
        result <<= 1u;
        result |= x & 1u;
        x >>= 1u;
    }
    return result;
}

uint parity(uint x) {
    for (uint shift = 16u; shift > 0u; shift >>= 1u) {
        x ^= x >> shift;
    }
    return x & 1u;
}

uint interleave(uint x, uint y) {
    uint z = 0u;
    for (uint i = 0u; i < 8u; ++i) {
        z |= (x >> i & 1u) << (2u * i) | (y >> i & 1u) << (2u * i + 1u);
    }
    return z;
}

int ones(uint x) {
    int count = 0;
    for (int round = 0; round < 16; ++round) {
        if (x == 0u) break;
        x &= x - 1u;
        ++count;
    }
    return count;
}

void main() {
    uvec2 at = uvec2(gl_FragCoord.xy * 64.0 / resolution.y) + uint(4.0 * time);
    at &= 63u;
    uint gray = (at.x ^ at.x >> 1u) ^ (at.y ^ at.y >> 1u);
    uint z = interleave(at.x, at.y);
    float warp;
    float weft;
    {
        uint z = reverse8(at.x * 4u) ^ reverse8(at.y * 4u);
        warp = float(z) / 63.0;
    }
    {
        uint z = at.x * at.y;
        z ^= z >> 5u;
        weft = float(ones(z)) / 12.0;
    }
    vec3 c = mix(vec3(0.08, 0.12, 0.28), vec3(0.93, 0.80, 0.52), warp);
    if (parity(gray & 0x38u) == 1u) {
        c = mix(c, vec3(0.72, 0.22, 0.26), 0.75);
    } else if (parity(z) == 1u) {
        c *= 0.80;
    }
    c *= 0.7 + 0.5 * weft;
    color = vec4(c, 1.0);
}
