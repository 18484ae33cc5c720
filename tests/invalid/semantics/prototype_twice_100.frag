// ERROR: E0304 5:7
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float f(float x);
float f(float x);
void main() { gl_FragColor = vec4(1.0); }
