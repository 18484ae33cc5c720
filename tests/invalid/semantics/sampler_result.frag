// ERROR: E0405 5:1
#version 300 es
precision mediump float;
uniform sampler2D t;
sampler2D f() { return t; }
out vec4 color;
void main() {
    color = vec4(1.0);
}
