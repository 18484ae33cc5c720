// ERROR: E0312 7:15
#version 300 es
precision mediump float;
void f() { }
out vec4 color;
void main() {
    float x = f();
    color = vec4(x);
}
