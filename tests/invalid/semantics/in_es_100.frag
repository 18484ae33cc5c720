// ERROR: E0401 3:1
precision mediump float;
in vec2 p;
void main() {
    gl_FragColor = p.xyxy;
}
