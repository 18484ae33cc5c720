// ERROR: E0201 6:2
#version 300 es
uniform Camera {
    mat4 view;
    mat4 projection;
}
in vec3 position;
void main() {
    gl_Position = projection * view * vec4(position, 1.0);
}
