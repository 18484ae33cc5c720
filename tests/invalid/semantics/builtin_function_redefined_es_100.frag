// ERROR: E0412 3:7
precision mediump float;
float sin(float x) { return x; }
void main() {
    gl_FragColor = vec4(sin(1.0));
}
