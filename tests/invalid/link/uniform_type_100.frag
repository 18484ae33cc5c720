// ERROR: E1001 4:14
// REFUSED BY: ANGLE
precision mediump float;
uniform vec3 u;
void main() { gl_FragColor = u.xyzx; }
