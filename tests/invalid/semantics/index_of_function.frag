// ERROR: E0316 7:18
#version 300 es
precision mediump float;
float f() { return 1.0; }
out vec4 color;
void main() {
    color = vec4(f[0]);
}
