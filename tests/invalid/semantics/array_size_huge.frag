// ERROR: E0506 4:8
#version 300 es
precision mediump float;
float a[100000000];
out vec4 color;
void main() {
    color = vec4(a[0]);
}
