// ERROR: E0401 4:11
// REFUSED BY: glslangValidator, ANGLE
attribute vec4 a;
invariant a;
void main() { gl_Position = vec4(1.0); }
