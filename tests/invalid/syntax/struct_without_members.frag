// ERROR: E0201 3:14
precision mediump float;
struct Empty { };
void main() {
    gl_FragColor = vec4(1.0);
}
