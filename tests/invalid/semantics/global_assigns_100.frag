// ERROR: E0309 5:12
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float a;
float g = (a = 1.0);
void main() { gl_FragColor = vec4(1.0); }
