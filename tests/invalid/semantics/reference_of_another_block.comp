#version 450
// ERROR: E0302 16:15
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
layout(buffer_reference) buffer Other { vec4 x; };
layout(push_constant) uniform Push {
    Node n;
    uint64_t a;
} push;
void main() {
    Other o = push.n;
    o.x = vec4(1);
}
