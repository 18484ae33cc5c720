// ERROR: E0304 4:26
// REFUSED BY: ANGLE
precision mediump float;
float f(float x) { float x = 1.0; return x; }
void main() { gl_FragColor = vec4(1.0); }
