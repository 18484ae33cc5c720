// ERROR: E0405 4:11
#version 300 es
precision mediump float;
sampler2D t;
out vec4 color;
void main() {
    color = vec4(1.0);
}
