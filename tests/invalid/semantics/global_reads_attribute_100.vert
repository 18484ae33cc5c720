// ERROR: E0309 4:11
// REFUSED BY: glslangValidator, ANGLE
attribute float a;
float g = a;
void main() { gl_Position = vec4(1.0); }
