// ERROR: E0203 4:1
#version 300 es
precision mediump float;
varying vec2 uv;
out vec4 colour;
void main() {
    colour = vec4(uv, 0.0, 1.0);
}
