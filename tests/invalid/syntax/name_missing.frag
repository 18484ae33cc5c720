// ERROR: E0201 4:11
precision mediump float;
void main() {
    float = 1.0;
    gl_FragColor = vec4(1.0);
}
