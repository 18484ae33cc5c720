// ERROR: E0201 4:14
precision mediump float;
float f(float x) {
    return x 1.0;
}
void main() {
    gl_FragColor = vec4(f(1.0));
}
