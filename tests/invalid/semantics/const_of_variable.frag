// ERROR: E0309 7:21
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float x = 1.0;
    const float k = x;
    color = vec4(k);
}
