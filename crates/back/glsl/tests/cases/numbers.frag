#version 300 es
// write: es 300, desktop 330, es 300 minify
precision highp float;
uniform float x;
uniform int i;
out vec4 color;
void main() {
    float a = x * 1e20 + 1e-10 - 0.1 + 16777216.0 * -x;
    float b = x + -2.0 + x - -3.5 - (x - 1.0) - (x + 1.0);
    int n = i + (-2147483647 - 1) + ~i - -i;
    uint u = uint(i) * 4294967295u + 0x80000000u >> 3u;
    vec3 v = vec3(1.0, 2.0, 3.0) * x + vec3(0.5) / vec3(x) - vec3(x);
    mat3 m = mat3(2.0) * x;
    mat2 r = mat2(1.0, 0.0, 0.5, 1.0);
    m[1] = v; m[2].yz = r * v.xy; m[i] += v;
    bool even = (n & 1) == 0 ^^ (u | 4u) > 7u;
    color = vec4(a, b, float(n << 2) + float(u), even) + vec4(m * v, -v.x) + intBitsToFloat(n) + float(n % 3);
}
