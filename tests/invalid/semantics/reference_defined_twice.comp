#version 450
// ERROR: E0304 10:33
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
void main() {}
