// ERROR: E0401 4:7
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
highp void f() { }
void main() { gl_FragColor = vec4(1.0); }
