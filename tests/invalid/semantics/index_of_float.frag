// ERROR: E0306 7:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float f = 1.0;
    color = vec4(f[0]);
}
