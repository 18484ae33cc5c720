#version 460
// ERROR: E0404 7:44
// ERROR: E0404 9:46
// REFUSED BY: glslangValidator
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec4 a;
layout(location = 0) rayPayloadEXT vec4    b;
layout(location = 0) callableDataEXT vec4 c;
layout(location = 0) callableDataEXT vec4    d;
void main() { a = b + c + d; }
