// ERROR: E0101 4:4
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
