#version 460
// ERROR: E0401 5:22
// ERROR: E0401 6:22
#extension GL_EXT_ray_tracing : require
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 b;
void main() { b = a; }
