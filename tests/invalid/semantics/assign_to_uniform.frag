// ERROR: E0308 7:5
#version 300 es
precision mediump float;
uniform float u;
out vec4 color;
void main() {
    u = 2.0;
    color = vec4(u);
}
