// ERROR: E0201 4:20
precision mediump float;
void main() {
    float a = 1.0, float b = 2.0;
    gl_FragColor = vec4(a, b, a, b);
}
