// ERROR: E0312 6:10
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    void x;
    color = vec4(1.0);
}
