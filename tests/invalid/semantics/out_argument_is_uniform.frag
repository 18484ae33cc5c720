// ERROR: E0308 8:7
#version 300 es
precision mediump float;
uniform float u;
void f(inout float a) { a = 1.0; }
out vec4 color;
void main() {
    f(u);
    color = vec4(u);
}
