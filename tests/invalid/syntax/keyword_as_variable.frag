// ERROR: E0203 4:11
precision mediump float;
void main() {
    float in = 1.0;
    gl_FragColor = vec4(in);
}
