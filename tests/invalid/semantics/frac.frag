// ERROR: E0301 6:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(frac(2.5));
}
