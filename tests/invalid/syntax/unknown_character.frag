// ERROR: E0101 4:30
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0) @ 2.0;
}
