// ERROR: E0401 4:1
#version 300 es
precision mediump float;
flat uniform float x;
out vec4 color;
void main() {
    color = vec4(x);
}
