// ERROR: E0201 6:21
#version 300 es
precision mediump float;
out vec4 colour;
void main() {
    while (bool more) {
        break;
    }
    colour = vec4(1.0);
}
