// ERROR: E0302 6:14
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    uint a = 1u + 1;
    color = vec4(float(a));
}
