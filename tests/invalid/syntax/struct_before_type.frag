// ERROR: E0201 4:9
precision mediump float;
struct Light { vec3 colour; };
uniform struct Light light;
void main() {
    gl_FragColor = vec4(light.colour, 1.0);
}
