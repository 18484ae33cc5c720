// ERROR: E0302 7:18
// ERROR: E0302 7:23
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(1 && 2 ? 1.0 : 0.0);
}
