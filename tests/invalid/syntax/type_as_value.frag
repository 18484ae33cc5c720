// ERROR: E0201 4:18
precision mediump float;
void main() {
    vec3 v = vec3;
    gl_FragColor = vec4(v, 1.0);
}
