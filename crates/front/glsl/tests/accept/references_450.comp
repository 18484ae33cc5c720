#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
    int value;
    Node next;
    vec3 at;
    mat3 m;
    layout(row_major) mat2x3 r;
    bvec3 flags;
    f16vec2 halves[3];
    float rest[];
};
struct Pair { Node a; uint n; };
layout(buffer_reference, scalar) readonly buffer Table { vec3 rows[4]; Pair pair; };
layout(buffer_reference, std140) buffer Counter { uint count; uint values[4]; double d; };
layout(push_constant) uniform Push { Node head; Table table; uvec2 bits; uint64_t number; } push;
layout(set = 0, binding = 0) buffer Store { Node nodes[2]; Pair pairs[]; } store;
shared Node mutual;
Node last(Node n, inout Node out_n) {
    while (uint64_t(n) != 0ul) { out_n = n; n = n.next; }
    return out_n;
}
void set(out float f, inout vec3 v) { f = 2.5; v.yx += f; }
void main() {
    Node n = push.head;
    n.value += 2;
    n.value++;
    int old = n.value--;
    n.at.xz = vec2(old, 1.0);
    n.at[old & 1] = 3.0;
    n.m[1] = n.at;
    n.m = transpose(n.m);
    n.m[old & 1][2] = 4.0;
    n.r[1] = n.r[0] + n.at;
    n.r[old & 1].zx = n.r[0].xy;
    n.r = mat2x3(n.m);
    n.flags = bvec3(n.flags.x, true, n.flags.zy == bvec2(false));
    n.halves[old & 1] *= n.halves[2];
    n.rest[gl_GlobalInvocationID.x] = n.rest[gl_GlobalInvocationID.x + 1u] * 2.0;
    set(n.rest[3], n.at);
    n.rest[0] = modf(n.rest[1], n.rest[2]);
    Counter c = Counter(push.bits);
    c.values[atomicAdd(c.count, 1u) & 3u] = atomicCompSwap(c.values[1], 2u, 3u) + atomicMax(c.count, 7u);
    c[2].d = double(c[1].count);
    c += 2;
    c = 1 + c - 3u;
    Node m = Node(push.number);
    store.nodes[1] = last(m, n);
    Pair p = push.table.pair;
    p.a.value = int(p.n);
    store.pairs[old] = Pair(old > 3 ? n : p.a, uint(Counter(push.bits) - c));
    mutual = Node(c);
    Node[2] two = Node[2](n, m);
    two[1].value = int(uvec2(two[0]).y) + int(push.table.rows[old & 3].y) + int(uint64_t(mutual));
}
