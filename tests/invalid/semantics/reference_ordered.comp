#version 450
// ERROR: E0302 15:20
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
layout(push_constant) uniform Push {
    Node n;
    uint64_t a;
} push;
void main() {
    push.n.v = int(push.n < Node(push.a));
}
