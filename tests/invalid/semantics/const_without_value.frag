// ERROR: E0406 6:17
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    const float k;
    color = vec4(1.0);
}
