// ERROR: E0401 4:9
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float f(lowp bool b) { return 1.0; }
void main() { gl_FragColor = vec4(1.0); }
