// ERROR: E0309 5:17
#version 300 es
precision mediump float;
uniform float u;
const float k = u * 2.0;
out vec4 color;
void main() {
    color = vec4(k);
}
