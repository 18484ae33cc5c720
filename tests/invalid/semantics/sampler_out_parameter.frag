// ERROR: E0405 4:8
#version 300 es
precision mediump float;
void f(out sampler2D t) { }
out vec4 color;
void main() {
    color = vec4(1.0);
}
