// ERROR: E0316 7:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float sin = 1.0;
    color = vec4(sin(sin));
}
