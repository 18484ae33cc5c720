// ERROR: E0403 2:1
precision mediump bool;
void main() {
    gl_FragColor = vec4(1.0);
}
