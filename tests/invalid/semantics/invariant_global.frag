// ERROR: E0401 5:11
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float g;
invariant g;
void main() { gl_FragColor = vec4(1.0); }
