// ERROR: E0408 6:39
// REFUSED BY: glslangValidator
#version 150
layout(points) in;
layout(points, max_vertices = 1) out;
in gl_PerVertex { vec4 gl_Position; } gl_in;
void main() { gl_Position = vec4(0.0); EmitVertex(); }
