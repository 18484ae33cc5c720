// ERROR: E0401 5:25
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
varying vec2 v;
void main() { invariant v; gl_FragColor = v.xyxy; }
