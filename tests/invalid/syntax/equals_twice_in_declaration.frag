// ERROR: E0201 4:13
precision mediump float;
void main() {
    float a == 1.0;
    gl_FragColor = vec4(a);
}
