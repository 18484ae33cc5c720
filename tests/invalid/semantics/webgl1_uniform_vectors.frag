// ERROR: E0505 3:14
precision mediump float;
uniform vec4 u[17];
void main() { gl_FragColor = u[16]; }
