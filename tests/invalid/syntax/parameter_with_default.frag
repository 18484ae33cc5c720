// ERROR: E0201 3:26
precision mediump float;
float f(float a, float b = 1.0) {
    return a * b;
}
void main() {
    gl_FragColor = vec4(f(1.0, 2.0));
}
