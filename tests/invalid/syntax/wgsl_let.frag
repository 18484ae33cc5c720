// ERROR: E0201 4:5
precision mediump float;
void main() {
    let a = 1.0;
    gl_FragColor = vec4(a);
}
