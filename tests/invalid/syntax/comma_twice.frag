// ERROR: E0201 4:30
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0, , 0.5, 1.0);
}
