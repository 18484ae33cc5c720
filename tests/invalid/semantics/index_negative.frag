// ERROR: E0306 7:7
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a[3];
    a[-1] = 1.0;
    color = vec4(a[0]);
}
