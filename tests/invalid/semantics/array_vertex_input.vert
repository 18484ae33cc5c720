// ERROR: E0407 3:9
#version 300 es
in vec4 p[2];
void main() {
    gl_Position = p[0];
}
