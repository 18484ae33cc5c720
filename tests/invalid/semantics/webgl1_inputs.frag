// ERROR: E0505 3:14
precision mediump float;
varying vec4 v[9];
void main() { gl_FragColor = v[8]; }
