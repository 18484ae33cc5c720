#version 450
// Blocks of an array by a computed index: read, written, updated, measured, and passed on.
layout(local_size_x = 2) in;
struct Light { vec4 color; mat2 turn; };
layout(std140, binding = 0) uniform U { vec4 base; Light lights[2]; } u[3];
layout(std430, binding = 4) buffer B { uint n; vec3 v; float a[]; } b[2];
layout(std430, binding = 8) buffer C { uint hits; } c[2][2];
void twice(inout float x) { x *= 2.0; }
void main() {
    uint i = gl_WorkGroupID.x;
    int j = int(gl_LocalInvocationID.x);
    Light light = u[i].lights[j];
    b[i].v = u[j].base.xyz * light.turn[j].x;
    b[i].v.y = light.color.w;
    b[j].a[i] += u[i].lights[i].turn[1][j];
    twice(b[i].a[3]);
    uint before = atomicAdd(b[i].n, uint(b[j].a.length()));
    atomicCompSwap(c[i][j].hits, before, 7u);
    c[1][i].hits++;
}
