// ERROR: E0309 5:11
#version 300 es
precision mediump float;
uniform float u;
float g = u;
out vec4 color;
void main() {
    color = vec4(g);
}
