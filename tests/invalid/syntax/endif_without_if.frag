// ERROR: E0110 6:1
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
#endif
