// ERROR: E0201 3:13
precision mediump float;
float scale float a, float b) {
    return a * b;
}
void main() {
    gl_FragColor = vec4(scale(1.0, 2.0));
}
