// ERROR: E0201 4:37
precision mediump float;
void main() {
    vec3 light = vec3(0.0, 1.0, 0.0)
    vec3 view = vec3(0.0, 0.0, 1.0);
    gl_FragColor = vec4(light + view, 1.0);
}
