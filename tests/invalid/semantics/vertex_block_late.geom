// ERROR: E0408 7:4
// REFUSED BY: glslangValidator
#version 150
layout(points) in;
layout(points, max_vertices = 1) out;
vec4 first() { return gl_in[0].gl_Position; }
in gl_PerVertex { vec4 gl_Position; } gl_in[];
void main() { gl_Position = first(); EmitVertex(); }
