// ERROR: E0410 5:6
#version 300 es
precision mediump float;
void f(inout float x);
void f(out float x) { x = 1.0; }
out vec4 color;
void main() {
    float x = 1.0;
    f(x);
    color = vec4(x);
}
