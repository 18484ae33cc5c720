// ERROR: E0301 5:5
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
    gl_FragDepth = 0.5;
}
