// ERROR: E0402 4:9
#version 300 es
precision mediump float;
uniform in float x;
out vec4 color;
void main() {
    color = vec4(1.0);
}
