// ERROR: E1001 4:15
// REFUSED BY: ANGLE
precision mediump float;
uniform float u;
void main() { gl_FragColor = vec4(u); }
