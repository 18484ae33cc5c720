// ERROR: E0205 4:20
precision mediump float;
void main() {
    float w = float[2](0.5, 0.25)[1];
    gl_FragColor = vec4(w);
}
