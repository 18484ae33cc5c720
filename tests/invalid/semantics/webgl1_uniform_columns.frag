// ERROR: E0505 4:14
precision mediump float;
uniform vec3 a[16];
uniform vec2 b;
void main() { gl_FragColor = a[1].xyzx + b.xyxy; }
