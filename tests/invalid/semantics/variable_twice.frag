// ERROR: E0304 7:11
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a = 1.0;
    float a = 2.0;
    color = vec4(a);
}
