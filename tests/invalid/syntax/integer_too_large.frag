// ERROR: E0102 4:19
#version 300 es
precision mediump float;
const uint HASH = 0x1FFFFFFFFu;
out vec4 colour;
void main() {
    colour = vec4(HASH);
}
