// ERROR: E0201 6:2
precision mediump float;
struct Light {
    vec3 direction;
    vec3 colour;
}
uniform vec3 ambient;
void main() {
    gl_FragColor = vec4(ambient, 1.0);
}
