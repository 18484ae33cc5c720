// ERROR: E0308 7:7
#version 300 es
precision mediump float;
void f(out float a) { a = 1.0; }
out vec4 color;
void main() {
    f(1.0);
    color = vec4(1.0);
}
