// ERROR: E0313 6:12
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    return 1.0;
}
