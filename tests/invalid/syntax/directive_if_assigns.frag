// ERROR: E0111 4:13
#define QUALITY 2
precision mediump float;
#if QUALITY = 2
#endif
void main() {
    gl_FragColor = vec4(1.0);
}
