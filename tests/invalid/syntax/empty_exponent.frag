// ERROR: E0102 3:20
precision mediump float;
const float TINY = 1.0e;
void main() {
    gl_FragColor = vec4(TINY);
}
