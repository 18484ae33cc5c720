#version 450
// ERROR: E0304 5:8
// REFUSED BY: glslangValidator
buffer B { float x; } a;
buffer B { float x; } b;
out vec4 color;
void main() { color = vec4(1.0); }
