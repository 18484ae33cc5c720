// ERROR: E0405 7:21
#version 300 es
precision mediump float;
uniform sampler2D a, b;
out vec4 color;
void main() {
    color = texture(true ? a : b, vec2(0.0));
}
