// ERROR: E0402 6:11
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    const const float x = 1.0;
    color = vec4(x);
}
