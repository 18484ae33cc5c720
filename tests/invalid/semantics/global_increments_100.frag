// ERROR: E0309 5:11
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float a = 1.0;
float g = a++;
void main() { gl_FragColor = vec4(1.0); }
