// ERROR: E0401 4:12
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float f(in const float x) { return x; }
void main() { gl_FragColor = vec4(1.0); }
