#version 450
// ERROR: E0404 6:8
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) uniform Node {
    int v;
};
void main() {}
