// ERROR: E0404 4:8
#version 300 es
precision mediump float;
layout(location = 0) uniform vec4 v;
out vec4 color;
void main() {
    color = v;
}
