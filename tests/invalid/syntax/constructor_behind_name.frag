// ERROR: E0201 4:16
precision mediump float;
void main() {
    vec3 colour(1.0, 0.5, 0.25);
    gl_FragColor = vec4(colour, 1.0);
}
