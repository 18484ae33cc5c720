#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#ifdef RAYS
#extension GL_EXT_ray_query : require
layout(set = 0, binding = 6) uniform accelerationStructureEXT scene;
#endif
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Flags { uint state[]; };
layout(set = 0, binding = 1) workgroupcoherent buffer Sums { uint sum[]; };
layout(set = 0, binding = 2) volatile buffer Clock { uint ticks, hours; };
layout(set = 0, binding = 3, r32ui) uniform queuefamilycoherent uimage2D seen;
layout(set = 0, binding = 4, r32ui) uniform uimage2D marks;
layout(set = 0, binding = 5) buffer Result { uint result[]; };
shared uint carry;
// Each group adds the sum that the group before it hands over.
void main() {
  uint group = gl_WorkGroupID.x;
  if (gl_LocalInvocationIndex == 0u) {
    uint before = 0u;
    if (group > 0u) {
      while (atomicLoad(state[group - 1u], gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 0u) {
      }
      before = sum[group - 1u];
    }
    sum[group] = before + group;
    atomicStore(state[group], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    atomicStore(carry, before, gl_ScopeWorkgroup, 0, 0);
    imageAtomicStore(marks, ivec2(group, 0), 7u, gl_ScopeQueueFamily, 0, 0);
    uint old = imageLoad(seen, ivec2(group, 0)).x;
    imageStore(seen, ivec2(group, 1), uvec4(old + imageAtomicLoad(marks, ivec2(group, 1), gl_ScopeQueueFamily, 0, 0)));
  }
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  uint first = atomicLoad(ticks, gl_ScopeQueueFamily, 0, 0);
  uint second = atomicLoad(ticks, gl_ScopeQueueFamily, 0, 0);
#ifdef RAYS
  rayQueryEXT query;
  rayQueryInitializeEXT(query, scene, 0u, 0xffu, vec3(0.0), 0.0, vec3(0.0, 0.0, 1.0), 1.0);
  if (rayQueryProceedEXT(query)) second += 1u;
#endif
  hours = 1u;
  hours = second;
  result[gl_GlobalInvocationID.x] = carry + second - first;
}
