// ERROR: E0505 4:14
precision mediump float;
varying vec3 a[8];
varying vec2 b;
void main() { gl_FragColor = a[1].xyzx + b.xyxy; }
