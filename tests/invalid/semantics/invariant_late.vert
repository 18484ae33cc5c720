// ERROR: E0401 5:11
// REFUSED BY: glslangValidator
#version 120
void place() { gl_Position = gl_Vertex; }
invariant gl_Position;
void main() { place(); }
