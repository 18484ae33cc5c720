// ERROR: E0102 4:18
#version 300 es
precision mediump float;
const int PORT = 089;
out vec4 colour;
void main() {
    colour = vec4(PORT);
}
