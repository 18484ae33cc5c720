#version 450
layout(local_size_x = 8, local_size_x_id = 3) in;
layout(local_size_x = 8) in;
layout(constant_id = 4) const uint COUNT = 2u;
layout(std430, binding = 0) buffer B { uvec3 size; uint all; } b;
void main() {
  b.size = gl_WorkGroupSize;
  for (uint i = 0u; i < gl_WorkGroupSize.x * COUNT; ++i) b.all += i;
}
