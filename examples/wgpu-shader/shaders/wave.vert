#version 300 es
in vec2 place;
in vec3 tone;
out vec3 color;

void main() {
    color = tone;
    gl_Position = vec4(place, 0.0, 1.0);
}
