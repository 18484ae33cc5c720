// ERROR: E0202 4:15
#version 300 es
uniform Camera {
    mat4 view;
camera;
in vec3 position;
void main() {
    gl_Position = camera.view * vec4(position, 1.0);
}
