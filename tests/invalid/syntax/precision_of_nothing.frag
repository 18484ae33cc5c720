// ERROR: E0201 2:18
precision mediump;
void main() {
    gl_FragColor = vec4(1.0);
}
