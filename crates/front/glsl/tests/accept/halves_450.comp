#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8) in;
const float16_t HALF = 0.5hf;
const float16_t TABLE[3] = float16_t[](1.0HF, 2.0hf, float16_t(3));
const int FROM = int(2.0hf);
struct Cell { float16_t depth; f16vec3 normal; f16mat2x3 frame; };
layout(std430, binding = 0) buffer B { f16vec4 color; float16_t values[]; } b;
layout(std140, binding = 1) uniform U { f16mat4 turn; Cell cell; };
shared f16vec2 tile[8];
float16_t area(f16vec2 size) { return size.x * size.y; }
float area(vec2 size) { return size.x; }
f16vec3 bend(in f16vec3 x, inout float16_t rest, out f16mat3 m) {
  rest += x.z;
  rest++;
  m = f16mat3(rest);
  return normalize(x) * m;
}
void main() {
  uint i = gl_LocalInvocationIndex;
  float16_t x = float16_t(i) + HALF;
  f16vec2 p = f16vec2(x, b.values[i]);
  tile[i] = p;
  barrier();
  float wide = x;
  double wider = p.y;
  f16mat3 m;
  vec3 three = bend(f16vec3(p, TABLE[FROM]), x, m);
  wide += area(p) + area(vec2(tile[7u - i]));
  x = min(abs(x), float16_t(wider)) - -p.x / mix(x, p.y, 0.25hf);
  x = clamp(x, 0.0hf, 1.0hf) + dot(p, p) + fma(x, x, x) + inversesqrt(x) + pow(x, 2.0hf);
  if (x < wide && isnan(p).x || cell.depth >= x) x = float16_t(three.x);
  m[1].xy *= x;
  m = transpose(m) * m + outerProduct(cell.normal, cell.normal);
  uint word = packFloat2x16(p);
  p = unpackFloat2x16(word ^ 1u);
  int e;
  x = frexp(ldexp(x, 2), e) * float16_t(e);
  b.values[i] = x + p.x + determinant(m) + float16_t(wide) + (turn * b.color).x;
  b.color = f16vec4(vec4(p, 1.0, 2.0).zwxy);
}
