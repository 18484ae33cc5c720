// ERROR: E0308 7:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    const float k = 1.0;
    k = 2.0;
    color = vec4(k);
}
