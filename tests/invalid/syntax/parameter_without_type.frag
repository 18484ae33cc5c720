// ERROR: E0201 3:18
precision mediump float;
float f(float a, ) {
    return a;
}
void main() {
    gl_FragColor = vec4(f(1.0));
}
