// ERROR: E0412 4:8
// REFUSED BY: ANGLE
precision mediump float;
struct webgl_S { float x; };
void main() { gl_FragColor = vec4(1.0); }
