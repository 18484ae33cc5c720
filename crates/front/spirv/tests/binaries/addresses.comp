#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 8) in;
layout(buffer_reference) buffer Node;
struct Item { vec3 p; float w; mat3 m; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; vec4 v; mat2x3 t; layout(row_major) mat3x2 r; Item items[4]; uint count; };
layout(push_constant) uniform P { Node head; uint n; } pc;
layout(set=0,binding=0) buffer O { vec4 o[]; };
void main() {
  Node n = pc.head;
  vec4 s = vec4(0);
  uint i = gl_GlobalInvocationID.x;
  for (uint k = 0; k < pc.n; k++) {
    s += n.v + vec4(n.t[1], n.r[2].y) + vec4(n.items[k & 3].p, n.items[i & 3].m[2][1]);
    Item it = n.items[1];
    n.items[2] = it;
    n.r[1] = s.xy;
    atomicAdd(n.count, 1u);
    if (uint64_t(n.next) == uint64_t(n)) break;
    n = n.next;
  }
  o[i] = s;
}
