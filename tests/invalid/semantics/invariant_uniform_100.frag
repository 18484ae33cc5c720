// ERROR: E0401 5:11
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform float u;
invariant u;
void main() { gl_FragColor = vec4(1.0); }
