precision mediump float;
const float A = (1.0, 2.0);
void main() {
    float b[(1, 2)];
    b[0] = A;
    gl_FragColor = vec4(b[0]);
}
