// ERROR: E0301 7:24
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    for (int i = 0; i < 3; i++) { }
    color = vec4(float(i));
}
