// ERROR: E0201 3:1
#version 300 es
cbuffer Camera { mat4 view; };
in vec3 position;
void main() {
    gl_Position = vec4(position, 1.0);
}
