// ERROR: E0201 8:11
#version 300 es
precision mediump float;
uniform int mode;
out vec4 colour;
void main() {
    switch (mode) {
    case 0
        colour = vec4(0.0);
        break;
    default:
        colour = vec4(1.0);
    }
}
