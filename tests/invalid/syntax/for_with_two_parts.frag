// ERROR: E0201 5:26
precision mediump float;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 4) {
        sum += 0.25;
    }
    gl_FragColor = vec4(sum);
}
