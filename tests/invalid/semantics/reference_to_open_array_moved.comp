#version 450
// ERROR: E0302 12:14
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference2 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(buffer_reference) buffer Open {
    int n;
    float f[];
};
layout(push_constant) uniform Push { Open o; } push;
void main() {
    Open o = push.o + 1;
    o.n = 1;
}
