// ERROR: E0201 3:1
precision mediump float;
main() {
    gl_FragColor = vec4(1.0);
}
