// ERROR: E0201 3:37
precision mediump float;
float square(float x) { return x * x }
void main() {
    gl_FragColor = vec4(square(2.0));
}
