#version 450
// ERROR: E0303 10:5
// ERROR: E0303 11:5
// ERROR: E0303 12:5
// ERROR: E0303 13:5
// ERROR: E0303 14:5
// REFUSED BY: glslangValidator
#extension GL_KHR_memory_scope_semantics : require
shared uint a; void main() {
    atomicStore(a, 1u, gl_ScopeDevice, gl_StorageSemanticsShared, gl_SemanticsAcquire);
    atomicLoad(a, gl_ScopeDevice, gl_StorageSemanticsShared, gl_SemanticsRelease);
    atomicAdd(a, 1u, gl_ScopeDevice, gl_StorageSemanticsShared, gl_SemanticsRelease | gl_SemanticsAcquire);
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsShared, 0);
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsShared, gl_SemanticsRelease | gl_SemanticsMakeVisible);
}
