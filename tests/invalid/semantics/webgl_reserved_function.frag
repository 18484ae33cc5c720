// ERROR: E0412 4:7
// REFUSED BY: ANGLE
precision mediump float;
float _webgl_f() { return 1.0; }
void main() { gl_FragColor = vec4(1.0); }
