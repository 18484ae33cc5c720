// ERROR: E0202 6:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float f() { return 1.0; }
    color = vec4(1.0);
}
