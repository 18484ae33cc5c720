// ERROR: E0505 3:15
precision mediump float;
uniform float a[65];
void main() { gl_FragColor = vec4(a[64]); }
