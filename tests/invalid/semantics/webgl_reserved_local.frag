// ERROR: E0412 4:21
// REFUSED BY: ANGLE
precision mediump float;
void main() { float webgl_x = 1.0; gl_FragColor = vec4(webgl_x); }
