// ERROR: E0201 4:21
#version 300 es
precision mediump float;
layout(location = 0 out vec4 colour;
void main() {
}
