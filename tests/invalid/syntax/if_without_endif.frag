// ERROR: E0110 3:1
precision mediump float;
#ifdef FANCY
void main() {
    gl_FragColor = vec4(1.0);
}
