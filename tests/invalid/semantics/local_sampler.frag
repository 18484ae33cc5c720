// ERROR: E0405 6:15
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    sampler2D t;
    color = vec4(1.0);
}
