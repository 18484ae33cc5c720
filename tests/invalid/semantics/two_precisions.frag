// ERROR: E0402 4:15
#version 300 es
precision mediump float;
uniform highp mediump float x;
out vec4 color;
void main() {
    color = vec4(1.0);
}
