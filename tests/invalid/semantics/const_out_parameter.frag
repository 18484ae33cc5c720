// ERROR: E0402 4:8
#version 300 es
precision mediump float;
void f(const out float x) { x = 1.0; }
out vec4 color;
void main() {
    color = vec4(1.0);
}
