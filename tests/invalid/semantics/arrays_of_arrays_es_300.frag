// ERROR: E0317 6:12
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a[2][3];
    color = vec4(a[0][0]);
}
