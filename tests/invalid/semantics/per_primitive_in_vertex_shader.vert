#version 450
// ERROR: E0401 5:22
// REFUSED BY: glslangValidator
#extension GL_EXT_mesh_shader : require
layout(location = 0) perprimitiveEXT out vec4 a;
void main() { a = vec4(1); gl_Position = a; }
