// ERROR: E0201 5:20
#version 300 es
precision mediump float;
out vec4 colour;
vec4 shade(vec2 uv : TEXCOORD0) {
    return vec4(uv, 0.0, 1.0);
}
void main() {
    colour = shade(vec2(0.5));
}
