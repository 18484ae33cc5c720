// ERROR: E0407 3:17
// REFUSED BY: glslangValidator, ANGLE
attribute float a[2];
void main() { gl_Position = vec4(1.0); }
