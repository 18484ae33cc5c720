#version 450
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { int64_t a; uint64_t b; } b;
void main() {
    b.a = b.a * 5l + 0x7fffffffffffffffL - 017l;
    b.b = (b.b | 0xFFFFFFFFFFFFFFFFul) / 1234567890123UL;
}
