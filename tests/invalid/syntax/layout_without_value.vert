// ERROR: E0201 3:19
#version 300 es
layout(location = ) in vec3 position;
void main() {
    gl_Position = vec4(position, 1.0);
}
