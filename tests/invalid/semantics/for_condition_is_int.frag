// ERROR: E0310 6:21
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    for (int i = 3; i; i--) { }
    color = vec4(1.0);
}
