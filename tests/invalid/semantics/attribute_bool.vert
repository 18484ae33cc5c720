// ERROR: E0407 3:16
// REFUSED BY: glslangValidator, ANGLE
attribute bool a;
void main() { gl_Position = vec4(1.0); }
