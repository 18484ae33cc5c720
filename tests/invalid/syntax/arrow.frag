// ERROR: E0201 6:31
precision mediump float;
struct Light { vec3 colour; };
uniform Light light;
void main() {
    gl_FragColor = vec4(light->colour, 1.0);
}
