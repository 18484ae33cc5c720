// ERROR: E0302 7:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float x = 1.0;
    x *= vec2(2.0);
    color = vec4(x);
}
