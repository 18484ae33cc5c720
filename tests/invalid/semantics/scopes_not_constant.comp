#version 450
// ERROR: E0309 6:22
#extension GL_KHR_memory_scope_semantics : require
shared uint a; void main() {
    int scope = gl_ScopeDevice;
    atomicAdd(a, 1u, scope, 0, 0);
}
