// ERROR: E0201 4:28
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0.0);
}
