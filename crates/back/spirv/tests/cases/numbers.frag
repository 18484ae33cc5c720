#version 450
#extension GL_ARB_gpu_shader_int64 : enable
layout(location = 0) flat in dvec3 d;
layout(location = 2) flat in ivec4 i;
layout(location = 3) flat in uvec4 u;
layout(location = 4) in vec4 f;
layout(location = 0) out vec4 colour;
precise float exact(float a, float b) { precise float c = a * b + a; return c; }
void main() {
    dmat2x3 m = dmat2x3(d, d.zyx);
    double s = dot(d, d) + length(m * dvec2(f.xy)) + fma(d.x, d.y, d.z) + min(d.x, d.y) + mod(d.x, 3.0LF) + smoothstep(d.x, d.y, d.z);
    s += determinant(dmat2(m)) + inverse(dmat2(m))[1][0] + packDouble2x32(u.xy) + double(unpackDouble2x32(d.x).y) + sign(d.y) + floor(d.z);
    ivec4 q = (i / i.yxwz) + (i % 7) - (i << u) + (i >> (i & 63)) + ivec4(f) + ivec4(d, 1) + ivec4(isnan(f)) + ivec4(isinf(f));
    uvec4 w = (u / u.wzyx) % u + (u << 3) + uvec4(f * 1e20) + (u >> u) + uvec4(bitCount(i)) + bitfieldReverse(u);
    int e; float part; uint carry, borrow, high, low; int ih, il;
    q.x += findLSB(i.x) + findMSB(u.y) + findMSB(i.y) + bitfieldExtract(i.x, i.y, i.z) + bitfieldInsert(i.x, i.y, 3, 50);
    w.x += uaddCarry(u.x, u.y, carry) + usubBorrow(u.x, u.y, borrow) + carry + borrow;
    umulExtended(u.x, u.y, high, low); imulExtended(i.x, i.y, ih, il);
    float r = frexp(f.x, e) + modf(f.y, part) + ldexp(f.z, e) + part + roundEven(f.x) + round(f.y) + trunc(f.z) + exact(f.x, f.y);
    r += clamp(f.x, f.y, f.z) + float(clamp(i.x, i.y, i.z)) + mix(f.x, f.y, f.z) + (f.x < f.y ? f.z : f.w) + atan(f.x, f.y) + pow(abs(f.x), f.y);
    mat3 a = mat3(f.xyz, f.yzx, f.zxy);
    mat4x2 o = outerProduct(f.xy, f) + mat4x2(a) - mat4x2(f.x);
    a = matrixCompMult(a, a) / a + transpose(a) * 2.0 - inverse(a); a++;
    bool same = a == mat3(1.0) || o != mat4x2(2.0);
    bvec4 b = equal(f, f.yxwz); b = not(b);
    colour = vec4(float(s), float(q.x + q.y + ih + il + int(same)), float(w.x + w.z + high + low), r) + (a * f.xyz).xyzx + (o * f).xyxy + mix(f, f.wzyx, b);
    colour.x += refract(f.x, f.y, f.z) + reflect(f.x, f.y) + faceforward(f.x, f.y, f.z) + normalize(f.x) + distance(f.x, f.y);
    colour.yz += unpackHalf2x16(packHalf2x16(f.xy)) + unpackSnorm2x16(packUnorm2x16(f.xy));
}
