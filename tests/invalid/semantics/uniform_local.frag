// ERROR: E0401 6:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    uniform float u;
    color = vec4(1.0);
}
