// ERROR: E0201 4:17
precision mediump float;
void main() {
    vec3 colour vec3(1.0);
    gl_FragColor = vec4(colour, 1.0);
}
