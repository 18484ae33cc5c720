// ERROR: E0316 7:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float T = 1.0;
    T x;
    color = vec4(T);
}
