// ERROR: E0302 6:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a[3] = float[](1.0, 2.0);
    color = vec4(a[0]);
}
