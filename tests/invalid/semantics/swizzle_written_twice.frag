// ERROR: E0308 6:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color.xx = vec2(1.0);
}
