// ERROR: E0308 5:5
precision mediump float;
void main() {
    float a[2], b[2];
    a = b;
    gl_FragColor = vec4(a[0]);
}
