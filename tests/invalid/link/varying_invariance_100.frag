// ERROR: E1001 4:14
// REFUSED BY: ANGLE
precision mediump float;
varying vec2 v;
void main() { gl_FragColor = v.xyxy; }
