// ERROR: E0201 4:17
precision mediump float;
struct Light {
    float power = 1.0;
};
void main() {
    gl_FragColor = vec4(1.0);
}
