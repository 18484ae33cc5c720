#version 310 es
precision highp float;
precision highp int;
out vec4 color;

struct Light { vec3 direction; float power; };

float helper(float x, out float rest) { rest = fract(x); if (x < 0.0) return -floor(x); return floor(x); }

float f_arithmetic(float a, float b, float c) { return (a + b) * c - a / b + mod(a, c) - min(a, b) * max(b, c); }
vec3 f_componentwise(vec3 a, vec3 b, float s) { return clamp(abs(a) * s + sign(b), vec3(-2.0), vec3(s)) - step(a, b) * fract(a); }
vec4 f_mixes(vec4 a, vec4 b, float t) { return mix(a, b, t) + smoothstep(a, b, vec4(t)) - mix(a, b, bvec4(t > 0.0, a.x > b.x, false, true)); }
float f_select(float a, float b) { if (a > b) { return a * 2.0; } else if (a == b) { return 1.0; } return b - a; }
vec2 f_swizzles(vec4 v, float s) { vec4 w = v.wzyx; w.xz = v.xy * s; w.y += w.w; return w.yx + w.zz; }
vec3 f_matrix(mat3 m, vec3 v, mat3 n) { return (m * n) * v + v * m + m[1]; }
mat2 f_columns(mat2 m, float a) { mat2 r = m; r[0] = r[1] * a; r[1].x = determinant(m); return r + transpose(m) * a; }
vec3 f_inverse(mat3 m, vec3 v) { return inverse(m) * v; }
mat2x3 f_outer(vec3 a, vec2 b) { return outerProduct(a, b) + mat2x3(1.0) * a.x; }
int f_integers(int a, int b, int c) { return (a * b + c) / (b | 1) - (a % 7) + (a << (c & 7)) - (b >> 3) ^ ~c; }
uint f_unsigned(uint a, uint b) { return (a * b) + (a / (b | 1u)) - (a >> (b & 31u)) + (a % (b | 2u)) ^ (a & b); }
ivec3 f_conversions(vec3 a, uvec3 u, bvec3 b) { return ivec3(a * 10.0) + ivec3(u) - ivec3(b) + ivec3(vec3(u) * 0.5); }
int f_bits(int a, uint b) { return bitCount(a) + findLSB(a) * findMSB(b) + bitfieldExtract(a, 3, 7) + bitfieldInsert(a, a, 9, 5) + int(bitfieldReverse(b)); }
float f_geometry(vec3 a, vec3 b) { return dot(a, b) + length(a) * distance(a, b) + dot(cross(a, b), normalize(a + 5.0)); }
vec3 f_optics(vec3 i, vec3 n, float eta) { return reflect(i, n) + refract(i, n, eta) + faceforward(n, i, n); }
float f_functions(float x, float y) { return sin(x) + cos(y) * tan(x * 0.5) + exp(-abs(x)) + log(abs(y) + 1.0) + pow(abs(x), y) + atan(x, y) + sqrt(abs(x)) + inversesqrt(abs(y) + 0.1); }
float f_loop(float x, int n) { float s = 0.0; for (int i = 0; i < 6; i++) { if (i == n) break; if (x * float(i) > 5.0) continue; s += x * float(i); } return s; }
float f_early(vec2 p) { float d = 1.0; for (int i = 0; i < 4; i++) { d += dot(p, p); if (d > 9.0) return d; p = p.yx * 1.3 - 0.2; } return -d; }
float f_calls(float x, float y) { float r; float q = helper(x, r) + r; if (y > 0.0) q += helper(y, r); return q * r; }
float f_struct(vec3 d, float p) { Light l = Light(d, p); if (l.power > 1.0) l.direction.y = l.power; Light k = l; k.power -= l.direction.x; return dot(k.direction, l.direction) * k.power; }
float f_array(float x, int i) { float w[4] = float[4](0.1, 0.2, 0.3, 0.4); w[2] = x; w[i & 3] += 1.0; return w[0] + w[3] * w[(i + 1) & 3]; }
bool f_logic(bvec3 a, bool b, float x) { return (any(a) && b) || (all(not(a)) ^^ (x < 0.5)) || isnan(x) || isinf(x); }
vec4 f_packing(vec4 v) { return unpackUnorm4x8(packUnorm4x8(v)) + unpackSnorm4x8(packSnorm4x8(v)) + vec4(unpackHalf2x16(packHalf2x16(v.xy)), unpackSnorm2x16(packSnorm2x16(v.zw))); }
uvec2 f_carry(uint a, uint b) { uint c; uint s = uaddCarry(a, b, c); uint d; uint t = usubBorrow(a, b, d); return uvec2(s + d, t ^ c); }
vec2 f_split(float x) { float w; float f = modf(x, w); int e; float m = frexp(x, e); return vec2(f + float(e), m * w) + ldexp(m, e); }
float f_switch(int k, float x) { switch (k) { case 0: return x; case 1: x += 1.0; case 2: x *= 2.0; break; default: x = -x; } return x + 0.5; }
vec3 f_rounding(vec3 v) { return floor(v) + ceil(v) * 3.0 - trunc(v) + round(v) * roundEven(v) + radians(v) - degrees(v); }
float f_reinterpret(float x, int i) { return intBitsToFloat(i) + float(floatBitsToInt(x) >> 8) + uintBitsToFloat(floatBitsToUint(x)); }

void main() { color = vec4(f_arithmetic(1.0, 2.0, 3.0)); }
