// ERROR: E0411 6:11
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a[];
    color = vec4(1.0);
}
