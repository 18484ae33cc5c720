#version 300 es
// ERROR: E0505 3:14
uniform mat4 bones[65];
void main() { gl_Position = bones[64][0]; }
