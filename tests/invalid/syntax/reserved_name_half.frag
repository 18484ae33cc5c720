// ERROR: E0203 4:11
precision mediump float;
void main() {
    float half = 0.5;
    gl_FragColor = vec4(half);
}
