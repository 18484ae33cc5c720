// ERROR: E0203 4:5
precision mediump float;
void main() {
    goto end;
    gl_FragColor = vec4(1.0);
}
