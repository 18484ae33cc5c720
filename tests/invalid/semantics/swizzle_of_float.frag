// ERROR: E0307 7:15
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float f = 1.0;
    color = f.xxxx;
}
