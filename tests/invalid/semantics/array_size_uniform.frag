// ERROR: E0309 5:9
#version 300 es
precision mediump float;
uniform int n;
float a[n];
out vec4 color;
void main() {
    color = vec4(1.0);
}
