#version 300 es
// ERROR: E0505 6:44
// REFUSED BY: ANGLE
precision mediump float;
out vec4 color;
void main() { float a[2]; float b[2]; a = (1.0, b); color = vec4(a[0]); }
