// ERROR: E0103 6:1
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
/* the rest
void unused() { }
