// ERROR: E0102 4:11
precision mediump float;
void main() {
    float 2nd = 1.0;
    gl_FragColor = vec4(0.0);
}
