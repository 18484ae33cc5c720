// ERROR: E0309 5:19
#version 300 es
precision mediump float;
uniform int n;
layout(location = n) in float x;
out vec4 color;
void main() {
    color = vec4(x);
}
