// ERROR: E0505 3:26
precision mediump float;
uniform mat4 a, b, c, d, e;
void main() { gl_FragColor = a[0] + b[0] + c[0] + d[0] + e[0]; }
