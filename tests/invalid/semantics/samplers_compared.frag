// ERROR: E0405 7:18
#version 300 es
precision mediump float;
uniform sampler2D a, b;
out vec4 color;
void main() {
    color = vec4(a == b ? 1.0 : 0.0);
}
