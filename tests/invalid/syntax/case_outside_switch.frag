// ERROR: E0201 6:5
#version 300 es
precision mediump float;
out vec4 colour;
void main() {
    case 0:
    colour = vec4(0.0);
}
