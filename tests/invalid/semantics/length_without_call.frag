// ERROR: E0307 8:26
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    color = vec4(float(a.length) + a[0]);
}
