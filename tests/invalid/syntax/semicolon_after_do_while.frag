// ERROR: E0201 7:22
precision mediump float;
void main() {
    float a = 1.0;
    do {
        a *= 0.5;
    } while (a > 0.1)
    gl_FragColor = vec4(a);
}
