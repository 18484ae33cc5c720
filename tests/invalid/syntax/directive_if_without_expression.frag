// ERROR: E0111 3:1
precision mediump float;
#if
const float k = 2.0;
#endif
void main() {
    gl_FragColor = vec4(1.0);
}
