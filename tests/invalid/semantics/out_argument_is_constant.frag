// ERROR: E0308 8:7
#version 300 es
precision mediump float;
void f(out float a) { a = 1.0; }
out vec4 color;
void main() {
    const float k = 1.0;
    f(k);
    color = vec4(k);
}
