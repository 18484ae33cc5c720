// ERROR: E0201 3:20
precision mediump float;
float blend(float a; float b) {
    return a + b;
}
void main() {
    gl_FragColor = vec4(blend(0.1, 0.2));
}
