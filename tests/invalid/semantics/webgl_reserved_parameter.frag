// ERROR: E0412 4:15
// REFUSED BY: ANGLE
precision mediump float;
float f(float webgl_x) { return webgl_x; }
void main() { gl_FragColor = vec4(1.0); }
