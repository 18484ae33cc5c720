// ERROR: E0205 4:5
precision mediump float;
void main() {
    uint i = 1;
    gl_FragColor = vec4(float(i));
}
