// ERROR: E0401 4:13
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
void f(lowp out float x) { x = 1.0; }
void main() { gl_FragColor = vec4(1.0); }
