// ERROR: E0401 3:1
precision mediump float;
attribute vec2 p;
void main() {
    gl_FragColor = p.xyxy;
}
