// ERROR: E0314 6:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    break;
    color = vec4(1.0);
}
