// ERROR: E0308 6:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    1++;
    color = vec4(1.0);
}
