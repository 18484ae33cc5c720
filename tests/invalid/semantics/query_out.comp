#version 460
// ERROR: E0405 5:8
// REFUSED BY: glslangValidator
#extension GL_EXT_ray_query : require
void f(out rayQueryEXT q) { rayQueryTerminateEXT(q); }
void main() { rayQueryEXT q; f(q); }
