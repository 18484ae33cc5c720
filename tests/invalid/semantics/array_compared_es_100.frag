// ERROR: E0302 5:25
precision mediump float;
void main() {
    float a[2], b[2];
    gl_FragColor = vec4(a == b ? 1.0 : 0.0);
}
