#version 450
// ERROR: E0303 5:5
#extension GL_KHR_memory_scope_semantics : require
shared uint a; void main() {
    atomicAdd(a, 1u, 9, 0, 0);
}
