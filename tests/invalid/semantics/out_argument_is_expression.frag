// ERROR: E0308 8:7
#version 300 es
precision mediump float;
void f(out float a) { a = 1.0; }
out vec4 color;
void main() {
    float x = 1.0;
    f(x + 1.0);
    color = vec4(x);
}
