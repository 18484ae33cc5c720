// ERROR: E0201 3:9
#version 300 es
uniform {
    mat4 view;
};
in vec3 position;
void main() {
    gl_Position = view * vec4(position, 1.0);
}
