// ERROR: E0401 4:8
#version 300 es
precision mediump float;
void f(uniform float x) { }
out vec4 color;
void main() {
    color = vec4(1.0);
}
