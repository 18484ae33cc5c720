// ERROR: E0307 8:26
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a[2];
    a[0] = 1.0;
    color = vec4(a[0], a.size(), 1.0, 1.0);
}
