// ERROR: E0407 3:17
// REFUSED BY: glslangValidator, ANGLE
attribute bvec2 a;
void main() { gl_Position = vec4(1.0); }
