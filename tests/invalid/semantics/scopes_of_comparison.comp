#version 450
// ERROR: E0303 6:17
// REFUSED BY: glslangValidator
#extension GL_KHR_memory_scope_semantics : require
shared uint a; void main() {
    uint read = atomicCompSwap(a, 1u, 2u, gl_ScopeDevice, gl_StorageSemanticsShared, gl_SemanticsAcquire, gl_StorageSemanticsShared, gl_SemanticsRelease);
}
