// ERROR: E0102 4:25
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0f);
}
