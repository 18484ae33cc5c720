// ERROR: E0401 4:15
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float f(highp in float x) { return x; }
void main() { gl_FragColor = vec4(1.0); }
