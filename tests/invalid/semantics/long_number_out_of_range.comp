#version 450
// ERROR: E0102 6:36
// REFUSED BY: glslangValidator
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 1) in;
void main() { uint64_t x = 0xful + 0x1ffffffffffffffffUL; }
