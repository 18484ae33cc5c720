// ERROR: E0505 5:33
precision mediump float;
void main() {
    float a = 0.0;
    for (int i = 0; i < 4; i++) { a += 1.0; i += 1; }
    gl_FragColor = vec4(a);
}
