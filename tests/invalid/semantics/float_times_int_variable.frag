// ERROR: E0302 7:15
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    int n = 3;
    float x = 2.0 * n;
    color = vec4(x);
}
