// ERROR: E0309 5:11
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
varying float v;
float g = v;
void main() { gl_FragColor = vec4(1.0); }
