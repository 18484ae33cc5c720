// ERROR: E0404 4:8
#version 300 es
precision mediump float;
layout(location) in float x;
out vec4 color;
void main() {
    color = vec4(1.0);
}
