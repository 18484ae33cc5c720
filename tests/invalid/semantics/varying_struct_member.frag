// ERROR: E0202 5:11
// ERROR: E0202 5:29
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
struct S { varying float x; };
void main() { gl_FragColor = vec4(1.0); }
