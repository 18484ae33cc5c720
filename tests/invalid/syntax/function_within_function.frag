// ERROR: E0202 4:5
precision mediump float;
void main() {
    float half_of(float x) { return x * 0.5; }
    gl_FragColor = vec4(half_of(1.0));
}
