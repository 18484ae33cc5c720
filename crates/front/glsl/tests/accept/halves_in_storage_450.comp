#version 450
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8) in;
struct Cell { float16_t depth; f16vec3 normal; };
layout(std430, binding = 0) buffer B { f16vec4 color; Cell cells[]; } b;
void main() {
  uint i = gl_LocalInvocationIndex;
  float depth = float(b.cells[i].depth) * 2.0;
  vec3 normal = vec3(b.cells[i].normal);
  b.cells[i].depth = float16_t(depth);
  b.cells[i].normal = f16vec3(normalize(normal));
  b.color = f16vec4(vec4(b.color) * 0.5);
}
