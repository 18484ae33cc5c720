// ERROR: E0404 4:1
// REFUSED BY: ANGLE
precision mediump float;
invariant varying;
void main() { gl_FragColor = vec4(1.0); }
