// ERROR: E0302 6:13
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a[2.0];
    color = vec4(1.0);
}
