// ERROR: E0306 6:24
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(color[4]);
}
