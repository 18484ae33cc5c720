// ERROR: E0309 5:11
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float f() { return 1.0; }
float g = f();
void main() { gl_FragColor = vec4(1.0); }
