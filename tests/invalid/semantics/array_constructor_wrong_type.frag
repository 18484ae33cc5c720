// ERROR: E0302 6:32
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a[2] = float[2](1.0, 2);
    color = vec4(a[0]);
}
