// ERROR: E0407 3:13
// REFUSED BY: glslangValidator, ANGLE
varying int v;
void main() { gl_Position = vec4(1.0); }
