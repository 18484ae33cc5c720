#version 450
// ERROR: E0303 7:5
// ERROR: E0303 8:5
#extension GL_KHR_memory_scope_semantics : require
layout(binding = 0) buffer B { uint a; };
void main() {
    atomicAdd(a, 1u, gl_ScopeWorkgroup, 0, 0);
    controlBarrier(gl_ScopeDevice, gl_ScopeDevice, 0, 0);
}
