// ERROR: E1001 4:11
// REFUSED BY: ANGLE
precision mediump float;
invariant gl_FragCoord;
void main() { gl_FragColor = gl_FragCoord; }
