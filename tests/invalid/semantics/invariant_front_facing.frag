// ERROR: E0401 4:11
// REFUSED BY: ANGLE
precision mediump float;
invariant gl_FrontFacing;
void main() { gl_FragColor = vec4(1.0); }
