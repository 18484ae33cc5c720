// ERROR: E0312 4:8
#version 300 es
precision mediump float;
void f(void x) { }
out vec4 color;
void main() {
    color = vec4(1.0);
}
