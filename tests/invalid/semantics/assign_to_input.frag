// ERROR: E0308 7:5
#version 300 es
precision mediump float;
in vec4 v;
out vec4 color;
void main() {
    v.x = 2.0;
    color = v;
}
