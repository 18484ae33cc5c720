#version 450
// ERROR: E0402 10:12
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
const Node START = Node(16ul);
void main() {
    START.v = 1;
}
