#version 450
// ERROR: E0308 6:22
// REFUSED BY: glslangValidator
#extension GL_KHR_memory_scope_semantics : require
layout(binding = 0, r32ui) readonly uniform uimage2D i; void main() {
    imageAtomicStore(i, ivec2(0), 1u, gl_ScopeDevice, 0, 0);
}
