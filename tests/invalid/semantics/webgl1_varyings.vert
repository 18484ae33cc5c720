// ERROR: E0505 2:14
varying vec4 v[9];
void main() { gl_Position = vec4(1.0); v[8] = vec4(1.0); }
