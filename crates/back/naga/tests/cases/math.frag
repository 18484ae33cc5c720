#version 310 es
precision highp float;
precision highp int;
out vec4 colour;

float spread(vec4 v) { return dot(v, vec4(1.0, 0.5, 0.25, 0.125)); }

void main() {
    vec2 p = gl_FragCoord.xy;
    float x = p.x / 4.0 - 2.0;
    float y = p.y / 4.0 - 1.9;
    int n = int(p.x) * 77 - 300;
    uint u = uint(p.y) * 7919u + uint(p.x);
    float zero = p.x - p.x;
    float r = mod(x, 1.5) + mod(-x, y) + atan(y, x) + atan(y) + sinh(x) + cosh(y) + tanh(x);
    r += asinh(x) + acosh(1.0 + abs(y)) + atanh(x * 0.4) + roundEven(x * 2.0) + trunc(y) + fract(x) + sign(y);
    r += float(isnan(zero / zero)) + 2.0 * float(isinf(1.0 / zero)) + 4.0 * float(isnan(x)) + 8.0 * float(isinf(y));
    r += smoothstep(1.0, -1.0, x) + smoothstep(-1.0, 1.0, y) + step(x, y) + clamp(x, -1.0, y + 3.0);
    r += length(x) + distance(x, y) + dot(x, y) + normalize(y) + reflect(x, 1.0) + faceforward(x, y, 1.0) + refract(0.5, 0.9, 0.8);
    vec3 i = normalize(vec3(x, y, 1.0));
    vec3 k = normalize(vec3(1.0, x, y + 0.1));
    float s = spread(vec4(reflect(i, k), 1.0)) + spread(vec4(refract(i, k, 0.7), 1.0)) + spread(vec4(faceforward(i, k, i), 0.0));
    float whole;
    s += modf(x * 3.3, whole) + whole;
    int exponent;
    s += frexp(y * 10.0, exponent) + float(exponent);
    s += ldexp(y, 3);
    uint carry, borrow, high, low;
    uint sum = uaddCarry(u * 600000u, 0xf0000000u, carry);
    uint difference = usubBorrow(u, 9000u, borrow);
    umulExtended(u * 70000u, 99999u + u, high, low);
    int shigh, slow;
    imulExtended(n * 100, 456, shigh, slow);
    float t = float(sum >> 16) + float(carry) + float(difference & 255u) + float(borrow) + float(high) + float(low >> 20);
    t += float(shigh & 0) + float(slow >> 4);
    t += float(bitfieldExtract(n, 2, 5)) + float(bitfieldExtract(u, 1, 4)) + float(bitfieldInsert(n, 21, 3, 4) & 1023);
    t += float(bitCount(u)) + float(findLSB(u)) + float(findMSB(n)) + float(findMSB(u)) + float(bitfieldReverse(u) >> 24);
    t += float(n >> 2) + float((u << 3) & 255u) + float(n / 7) + float(n % 7) + float(u / 5u) + float(~n & 63);
    uint mixture = packUnorm4x8(vec4(x, y, 0.3, 0.9)) ^ packSnorm2x16(vec2(x, y)) ^ packHalf2x16(vec2(x, y));
    t += float(mixture & 4095u) + spread(unpackUnorm4x8(u * 50000u)) + unpackSnorm2x16(u * 3333u).y + unpackHalf2x16(0x3c004200u).x;
    bvec3 q = lessThan(i, k);
    bvec3 w = not(q);
    t += float(any(q)) + 2.0 * float(all(w)) + 4.0 * float(q == w) + 8.0 * float(any(equal(q, bvec3(true))));
    t += float(int(x * 3.7)) + float(uint(y + 9.5)) + float(bool(int(x))) + (floatBitsToInt(x) > 0 ? 1.0 : 2.0);
    vec3 mixed = mix(i, k, q) + mix(i, k, 0.25) + mix(i, k, vec3(0.1, 0.2, 0.3));
    colour = vec4(r, s + spread(vec4(mixed, 0.0)), t, exp2(x) + log2(y + 3.0) + pow(abs(x), 1.5) + inversesqrt(y + 4.0) + degrees(x) + radians(y));
}
