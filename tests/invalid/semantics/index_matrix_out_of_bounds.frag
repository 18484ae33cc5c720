// ERROR: E0306 6:23
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = mat4(1.0)[4];
}
