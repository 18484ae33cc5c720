// ERROR: E0404 4:30
#version 300 es
layout(location = 0) in mat4 m;
layout(location = 3) in vec4 p;
void main() {
    gl_Position = m * p;
}
