// ERROR: E0309 8:23
#version 300 es
precision mediump float;
uniform sampler2D t[2];
uniform int i;
out vec4 color;
void main() {
    color = texture(t[i], vec2(0.0));
}
