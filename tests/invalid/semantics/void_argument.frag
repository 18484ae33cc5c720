// ERROR: E0312 7:18
#version 300 es
precision mediump float;
void f() { }
out vec4 color;
void main() {
    color = vec4(f());
}
