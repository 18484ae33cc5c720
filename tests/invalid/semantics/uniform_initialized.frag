// ERROR: E0406 4:19
#version 300 es
precision mediump float;
uniform float u = 1.0;
out vec4 color;
void main() {
    color = vec4(u);
}
