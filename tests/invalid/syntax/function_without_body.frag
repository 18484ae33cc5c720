// ERROR: E0201 4:5
precision mediump float;
float f(float a)
    return a;
void main() {
    gl_FragColor = vec4(1.0);
}
