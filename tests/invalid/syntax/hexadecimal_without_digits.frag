// ERROR: E0102 4:19
#version 300 es
precision mediump float;
const uint MASK = 0x;
out vec4 colour;
void main() {
    colour = vec4(MASK);
}
