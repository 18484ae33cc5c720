// ERROR: E0405 4:14
#version 300 es
precision mediump float;
in sampler2D t;
out vec4 color;
void main() {
    color = vec4(1.0);
}
