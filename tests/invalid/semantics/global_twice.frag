// ERROR: E0304 5:15
#version 300 es
precision mediump float;
uniform float a;
uniform float a;
out vec4 color;
void main() {
    color = vec4(a);
}
