// ERROR: E0305 6:38
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(1.0, 2.0, 3.0, 4.0, 5.0);
}
