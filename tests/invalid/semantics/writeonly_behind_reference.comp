#version 450
// ERROR: E0308 11:16
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) writeonly buffer Out {
    int v;
};
layout(push_constant) uniform Push { Out o; } push;
void main() {
    push.o.v = push.o.v + 1;
}
