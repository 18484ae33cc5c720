// ERROR: E0205 4:15
precision mediump float;
void main() {
    int i = 5 & 1;
    gl_FragColor = vec4(float(i));
}
