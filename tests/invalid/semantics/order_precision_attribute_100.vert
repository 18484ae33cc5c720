// ERROR: E0401 3:9
// REFUSED BY: glslangValidator, ANGLE
mediump attribute vec4 a;
void main() { gl_Position = vec4(1.0); }
