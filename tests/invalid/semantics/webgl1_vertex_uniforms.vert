// ERROR: E0505 2:14
uniform mat4 bones[33];
void main() { gl_Position = bones[32][0]; }
