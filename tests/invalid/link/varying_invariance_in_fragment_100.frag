// ERROR: E1001 4:24
// REFUSED BY: ANGLE
precision mediump float;
invariant varying vec2 v;
void main() { gl_FragColor = v.xyxy; }
