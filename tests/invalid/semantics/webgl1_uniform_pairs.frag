// ERROR: E0505 3:14
precision mediump float;
uniform vec2 a[17], b[16];
void main() { gl_FragColor = a[1].xyxy + b[1].xyxy; }
