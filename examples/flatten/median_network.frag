#version 300 es
// Salt and pepper noise on the left, gone on the right: the median of nine by a sorting network.
// `inout` swaps on array elements.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

float grain(ivec2 at) {
    uint n = uint(at.x) * 0x9e3779b1u ^ uint(at.y) * 0x85ebca77u;
    n = (n ^ (n >> 13)) * 0xc2b2ae3du;
    return float((n ^ (n >> 16)) & 0xffffu) / 65536.0;
}

float picture(ivec2 at, float scale) {
    vec2 p = vec2(at) * scale;
    float rings = 0.5 + 0.5 * sin(20.0 * length(p - vec2(0.5, 0.45)));
    float shaded = mix(0.2, 0.9, rings) * (1.2 - length(p - 0.5));
    float g = grain(at);
    if (g < 0.06) return 0.0;
    if (g > 0.94) return 1.0;
    return shaded;
}

void order(inout float low, inout float high) {
    if (low > high) {
        float kept = low;
        low = high;
        high = kept;
    }
}

float median(float v[9]) {
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]);
    order(v[0], v[1]); order(v[3], v[4]); order(v[6], v[7]);
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]);
    order(v[0], v[3]); order(v[5], v[8]); order(v[4], v[7]);
    order(v[3], v[6]); order(v[1], v[4]); order(v[2], v[5]);
    order(v[4], v[7]); order(v[4], v[2]); order(v[6], v[4]);
    order(v[4], v[2]);
    return v[4];
}

void main() {
    float scale = 1.0 / 160.0;
    ivec2 at = ivec2(gl_FragCoord.xy / resolution.y * 160.0 + 0.3);
    float window[9];
    for (int i = 0; i < 9; ++i) {
        window[i] = picture(at + ivec2(i % 3 - 1, i / 3 - 1), scale);
    }
    float side = gl_FragCoord.x / resolution.x - 0.5;
    float grey = side < 0.0 ? window[4] : median(window);
    vec3 c = mix(vec3(0.09, 0.07, 0.16), vec3(1.0, 0.93, 0.78), grey);
    if (abs(side) < 0.004) c = vec3(0.85, 0.25, 0.15);
    color = vec4(c, 1.0);
}
