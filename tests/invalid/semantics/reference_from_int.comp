#version 450
// ERROR: E0305 11:19
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
void main() {
    Node n = Node(16);
    n.v = 1;
}
