// ERROR: E0407 4:13
// REFUSED BY: glslangValidator, ANGLE
struct S { float x; };
attribute S a;
void main() { gl_Position = vec4(1.0); }
