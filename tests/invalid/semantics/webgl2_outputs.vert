#version 300 es
// ERROR: E0505 3:10
out vec4 v[17];
void main() { gl_Position = vec4(1.0); v[16] = vec4(1.0); }
