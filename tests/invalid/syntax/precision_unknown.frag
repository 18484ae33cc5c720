// ERROR: E0201 2:11
precision mediumfloat float;
void main() {
    gl_FragColor = vec4(1.0);
}
