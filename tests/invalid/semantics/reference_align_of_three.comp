#version 450
// ERROR: E0404 6:26
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference, buffer_reference_align = 3) buffer Node {
    int v;
};
void main() {}
