#version 450
// ERROR: E0407 5:46
// REFUSED BY: glslangValidator
#extension GL_EXT_mesh_shader : require
layout(location = 0) perprimitiveEXT in uint a;
layout(location = 0) out vec4 o;
void main() { o = vec4(a); }
