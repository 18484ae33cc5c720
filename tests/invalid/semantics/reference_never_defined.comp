#version 450
// ERROR: E0307 9:12
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) buffer Node;
layout(push_constant) uniform Push { Node n; } push;
void main() {
    push.n.v = 1;
}
