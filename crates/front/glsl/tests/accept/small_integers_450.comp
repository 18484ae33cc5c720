#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8) in;
const int16_t FEW = 3s;
const uint16_t MANY = 0xffffUS;
const int8_t TABLE[3] = int8_t[](int8_t(1), int8_t(-2.5), int8_t(true));
layout(constant_id = 4) const int16_t CHOSEN = 5s;
struct Cell { int8_t depth; u16vec3 color; i8vec2 turn[2]; };
layout(std430, binding = 0) buffer B { u8vec4 color; Cell cell; int16_t values[]; } b;
layout(std140, binding = 1) uniform U { i16vec4 turn; uint8_t bytes[3]; };
shared i16vec2 tile[8];
int8_t pick(int8_t x) { return x; }
int16_t pick(int16_t x) { return x; }
i8vec3 bend(in i8vec3 x, inout uint8_t rest, out u16vec2 m) {
  rest += uint8_t(x.z);
  rest++;
  m = u16vec2(rest, MANY);
  return x << rest;
}
void main() {
  uint i = gl_LocalInvocationIndex;
  int16_t x = int16_t(i) + FEW * CHOSEN;
  tile[i] = i16vec2(x, b.values[i]);
  barrier();
  int wide = x;
  uint wider = b.color.x;
  int64_t widest = x;
  float single = x;
  double twice = b.color.y;
  float16_t small = x;
  uint8_t unsign = pick(b.cell.depth);
  u16vec2 two;
  i8vec3 three = bend(i8vec3(b.color.rgb), unsign, two);
  wide += pick(x) + pick(TABLE[b.cell.depth]) + tile[unsign & uint8_t(7)].x;
  x = min(abs(x), -5s) / max(x, 2s) % sign(x) - clamp(x, -3s, 3s);
  x = mix(x, 7s, x < wide) ^ ~x & x | x >> 2 << 1s;
  bvec3 less = lessThan(three, three.zyx);
  if (any(less) || x == wide || unsign > int8_t(3)) x = bitCount(x) + findLSB(two.x) + findMSB(x);
  b.color = unpack8(pack32(b.color) ^ pack32(two)) + u8vec4(1);
  i16vec4 four = unpack16(pack64(turn)) * x;
  two = u16vec2(pack16(b.color.xy), pack16(three.xy)) + uint16_t(bitfieldExtract(x, 1, 2));
  float16_t narrow = int16BitsToFloat16(x) + uint16BitsToFloat16(two.y);
  b.cell.turn[1]--;
  b.cell.color = u16vec3(vec3(four.xyz) * single) + float16BitsToUint16(narrow) + u16vec3(unpackUint2x16(packUint2x16(two)), bytes[2]);
  b.values[i] = x + int16_t(wide) + int16_t(widest) - int16_t(twice) * int16_t(small) + int16_t(wider);
}
