#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8) in;
struct Cell { int8_t depth; u16vec3 color; };
layout(std430, binding = 0) buffer B { u8vec4 color; Cell cells[4]; int16_t values[]; } b;
layout(std140, binding = 1) uniform U { i8vec2 turn; uint16_t width; };
void main() {
  uint i = gl_LocalInvocationIndex;
  b.cells[i].depth = int8_t(int(b.cells[i].depth) * 2 + int(turn.y));
  b.color = u8vec4(uvec4(b.color) + uint(width));
  b.cells[i].color = u16vec3(uvec3(b.cells[0].color));
  b.values[i] = b.values[i + 1u];
}
