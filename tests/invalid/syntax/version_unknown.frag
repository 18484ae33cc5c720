// ERROR: E0105 2:10
#version 301 es
precision mediump float;
out vec4 colour;
void main() {
    colour = vec4(1.0);
}
