// ERROR: E0111 3:20
precision mediump float;
#if __VERSION__ >= 1.0
const float k = 2.0;
#endif
void main() {
    gl_FragColor = vec4(1.0);
}
