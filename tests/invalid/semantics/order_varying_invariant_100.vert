// ERROR: E0401 3:9
// REFUSED BY: glslangValidator, ANGLE
varying invariant vec4 v;
void main() { gl_Position = vec4(1.0); }
