#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 4) in;
layout(binding = 1) buffer B { float o[]; };
layout(binding = 2) buffer D { double d[]; };
layout(binding = 0, r32f) uniform image2D i;
shared float s;
void main() { float x = atomicAdd(o[0], 1.0) + atomicMin(o[1], 2.0) + atomicMax(s, 3.0) + atomicExchange(o[2], 4.0) + imageAtomicAdd(i, ivec2(0), 1.0) + imageAtomicMin(i, ivec2(0), 1.0) + imageAtomicExchange(i, ivec2(0), 1.0);
 d[0] = atomicAdd(d[1], 2.0lf) + atomicMin(d[1], 2.0lf) + atomicExchange(d[1], 2.0lf);
 o[4] = x; }
