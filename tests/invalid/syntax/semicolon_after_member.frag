// ERROR: E0201 4:19
precision mediump float;
struct Light {
    vec3 direction
    vec3 colour;
};
void main() {
    gl_FragColor = vec4(1.0);
}
