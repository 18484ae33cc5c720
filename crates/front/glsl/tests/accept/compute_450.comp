#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0, rgba8) uniform writeonly image2D dst;
layout(binding = 1, r32ui) uniform coherent uimage2D counterImg;
layout(binding = 2, std430) buffer Data { uint total; float values[]; };
layout(binding = 3) uniform atomic_uint ac;
shared float tile[8 * 4];
shared uint hits;
void main() {
  uint i = gl_LocalInvocationIndex;
  if (i == 0u) hits = 0u;
  tile[i] = values[gl_GlobalInvocationID.x];
  barrier();
  memoryBarrierShared();
  float s = 0.0;
  for (uint k = 0u; k < gl_WorkGroupSize.x * gl_WorkGroupSize.y; ++k) s += tile[k];
  atomicAdd(hits, 1u);
  uint old = atomicAdd(total, uint(s));
  imageStore(dst, ivec2(gl_GlobalInvocationID.xy), vec4(s));
  imageAtomicAdd(counterImg, ivec2(0), old);
  uvec4 t = imageLoad(counterImg, ivec2(gl_WorkGroupID.xy));
  uint c = atomicCounterIncrement(ac);
  values[gl_GlobalInvocationID.x] = s + float(t.x) + float(c);
}
