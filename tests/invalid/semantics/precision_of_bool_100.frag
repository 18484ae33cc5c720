// ERROR: E0401 4:20
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform highp bool u;
void main() { gl_FragColor = vec4(1.0); }
