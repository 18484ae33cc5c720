// ERROR: E0404 6:12
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    layout(location = 0) float x = 1.0;
    color = vec4(x);
}
