// ERROR: E0407 3:15
// REFUSED BY: glslangValidator, ANGLE
attribute int a;
void main() { gl_Position = vec4(1.0); }
