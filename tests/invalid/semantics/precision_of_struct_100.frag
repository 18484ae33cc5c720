// ERROR: E0401 5:19
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
struct S { float x; };
uniform mediump S u;
void main() { gl_FragColor = vec4(1.0); }
