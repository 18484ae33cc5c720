// ERROR: E0309 7:13
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    int n = 3;
    float a[n];
    color = vec4(a[0]);
}
