// ERROR: E0301 6:13
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = gl_FragColour;
}
