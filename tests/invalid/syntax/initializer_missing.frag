// ERROR: E0201 4:15
precision mediump float;
void main() {
    float a = ;
    gl_FragColor = vec4(a);
}
