#version 450
// ERROR: E0301 8:5
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) buffer Node {
    int v;
    Node next;
};
void main() {}
